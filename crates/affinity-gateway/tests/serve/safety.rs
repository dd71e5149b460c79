//! What is refused, and what never crosses the gateway.

use std::net::SocketAddr;
use std::time::Duration;

use affinity_gateway::config::{Client, Dialect, Expose, Secret, TokenHash};
use affinity_gateway::serve::Running;
use http::Method;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::harness::{Caller, Talk, Upstream, gateway, json_response, over};

/// Sends these bytes and reads until the gateway closes, or `patience` is over.
async fn raw(running: &Running, bytes: &str, patience: Duration) -> String {
    raw_at(running.addr, bytes, patience).await
}

async fn raw_at(addr: SocketAddr, bytes: &str, patience: Duration) -> String {
    let mut stream = TcpStream::connect(addr).await.unwrap();
    stream.write_all(bytes.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let _ = tokio::time::timeout(patience, stream.read_to_end(&mut answer)).await;
    String::from_utf8_lossy(&answer).into_owned()
}

const SOON: Duration = Duration::from_millis(300);

#[tokio::test]
async fn credentials_stay_on_their_side() {
    let upstream = Upstream::start(|_, _| async {
        let mut response = json_response(200, &json!({}));
        for (name, value) in [
            ("set-cookie", "session=upstream"),
            ("x-affinity-channel", "forged"),
            ("x-request-id", "theirs"),
            ("alt-svc", "h3=\":443\""),
        ] {
            response.headers_mut().insert(name, value.parse().unwrap());
        }
        response
    })
    .await;
    let mut channel = upstream.channel("acct");
    channel.key = Secret::new("sk-upstream");
    let running = gateway([channel], |config| {
        config.clients = vec![Client {
            token_sha256: TokenHash::of(b"sk-client"),
            tenant: "t".into(),
        }];
    })
    .await;
    let cases = [
        (
            "/v1/chat/completions",
            "authorization",
            "Bearer sk-client",
            "authorization",
            "Bearer sk-upstream",
        ),
        (
            "/v1/messages",
            "x-api-key",
            "sk-client",
            "x-api-key",
            "sk-upstream",
        ),
        (
            "/v1beta/models/m:generateContent",
            "x-goog-api-key",
            "sk-client",
            "x-goog-api-key",
            "sk-upstream",
        ),
    ];
    for (path, name, value, upstream_name, upstream_value) in cases {
        let caller = Caller::of(&running)
            .with(name, value)
            .with("cookie", "a=b")
            .with("x-affinity-note", "mine")
            .with("connection", "x-hop")
            .with("x-hop", "1")
            .with("anthropic-version", "2023-06-01");
        let body = json!({
            "model": "m",
            "messages": [{"role": "user", "content": "hi"}],
            "contents": [{"parts": [{"text": "hi"}]}],
        });
        let answer = caller.post(path, &body).await;
        assert_eq!(answer.status, 200, "{path}");
        let got = upstream.got().pop().unwrap();
        assert_eq!(got.header(upstream_name), Some(upstream_value));
        for gone in ["cookie", "x-affinity-note", "x-hop"] {
            assert_eq!(got.header(gone), None, "{gone}");
        }
        assert_eq!(got.header("anthropic-version"), Some("2023-06-01"));
        assert_eq!(got.header("host"), Some(&*upstream.addr.to_string()));
        assert!(!format!("{got:?}").contains("sk-client"));
        assert_eq!(answer.channel(), "acct");
        assert_eq!(answer.header("set-cookie"), None);
        assert_eq!(answer.header("alt-svc"), None);
        assert_ne!(answer.header("x-request-id"), Some("theirs"));
        assert_eq!(
            answer.header("x-affinity-upstream-request-id"),
            Some("theirs")
        );
        assert!(!format!("{answer:?}").contains("sk-"));
    }
    let query = "/v1beta/models/m:generateContent?key=sk-client&alt=sse";
    let contents = json!({"contents": [{"parts": [{"text": "hi"}]}]});
    assert_eq!(
        Caller::of(&running).post(query, &contents).await.status,
        200
    );
    assert_eq!(
        upstream.got().pop().unwrap().uri,
        "/v1beta/models/m:generateContent?alt=sse"
    );
}

#[tokio::test]
async fn nobody_unknown_gets_through() {
    let upstream = Upstream::good().await;
    let running = gateway([upstream.channel("acct")], |config| {
        config.clients = vec![Client {
            token_sha256: TokenHash::of(b"right"),
            tenant: "t".into(),
        }];
    })
    .await;
    let talk = Talk::new("hi");
    assert_eq!(Caller::of(&running).chat(&talk).await.status, 401);
    for token in ["Bearer wrong", "Bearer ", "right2", "Basic right"] {
        let caller = Caller::of(&running).with("authorization", token);
        let answer = caller.chat(&talk).await;
        assert_eq!(answer.status, 401, "{token}");
        let error: serde_json::Value = serde_json::from_slice(&answer.body).unwrap();
        assert_eq!(error["error"]["type"], "authentication_error");
    }
    assert_eq!(upstream.count(), 0);
    let caller = Caller::of(&running).with("authorization", "bearer right");
    assert_eq!(caller.chat(&talk).await.status, 200);
}

#[tokio::test]
async fn what_others_stored_at_an_account_is_not_shown() {
    let upstream = Upstream::good().await;
    let running = over(std::slice::from_ref(&upstream)).await;
    let caller = Caller::of(&running);
    for path in [
        "/v1/files",
        "/v1/responses/resp_1",
        "/v1/messages/batches",
        "/v1/organization/users",
        "/",
        "/metrics",
    ] {
        assert_eq!(caller.get(path).await.status, 404, "{path}");
    }
    assert_eq!(
        caller.send(Method::DELETE, "/v1/models/m", "").await.status,
        404
    );
    // Nor by a body that looks like a conversation.
    let conversation = Talk::new("hi").chat();
    for path in [
        "/v1/organization/admin_api_keys",
        "/v1/responses/resp_1/cancel",
        "/v1/fine_tuning/jobs",
        "/v1/threads/t/runs",
        "/v1beta/models/m:batchGenerateContent",
    ] {
        let answer = caller.post(path, &conversation).await;
        assert_eq!(answer.status, 404, "{path}");
    }
    assert_eq!(upstream.count(), 0);
    assert_eq!(caller.get("/v1/models").await.status, 200);
    assert_eq!(caller.get("/v1/models/gpt-4o").await.status, 200);
    assert_eq!(
        caller
            .post("/v1/embeddings", &json!({"input": "x"}))
            .await
            .status,
        200
    );
    assert_eq!(
        caller
            .post("/v1/messages/count_tokens", &json!({"messages": []}))
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn everything_is_shown_when_told_so() {
    let upstream = Upstream::good().await;
    let running = gateway([upstream.channel("acct")], |config| {
        config.server.expose = Expose::Everything;
    })
    .await;
    assert_eq!(Caller::of(&running).get("/v1/files").await.status, 200);
}

#[tokio::test]
async fn a_request_with_both_lengths_is_refused() {
    let upstream = Upstream::good().await;
    let running = over(std::slice::from_ref(&upstream)).await;
    let body = Talk::new("hi").chat().to_string();
    let chunk = format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
    for lengths in [
        "Content-Length: 4\r\nTransfer-Encoding: chunked",
        "transfer-encoding: chunked\r\ncontent-length:4",
    ] {
        let request = format!(
            "POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\n{lengths}\r\n\r\n{chunk}GET /smuggled HTTP/1.1\r\n\r\n"
        );
        let answer = raw(&running, &request, SOON).await;
        assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
        assert_eq!(answer.matches("HTTP/1.1").count(), 1, "the connection ends");
    }
    assert_eq!(upstream.count(), 0);
    // The second request on a connection too.
    let good = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let both = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n{chunk}"
    );
    let answer = raw(&running, &format!("{good}{both}"), SOON).await;
    assert!(
        answer.starts_with("HTTP/1.1 200") && answer.contains("HTTP/1.1 400"),
        "{answer}"
    );
    assert_eq!(upstream.count(), 1);
}

#[tokio::test]
async fn chunked_alone_is_served() {
    let upstream = Upstream::good().await;
    let running = over(std::slice::from_ref(&upstream)).await;
    let body = Talk::new("hi").chat().to_string();
    let (head, tail) = body.split_at(20);
    let request = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n{:x}\r\n{head}\r\n{:x}\r\n{tail}\r\n0\r\n\r\n",
        head.len(),
        tail.len()
    );
    assert!(
        raw(&running, &request, SOON)
            .await
            .starts_with("HTTP/1.1 200")
    );
    let got = &upstream.got()[0];
    assert_eq!(got.body, body);
    assert_eq!(got.header("content-length"), Some(&*body.len().to_string()));
    assert_eq!(got.header("transfer-encoding"), None);
}

#[tokio::test]
async fn malformed_requests_are_refused() {
    let upstream = Upstream::good().await;
    let running = over(std::slice::from_ref(&upstream)).await;
    for request in [
        "POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: 4\r\ncontent-length: 5\r\n\r\nabcd",
        "POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: +4\r\n\r\nabcd",
        "POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nabcd\r\n",
        "POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: identity\r\n\r\n",
        "POST /v1/messages HTTP/1.1\r\nhost : x\r\n\r\n",
        "POST /v1/../x/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n",
        "POST /v1%0d%0aX:y/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n",
        "NONSENSE\r\n\r\n",
    ] {
        let answer = raw(&running, request, SOON).await;
        assert!(
            answer.starts_with("HTTP/1.1 400"),
            "{request:?} got {answer:?}"
        );
    }
    assert_eq!(upstream.count(), 0);
    let answer = raw(
        &running,
        "TRACE /v1/models HTTP/1.1\r\nhost: localhost\r\n\r\n",
        SOON,
    )
    .await;
    assert!(answer.starts_with("HTTP/1.1 405"), "{answer}");
}

#[tokio::test]
async fn web_pages_do_not_reach_a_gateway_that_is_open_to_its_machine() {
    let upstream = Upstream::good().await;
    let running = over(std::slice::from_ref(&upstream)).await;
    let page = "\r\norigin: https://evil.example";
    let app = "\r\norigin: http://localhost:3000";
    for (host, more, status) in [
        ("localhost", page, 403),
        ("evil.example", "", 403),
        ("evil.example", app, 403),
        ("localhost", app, 200),
        ("127.0.0.1:8080", "", 200),
    ] {
        let request = format!(
            "POST /v1/chat/completions HTTP/1.1\r\nhost: {host}{more}\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{{}}"
        );
        let answer = raw(&running, &request, SOON).await;
        let expected = format!("HTTP/1.1 {status}");
        assert!(answer.starts_with(&expected), "{host}{more} got {answer:?}");
        assert_eq!(status == 403, answer.contains("[[clients]]"));
    }
    assert_eq!(upstream.count(), 2);
}

#[tokio::test]
async fn a_gateway_with_clients_may_have_any_name() {
    let upstream = Upstream::good().await;
    let running = gateway([upstream.channel("acct")], |config| {
        config.clients = vec![Client {
            token_sha256: TokenHash::of(b"sk-client"),
            tenant: "t".into(),
        }];
    })
    .await;
    let request = "GET /v1/models HTTP/1.1\r\nhost: gateway.example\r\norigin: https://app.example\r\nauthorization: Bearer sk-client\r\nconnection: close\r\n\r\n";
    let answer = raw(&running, request, SOON).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[tokio::test]
async fn a_model_that_is_no_name_is_refused() {
    let upstream = Upstream::good().await;
    let running = over(std::slice::from_ref(&upstream)).await;
    let mut body = Talk::new("hi").chat();
    body["model"] = json!("m\r\nhost: evil");
    let answer = Caller::of(&running)
        .post("/v1/chat/completions", &body)
        .await;
    assert_eq!(answer.status, 400);
    assert_eq!(upstream.count(), 0);
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused_however_it_is_sent() {
    let upstream = Upstream::good().await;
    let running = gateway([upstream.channel("acct")], |config| {
        config.limits.body = "100KiB".parse().unwrap();
    })
    .await;
    let caller = Caller::of(&running);
    let answer = caller
        .send(Method::POST, "/v1/messages", vec![b'x'; 200 << 10])
        .await;
    assert_eq!(answer.status, 413);
    let head =
        "POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n";
    let chunk = format!("c000\r\n{}\r\n", "x".repeat(0xc000));
    let answer = raw(&running, &format!("{head}{}", chunk.repeat(3)), SOON).await;
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
    assert_eq!(upstream.count(), 0);
}

#[tokio::test]
async fn clients_that_dawdle_are_cut_off() {
    let upstream = Upstream::good().await;
    let running = gateway([upstream.channel("acct")], |config| {
        config.limits.head_timeout = Duration::from_millis(150);
        config.limits.body_timeout = Duration::from_millis(150);
    })
    .await;
    let started = std::time::Instant::now();
    for opening in ["", "PRI * HT"] {
        assert_eq!(raw(&running, opening, 20 * SOON).await, "");
    }
    let head = raw(
        &running,
        "POST /v1/messages HTTP/1.1\r\nhost: localhost\r\n",
        20 * SOON,
    );
    let body = raw(
        &running,
        "POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\nabc",
        20 * SOON,
    );
    let (_, body) = tokio::join!(head, body);
    assert!(body.starts_with("HTTP/1.1 408"), "{body}");
    assert!(started.elapsed() < 10 * SOON);
    assert_eq!(upstream.count(), 0);
}

#[tokio::test]
async fn the_admin_listener_is_limited_alike() {
    let running = gateway([Upstream::good().await.channel("acct")], |config| {
        config.limits.head_timeout = Duration::from_millis(150);
        config.limits.headers = 20;
    })
    .await;
    let admin = running.admin_addr.unwrap();
    let started = std::time::Instant::now();
    for opening in ["", "GET /healthz HTTP/1.1\r\nhost: localhost\r\n"] {
        let answer = raw_at(admin, opening, 20 * SOON).await;
        assert!(!answer.contains(" 200 "), "{answer}");
    }
    assert!(started.elapsed() < 10 * SOON);
    let many: String = (0..30).map(|i| format!("x-{i}: y\r\n")).collect();
    let request = format!("GET /healthz HTTP/1.1\r\nhost: localhost\r\n{many}\r\n");
    let answer = raw_at(admin, &request, SOON).await;
    assert!(answer.starts_with("HTTP/1.1 431"), "{answer}");
}

#[tokio::test]
async fn web_pages_do_not_reach_an_admin_listener_without_a_token() {
    let running = over(&[Upstream::good().await]).await;
    let admin = running.admin_addr.unwrap();
    for (host, status) in [("evil.example", 403), ("localhost", 200)] {
        let request = format!("GET /metrics HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
        let answer = raw_at(admin, &request, SOON).await;
        let expected = format!("HTTP/1.1 {status}");
        assert!(answer.starts_with(&expected), "{host} got {answer:?}");
    }
}

#[tokio::test]
async fn too_large_a_head_is_refused() {
    let running = over(&[Upstream::good().await]).await;
    let many: String = (0..200).map(|i| format!("x-{i}: y\r\n")).collect();
    let long = format!("x: {}\r\n", "y".repeat(80 << 10));
    for headers in [many, long] {
        let request = format!("GET /v1/models HTTP/1.1\r\nhost: localhost\r\n{headers}\r\n");
        let answer = raw(&running, &request, SOON).await;
        assert!(answer.starts_with("HTTP/1.1 431"), "{answer}");
    }
}

#[tokio::test]
async fn a_key_goes_in_the_header_that_the_account_wants() {
    let upstream = Upstream::good().await;
    let mut channel = upstream.channel("azure");
    channel.dialects = vec![Dialect::OpenaiChat];
    channel.key = Secret::new("sk-azure");
    channel.auth = Some(affinity_gateway::config::AuthHeader::ApiKey);
    let running = gateway([channel], |_| {}).await;
    Caller::of(&running).chat(&Talk::new("hi")).await;
    let got = &upstream.got()[0];
    assert_eq!(got.header("api-key"), Some("sk-azure"));
    assert_eq!(got.header("authorization"), None);
}
