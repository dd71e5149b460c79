//! Gemini from end to end: simulated accounts with a prompt cache each.

use std::time::Duration;

use affinity_gateway::config::{Channel, Dialect};
use affinity_sim::http::{Account, Options};
use serde_json::{Value, json};

use crate::harness::{Answer, Caller, gateway, metric};

/// The next turn of a conversation whose beginning is long enough for a cache.
fn turn(about: &str, contents: &mut Vec<Value>) -> Value {
    let n = contents.len();
    if n > 0 {
        contents.push(json!({"role": "model", "parts": [{"text": format!("answer {n}")}]}));
    }
    contents
        .push(json!({"role": "user", "parts": [{"text": format!("question {n} about {about}")}]}));
    let system = "You are helpful. ".repeat(400);
    json!({"systemInstruction": {"parts": [{"text": system}]}, "contents": contents})
}

/// The cached tokens that an answer reports, in whichever form it came.
fn cached(answer: &Answer) -> u64 {
    let text = str::from_utf8(&answer.body).unwrap();
    let last = text.rfind("\"cachedContentTokenCount\":");
    last.map_or(0, |at| {
        let digits = text[at..].split_once(':').unwrap().1;
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap();
        digits[..end].parse().unwrap()
    })
}

#[tokio::test]
async fn later_turns_stay_and_their_cached_tokens_are_learnt() {
    let mut accounts = Vec::new();
    let mut channels = Vec::new();
    for i in 0..3 {
        let name = format!("acct-{i}");
        let account = Account::start(Options::named(&name)).await.unwrap();
        let url = account.base_url().parse().unwrap();
        channels.push(Channel::new(&name, url, &[Dialect::Gemini]));
        accounts.push(account);
    }
    let running = gateway(channels, |_| {}).await;
    let (caller, admin) = (
        Caller::of(&running),
        Caller::at(running.admin_addr.unwrap()),
    );
    for call in [
        "generateContent",
        "streamGenerateContent?alt=sse",
        "streamGenerateContent",
    ] {
        let path = format!("/v1beta/models/gemini-sim:{call}");
        let mut contents = Vec::new();
        let first = caller.post(&path, &turn(call, &mut contents)).await;
        assert_eq!(first.status, 200);
        assert_eq!(first.header("x-affinity-source"), Some("opener"));
        for _ in 0..3 {
            let next = caller.post(&path, &turn(call, &mut contents)).await;
            assert_eq!(next.account(), first.account());
            assert_eq!(next.header("x-affinity-source"), Some("memory"));
            assert!(cached(&next) >= 1024, "{call}");
        }
    }
    for (i, account) in accounts.iter().enumerate() {
        let stats = account.stats();
        for (name, tokens) in [
            ("affinity_prompt_tokens_total", stats.prompt_tokens),
            ("affinity_cached_tokens_total", stats.cached_tokens),
        ] {
            let line = format!("{name}{{channel=\"acct-{i}\"}}");
            // Counted once the gateway is through with the answer, a moment after the client.
            let mut learnt = 0.0;
            for _ in 0..200 {
                learnt = metric(&admin, &line).await.unwrap_or(0.0);
                if learnt == tokens as f64 {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            assert_eq!(learnt, tokens as f64, "{line}");
        }
    }
    let cached: u64 = accounts.iter().map(|a| a.stats().cached_tokens).sum();
    assert!(cached >= 9 * 1024);
}
