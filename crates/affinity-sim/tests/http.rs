//! Accounts over real sockets. The client is a bare TCP stream, so that nothing is hidden.

use std::io::ErrorKind;
use std::time::Duration;

use affinity_sim::http::agents::{Listener, Said, Shape};
use affinity_sim::http::{Account, Control, Fault, Latency, Options, Throttle};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};

const CHAT: &str = "/v1/chat/completions";
const MESSAGES: &str = "/v1/messages";

struct Reply {
    status: u16,
    head: String,
    body: String,
}

impl Reply {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// The data of every event, `[DONE]` left out. Chunk framing stays in the body text, so a
    /// line that begins with `data: ` is all that counts.
    fn events(&self) -> Vec<Value> {
        let data = self
            .body
            .lines()
            .filter_map(|line| line.strip_prefix("data: "));
        data.filter_map(|data| serde_json::from_str(data).ok())
            .collect()
    }
}

async fn request(
    base_url: &str,
    method: &str,
    path: &str,
    headers: &str,
    body: &Value,
) -> std::io::Result<Reply> {
    let mut stream = TcpStream::connect(base_url.trim_start_matches("http://")).await?;
    let body = body.to_string();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: sim\r\nconnection: close\r\n{headers}content-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let status = head
        .get(9..12)
        .and_then(|status| status.parse().ok())
        .unwrap_or(0);
    Ok(Reply {
        status,
        head: head.to_owned(),
        body: body.to_owned(),
    })
}

async fn post(account: &Account, path: &str, body: &Value) -> Reply {
    let headers = "authorization: Bearer right\r\nanthropic-version: 2023-06-01\r\n";
    request(&account.base_url(), "POST", path, headers, body)
        .await
        .unwrap()
}

async fn start(change: impl FnOnce(&mut Options)) -> Account {
    let mut options = Options::named("east");
    options.key = Some("right".into());
    change(&mut options);
    Account::start(options).await.unwrap()
}

fn chat(turns: &[&str]) -> Value {
    let messages: Vec<_> = turns
        .iter()
        .enumerate()
        .map(|(at, text)| {
            let role = if at % 2 == 0 { "user" } else { "assistant" };
            json!({ "role": role, "content": text })
        })
        .collect();
    json!({ "model": "m", "messages": messages })
}

#[tokio::test]
async fn second_turn_reads_the_first_from_the_cache() {
    let account = start(|_| {}).await;
    let opener = "word ".repeat(1000);
    let first = post(&account, CHAT, &chat(&[&opener])).await.json();
    assert_eq!(first["usage"]["prompt_tokens_details"]["cached_tokens"], 0);
    let said = first["choices"][0]["message"]["content"].as_str().unwrap();
    let second = post(&account, CHAT, &chat(&[&opener, said, "go on"]))
        .await
        .json();
    assert_eq!(
        second["usage"]["prompt_tokens_details"]["cached_tokens"],
        1152
    );
    assert_eq!(account.stats().cached_tokens, 1152);
}

#[tokio::test]
async fn responses_and_chat_count_alike() {
    let account = start(|_| {}).await;
    let body = json!({ "model": "m", "input": "word ".repeat(1000) });
    let first = post(&account, "/openai/v1/responses", &body).await.json();
    let again = post(&account, "/openai/v1/responses", &body).await.json();
    assert_eq!(first["usage"]["input_tokens_details"]["cached_tokens"], 0);
    assert_eq!(
        again["usage"]["input_tokens_details"]["cached_tokens"],
        1152
    );
    assert_eq!(first["output"][0]["content"], again["output"][0]["content"]);
    assert!(!format!("{account:?}").contains("word"));
}

#[tokio::test]
async fn anthropic_usage_adds_up() {
    let account = start(|_| {}).await;
    let system = json!([{
        "type": "text",
        "text": "word ".repeat(1000),
        "cache_control": { "type": "ephemeral" },
    }]);
    let user = json!([{ "role": "user", "content": "hi" }]);
    let body = json!({ "model": "m", "max_tokens": 5, "system": system, "messages": user });
    let tokens = |reply: &Value| {
        let usage = &reply["usage"];
        [
            "input_tokens",
            "cache_creation_input_tokens",
            "cache_read_input_tokens",
        ]
        .map(|field| usage[field].as_u64().unwrap())
    };
    let first = post(&account, MESSAGES, &body).await.json();
    let again = post(&account, MESSAGES, &body).await.json();
    assert_eq!(first["stop_reason"], "max_tokens");
    let [rest, written, read] = tokens(&first);
    assert!(rest > 0 && written > 1024 && read == 0);
    assert_eq!(tokens(&again), [rest, 0, written]);
}

