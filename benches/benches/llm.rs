//! Question: what does it cost to get from a body to its links, beside what a gateway pays today
//! before it hashes anything: one parse into `serde_json::Value`, or (with `peers`) sonic-rs?
//!
//! What decides is how often a string has an escape. In the tau-bench airline transcripts system
//! prompts and answers have one every 78 bytes, users' texts next to none, arguments one every 9
//! and tool results, which are JSON, one every 7. So the chats here are prose (one every 75), the
//! agent reads and writes code (one every 30), and one harsh body is JSON in strings (one every 8).

use affinity_hash::{ChainBuilder, Scope};
use affinity_llm::{Request, Scratch};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use serde_json::{Value, json};

const PATH: &str = "/v1/chat/completions";

fn bodies(criterion: &mut Criterion) {
    for (name, body) in [
        ("20 x 800 B", messages(20, 800, Words::prose)),
        ("100 x 4 KiB", messages(100, 4096, Words::prose)),
        ("2000 x 64 B", messages(2000, 64, Words::prose)),
        ("agent, 1 MiB", agent(1 << 20)),
        ("100 x 4 KiB of JSON", messages(100, 4096, Words::json)),
    ] {
        let body = body.as_bytes();
        let mut scratch = Scratch::new();
        let mut chain = ChainBuilder::new();
        let mut links = || {
            let request = Request::read(&(), PATH, body, &mut scratch);
            request
                .fingerprint(Scope::public(), &mut chain)
                .expect("a conversation")
                .links
                .len()
        };
        links();
        let info = allocation_counter::measure(|| assert!(links() > 0));
        assert_eq!(info.count_total, 0, "reading again allocates nothing");

        let mut group = criterion.benchmark_group("body to links");
        group.throughput(Throughput::Bytes(body.len() as u64));
        group.bench_function(BenchmarkId::new("affinity", name), |bencher| {
            bencher.iter(&mut links)
        });
        group.bench_function(BenchmarkId::new("serde_json Value", name), |bencher| {
            bencher.iter(|| serde_json::from_slice::<Value>(body).expect("JSON"));
        });
        #[cfg(feature = "peers")]
        group.bench_function(BenchmarkId::new("sonic_rs Value", name), |bencher| {
            bencher.iter(|| sonic_rs::from_slice::<sonic_rs::Value>(body).expect("JSON"));
        });
        group.finish();
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

    /// What tools return.
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

criterion_group!(benches, bodies);
criterion_main!(benches);

// Last conclusion (three quick runs with peers to their end, on one core of a shared Sapphire Rapids). Beside
// `serde_json Value`: 2.6 to 2.9 times its throughput on 20 x 800 B, 2.6 to 3.1 on 100 x 4 KiB (5.0 to 5.7
// GiB/s while nobody disturbs), 3.3 on 2000 x 64 B, 2.7 on the agent, 3.3 to 3.6 on JSON in strings; nothing is
// allocated. The aim of 3 everywhere is missed where escapes come at irregular distances (a mispredicted
// branch each) and, on fast caches, where text is long. Beside `sonic_rs Value`, which parses and hashes
// nothing: ours is 1.5 times as fast on the agent, 1.8 to 2.2 on JSON in strings and on 100 x 4 KiB, even on 20 x
// 800 B (0.9 to 1.0), and 0.4 times as fast on 2000 x 64 B: there sonic-rs only points into the body, while
// we make an entry of every message.
