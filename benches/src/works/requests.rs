//! Chat Completions bodies, as clients send them.
//!
//! What decides is how often a string has an escape. In the tau-bench airline transcripts system prompts
//! and answers have one every 78 bytes, users' texts next to none, arguments one every 9 and tool
//! results, which are JSON, one every 7. So the chats here are prose (one every 75), the agent reads and
//! writes code (one every 30), and one harsh body is JSON in strings (one every 8).

use serde_json::{Value, json};

/// A body that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// 20 messages of 800 bytes.
    Chat,
    /// 100 messages of 4 KiB.
    Long,
    /// 2000 messages of 64 bytes.
    Many,
    /// An agent's session of 1 MiB: forty tools, calls with arguments, and their results.
    Agent,
    /// 100 messages of 4 KiB of JSON.
    Json,
}

impl Body {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Chat, Self::Long, Self::Many, Self::Agent, Self::Json];

    /// The name in tables and benches.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chat => "body 20×800 B",
            Self::Long => "body 100×4 KiB",
            Self::Many => "body 2000×64 B",
            Self::Agent => "body of an agent, 1 MiB",
            Self::Json => "body 100×4 KiB of JSON",
        }
    }

    /// The same bytes at every call.
    pub fn json(self) -> String {
        match self {
            Self::Chat => messages(20, 800, Words::prose),
            Self::Long => messages(100, 4096, Words::prose),
            Self::Many => messages(2000, 64, Words::prose),
            Self::Agent => agent(1 << 20),
            Self::Json => messages(100, 4096, Words::json),
        }
    }
}

/// A chat in the order of keys in which clients write it.
fn messages(count: usize, bytes: usize, text: fn(&mut Words, usize) -> String) -> String {
    let mut words = Words(0x9E37_79B9_7F4A_7C15);
    let message = |at: usize| {
        let role = if at.is_multiple_of(2) {
            "user"
        } else {
            "assistant"
        };
        format!(
            r#"{{"role":"{role}","content":{}}}"#,
            Value::from(text(&mut words, bytes))
        )
    };
    let messages: Vec<_> = (0..count).map(message).collect();
    format!(
        r#"{{"model":"gpt-5","stream":true,"messages":[{}]}}"#,
        messages.join(",")
    )
}

/// Forty tools and as many steps as fit.
fn agent(bytes: usize) -> String {
    let mut words = Words(77);
    let tools: Vec<_> = (0..40)
        .map(|at| {
            let properties: serde_json::Map<_, _> =
                (0..8).map(|at| (format!("arg_{at}"), json!({"type": "string", "description": words.prose(80)}))).collect();
            json!({"type": "function", "function": {"name": format!("tool_{at}"), "description": words.prose(600),
                "parameters": {"type": "object", "properties": properties, "required": ["arg_0"]}}})
        })
        .collect();
    let mut said = vec![format!(
        r#"{{"role":"system","content":{}}}"#,
        Value::from(words.prose(24_000))
    )];
    let mut size = 0;
    while size < bytes {
        let step = said.len();
        if step % 25 == 1 {
            said.push(format!(
                r#"{{"role":"user","content":{}}}"#,
                Value::from(words.code(300))
            ));
        }
        let arguments = json!({"path": format!("src/{step}.rs"), "old": words.code(200), "new": words.code(300)}).to_string();
        said.push(format!(
            r#"{{"role":"assistant","content":{},"tool_calls":[{{"id":"call_{step}","type":"function","function":{{"name":"tool_{}","arguments":{}}}}}]}}"#,
            Value::from(words.prose(150)), step % 40, Value::from(arguments),
        ));
        said.push(format!(
            r#"{{"role":"tool","tool_call_id":"call_{step}","content":{}}}"#,
            Value::from(words.code(3000))
        ));
        size += said[said.len() - 2..]
            .iter()
            .map(String::len)
            .sum::<usize>();
    }
    format!(
        r#"{{"model":"gpt-5","stream":true,"tools":{},"messages":[{}]}}"#,
        Value::from(tools),
        said.join(",")
    )
}

/// Text of a fixed seed.
struct Words(u64);

impl Words {
    /// Words in lines of 70 characters.
    fn prose(&mut self, bytes: usize) -> String {
        self.lines(bytes, "cited")
    }

    /// The same with a quoted word among sixteen.
    fn code(&mut self, bytes: usize) -> String {
        self.lines(bytes, "\"quoted\"")
    }

    fn lines(&mut self, bytes: usize, sixteenth: &str) -> String {
        const WORDS: [&str; 15] = [
            "the",
            "cache",
            "prefix",
            "of",
            "a",
            "request",
            "is",
            "read",
            "from",
            "account",
            "path/to/file",
            "return",
            "value",
            "and",
            "then",
        ];
        let (mut text, mut line) = (String::new(), 0);
        while text.len() < bytes {
            let word = WORDS.get(self.below(16)).unwrap_or(&sixteenth);
            text.push_str(word);
            line += word.len() + 1;
            text.push(if line > 70 { '\n' } else { ' ' });
            line %= 71;
        }
        text.truncate(bytes);
        text
    }

    /// What tools return, JSON.
    fn json(&mut self, bytes: usize) -> String {
        let mut text = String::new();
        while text.len() < bytes {
            text.push_str(&format!(
                r#"{{"flight_number": "HAT{}", "origin": "SEA", "price": {}}}, "#,
                self.below(1000),
                self.below(300)
            ));
        }
        text.truncate(bytes);
        text
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % bound
    }
}