#[tokio::test]
async fn gemini_reads_the_first_turn_from_the_cache_however_it_answers() {
    let account = start(|_| {}).await;
    let ask = async |call: &str, turns: &[&str]| {
        let contents: Vec<_> = turns
            .iter()
            .enumerate()
            .map(|(at, text)| {
                let role = if at % 2 == 0 { "user" } else { "model" };
                json!({ "role": role, "parts": [{ "text": text }] })
            })
            .collect();
        let path = format!("/v1beta/models/m:{call}");
        let body = json!({ "contents": contents });
        let headers = "x-goog-api-key: right\r\n";
        request(&account.base_url(), "POST", &path, headers, &body)
            .await
            .unwrap()
    };
    let opener = "word ".repeat(1000);
    let first = ask("generateContent", &[&opener]).await.json();
    let usage = &first["usageMetadata"];
    assert_eq!(usage["promptTokenCount"], 1252);
    assert_eq!(usage.get("cachedContentTokenCount"), None);
    let said = first["candidates"][0]["content"]["parts"][0]["text"].as_str();
    let turns = [&opener, said.unwrap(), "go on"];
    let events = ask("streamGenerateContent?alt=sse", &turns).await.events();
    let last = events.last().unwrap();
    assert_eq!(last["usageMetadata"]["cachedContentTokenCount"], 1152);
    assert_eq!(last["candidates"][0]["finishReason"], "STOP");
    assert!(events.len() > 2);
    let array = ask("streamGenerateContent", &turns).await;
    assert!(array.head.contains("application/json"), "{}", array.head);
    let counted = ask("countTokens", &[&opener]).await.json();
    assert_eq!(counted["totalTokens"], 1252);
}

#[tokio::test]
async fn streams_end_with_their_usage() {
    let account = start(|_| {}).await;
    let mut body = chat(&["hi"]);
    body["stream"] = json!(true);
    let plain = post(&account, CHAT, &body).await;
    assert!(plain.head.to_lowercase().contains("text/event-stream"));
    assert!(plain.body.contains("data: [DONE]"));
    assert!(
        plain
            .events()
            .iter()
            .all(|event| event.get("usage").is_none())
    );
    body["stream_options"] = json!({ "include_usage": true });
    let events = post(&account, CHAT, &body).await.events();
    let last = events.last().unwrap();
    assert_eq!(last["choices"], json!([]));
    assert_eq!(last["usage"]["completion_tokens"], 24);

    let mut body = json!({ "model": "m", "max_tokens": 99, "stream": true });
    body["messages"] = json!([{ "role": "user", "content": "hi" }]);
    let events = post(&account, MESSAGES, &body).await.events();
    assert_eq!(events[0]["message"]["usage"]["output_tokens"], 1);
    assert_eq!(events[events.len() - 2]["usage"]["output_tokens"], 24);
    assert_eq!(events.last().unwrap()["type"], "message_stop");
}

#[tokio::test]
async fn wrong_key_is_refused_and_counted() {
    let account = start(|_| {}).await;
    let headers = "authorization: Bearer wrong\r\n";
    let reply = request(&account.base_url(), "POST", CHAT, headers, &chat(&["hi"]))
        .await
        .unwrap();
    assert_eq!(reply.status, 401);
    assert_eq!(reply.json()["error"]["code"], "invalid_api_key");
    assert_eq!(account.stats().unauthorized, 1);
    assert_eq!(account.received()[0].headers[2].1, "Bearer wrong");
    let shown = format!("{:?} {account:?}", account.received());
    assert!(
        !shown.contains("wrong") && !shown.contains("right"),
        "{shown}"
    );
}

