//! Question: what does it cost to get from a body to its links, beside what a gateway pays today
//! before it hashes anything: one parse into `serde_json::Value`, or (with `peers`) sonic-rs?
//!
//! Where the time goes: mostly in decoding strings, by the number of their escapes (this text has
//! one every 30 bytes, as code does), then in the members of small messages; checking UTF-8 and
//! hashing are a few per cent.

use affinity_hash::{ChainBuilder, Scope};
use affinity_llm::{Request, Scratch};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use serde_json::{Value, json};

const PATH: &str = "/v1/chat/completions";

fn bodies(criterion: &mut Criterion) {
    for (name, body) in [
        ("20 x 800 B", messages(20, 800)),
        ("100 x 4 KiB", messages(100, 4096)),
        ("2000 x 64 B", messages(2000, 64)),
        ("agent, 1 MiB", agent(1 << 20)),
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
fn messages(count: usize, bytes: usize) -> String {
    let mut words = Words(0x9E37_79B9_7F4A_7C15);
    let message = |at: usize| {
        let role = if at.is_multiple_of(2) {
            "user"
        } else {
            "assistant"
        };
        format!(
            r#"{{"role":"{role}","content":{}}}"#,
            Value::from(words.text(bytes))
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
                (0..8).map(|at| (format!("arg_{at}"), json!({"type": "string", "description": words.text(80)}))).collect();
            json!({"type": "function", "function": {"name": format!("tool_{at}"), "description": words.text(600),
                "parameters": {"type": "object", "properties": properties, "required": ["arg_0"]}}})
        })
        .collect();
    let mut said = vec![format!(
        r#"{{"role":"system","content":{}}}"#,
        Value::from(words.text(24_000))
    )];
    let mut size = 0;
    while size < bytes {
        let step = said.len();
        if step % 25 == 1 {
            said.push(format!(
                r#"{{"role":"user","content":{}}}"#,
                Value::from(words.text(300))
            ));
        }
        let arguments = json!({"path": format!("src/{step}.rs"), "old": words.text(200), "new": words.text(300)}).to_string();
        said.push(format!(
            r#"{{"role":"assistant","content":{},"tool_calls":[{{"id":"call_{step}","type":"function","function":{{"name":"tool_{}","arguments":{}}}}}]}}"#,
            Value::from(words.text(150)), step % 40, Value::from(arguments),
        ));
        said.push(format!(
            r#"{{"role":"tool","tool_call_id":"call_{step}","content":{}}}"#,
            Value::from(words.text(3000))
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

/// Text of a fixed seed: words, quotes, lines of 70 characters.
struct Words(u64);

impl Words {
    fn text(&mut self, bytes: usize) -> String {
        const WORDS: [&str; 16] = [
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
            "\"quoted\"",
            "path/to/file",
            "return",
            "value",
            "and",
            "then",
        ];
        let (mut text, mut line) = (String::new(), 0);
        while text.len() < bytes {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            let word = WORDS[(self.0 >> 33) as usize % WORDS.len()];
            text.push_str(word);
            line += word.len() + 1;
            text.push(if line > 70 { '\n' } else { ' ' });
            line %= 71;
        }
        text.truncate(bytes);
        text
    }
}

criterion_group!(benches, bodies);
criterion_main!(benches);