#[tokio::test]
async fn googles_key_may_stand_in_the_query() {
    let account = start(|_| {}).await;
    let body = json!({ "contents": [{ "parts": [{ "text": "hi" }] }] });
    let path = |key: &str| format!("/v1beta/models/m:generateContent?key={key}");
    for (key, status) in [("right", 200), ("wrong", 401)] {
        let reply = request(&account.base_url(), "POST", &path(key), "", &body)
            .await
            .unwrap();
        assert_eq!(reply.status, status);
        assert_eq!(reply.body.contains("UNAUTHENTICATED"), status == 401);
    }
}

#[tokio::test]
async fn first_token_waits_for_what_is_not_cached() {
    let account = start(|options| {
        options.latency = Latency {
            per_uncached_token: Duration::from_micros(100),
            ..Latency::default()
        };
    })
    .await;
    let body = chat(&[&"word ".repeat(1000)]);
    let mut times = Vec::new();
    for _ in 0..2 {
        let start = Instant::now();
        post(&account, CHAT, &body).await;
        times.push(start.elapsed());
    }
    assert!(times[0] >= Duration::from_millis(110), "{times:?}");
    assert!(times[1] < times[0] / 2, "{times:?}");
}

#[tokio::test]
async fn throttling_follows_the_seed() {
    let statuses = async |seed| {
        let account = start(|options| {
            options.seed = seed;
            options.throttle = Throttle {
                per_mille: 300,
                retry_after: Duration::from_millis(1500),
            };
        })
        .await;
        let mut statuses = Vec::new();
        for _ in 0..30 {
            let reply = post(&account, CHAT, &chat(&["hi"])).await;
            if reply.status == 429 {
                assert!(reply.head.contains("retry-after: 2"), "{}", reply.head);
            }
            statuses.push(reply.status);
        }
        assert_eq!(
            account.stats().throttled,
            statuses.iter().filter(|status| **status == 429).count() as u64
        );
        statuses
    };
    let first = statuses(7).await;
    assert!(first.contains(&200) && first.contains(&429));
    assert_eq!(first, statuses(7).await);
    assert_ne!(first, statuses(8).await);
}

#[tokio::test]
async fn account_that_is_down_refuses_and_comes_back_on_its_port() {
    let account = start(|_| {}).await;
    account.fail(Fault::Down).await;
    let refused = TcpStream::connect(account.address()).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::ConnectionRefused);
    account.heal().await;
    assert_eq!(post(&account, CHAT, &chat(&["hi"])).await.status, 200);
}

#[tokio::test]
async fn hanging_account_answers_nothing_and_counts_who_left() {
    let account = start(|_| {}).await;
    account.fail_times(Fault::Hang, 1).await;
    let body = chat(&["hi"]);
    let hanging = timeout(Duration::from_millis(100), post(&account, CHAT, &body)).await;
    assert!(hanging.is_err());
    assert_eq!(post(&account, CHAT, &body).await.status, 200);
    let left = timeout(Duration::from_secs(5), async {
        while account.stats().cancelled == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    left.await.unwrap();
    assert_eq!((account.stats().in_flight, account.stats().faulted), (0, 1));
}

#[tokio::test]
async fn broken_answers_end_in_an_error() {
    let account = start(|_| {}).await;
    account
        .fail_times(Fault::Reset { after_events: 3 }, 2)
        .await;
    for stream in [true, false] {
        let mut body = chat(&["hi"]);
        body["stream"] = json!(stream);
        let headers = "authorization: Bearer right\r\n";
        let broken = request(&account.base_url(), "POST", CHAT, headers, &body).await;
        match broken {
            Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset),
            Ok(reply) => panic!("answered in full: {}", reply.body),
        }
    }
    assert_eq!(account.stats().completed, 0);
}

#[tokio::test]
async fn conversations_bound_to_another_account_are_refused() {
    let (east, west) = (
        start(|_| {}).await,
        start(|options| options.name = "west".into()).await,
    );
    let mut body = json!({ "model": "m", "input": "hi" });
    body["include"] = json!(["reasoning.encrypted_content"]);
    let first = post(&east, "/v1/responses", &body).await.json();

    let next = json!({ "model": "m", "input": "on", "previous_response_id": first["id"] });
    assert_eq!(post(&east, "/v1/responses", &next).await.status, 200);
    let refused = post(&west, "/v1/responses", &next).await;
    assert_eq!(refused.status, 400);
    assert_eq!(
        refused.json()["error"]["code"],
        "previous_response_not_found"
    );

    let user = json!({ "role": "user", "content": "on" });
    let next = json!({ "model": "m", "input": [first["output"][0], user] });
    assert_eq!(post(&east, "/v1/responses", &next).await.status, 200);
    let refused = post(&west, "/v1/responses", &next).await;
    assert_eq!(refused.json()["error"]["code"], "invalid_encrypted_content");
}

#[tokio::test]
async fn tools_are_called_after_a_users_turn_only() {
    let account = start(|_| {}).await;
    let mut body = chat(&["weather?"]);
    body["tools"] = json!([{ "type": "function", "function": {
        "name": "weather",
        "parameters": {
            "type": "object",
            "properties": { "city": { "type": "string" } },
            "required": ["city"],
        },
    } }]);
    let called = post(&account, CHAT, &body).await.json();
    let message = called["choices"][0]["message"].clone();
    let arguments = message["tool_calls"][0]["function"]["arguments"]
        .as_str()
        .unwrap();
    assert!(serde_json::from_str::<Value>(arguments).unwrap()["city"].is_string());
    let id = message["tool_calls"][0]["id"].clone();
    let messages = body["messages"].as_array_mut().unwrap();
    messages.extend([
        message,
        json!({ "role": "tool", "tool_call_id": id, "content": "warm" }),
    ]);
    let told = post(&account, CHAT, &body).await.json();
    assert_eq!(told["choices"][0]["finish_reason"], "stop");
}

#[tokio::test]
async fn control_sets_faults_and_tells_counts() {
    let account = start(|_| {}).await;
    let (base_url, body) = (account.base_url(), chat(&["hi"]));
    let server = Control::start(vec![account], 0).await.unwrap();
    let control = server.base_url();
    let fault = json!({ "kind": "status", "status": 529, "times": 1 });
    let set = request(&control, "PUT", "/accounts/east/fault", "", &fault)
        .await
        .unwrap();
    assert_eq!(set.status, 200);
    let headers = "authorization: Bearer right\r\n";
    for status in [529, 200] {
        let reply = request(&base_url, "POST", CHAT, headers, &body)
            .await
            .unwrap();
        assert_eq!(reply.status, status);
    }
    let list = request(&control, "GET", "/accounts", "", &json!({}))
        .await
        .unwrap()
        .json();
    assert_eq!(list[0]["stats"]["faulted"], 1);
}

#[tokio::test]
async fn agents_talk_to_the_end_and_reuse_their_prompts() {
    let account = start(|_| {}).await;
    let shape = Shape {
        conversations: 2,
        arrivals: Duration::ZERO,
        requests: 4..=4,
        think: Duration::ZERO,
        system_tokens: 1100,
        opener_tokens: 200,
        round_tokens: 100,
        seed: 1,
    };
    for mut conversation in shape.conversations() {
        let mut calls = Vec::new();
        let mut uncached = Vec::new();
        loop {
            let mut headers = String::new();
            for (name, value) in conversation.headers("right") {
                headers += &format!("{name}: {value}\r\n");
            }
            let body = serde_json::from_str(&conversation.body()).unwrap();
            let path = conversation.path();
            let reply = request(&account.base_url(), "POST", path, &headers, &body)
                .await
                .unwrap();
            let mut listener = Listener::new(conversation.api());
            // Cut anywhere, here at every seventh byte.
            reply
                .body
                .as_bytes()
                .chunks(7)
                .for_each(|piece| listener.feed(piece));
            let heard = listener.finish().unwrap();
            calls.push(matches!(heard.said, Said::Call { .. }));
            uncached.push(heard.tokens.prompt - heard.tokens.cached);
            if conversation.answer(&heard.said).is_none() {
                break;
            }
        }
        assert_eq!(calls, [true, false, true, false]);
        assert!(
            uncached[1..].iter().all(|&tokens| tokens < 700),
            "{uncached:?}"
        );
    }
    let stats = account.stats();
    assert_eq!((stats.completed, stats.cancelled), (8, 0));
}
