//! The log says of each request who ended it.

use std::future::pending;
use std::sync::Arc;

use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::Notify;

use crate::harness::{Caller, Talk, Upstream, event_stream, piece, send};
use crate::program::{Program, config};

const CHAT: &str = "/v1/chat/completions";

/// An upstream that begins each answer and never ends it; or does not even begin.
async fn endless() -> Upstream {
    Upstream::start(|_, got| async move {
        if got.body.windows(6).any(|w| w == b"silent") {
            pending::<()>().await;
        }
        let (mut sender, response) = event_stream();
        send(&mut sender, "data: x\n\n").await;
        tokio::spawn(async move {
            pending::<()>().await;
            drop(sender);
        });
        response
    })
    .await
}

fn outcome(name: &str) -> String {
    format!("\"outcome\":\"{name}\"")
}

#[tokio::test]
async fn whom_the_gateway_cut_did_not_leave() {
    let upstream = endless().await;
    let graceless =
        config(&[("one", &upstream)]).replace("[log]", "shutdown_grace = \"300ms\"\n[log]");
    let mut program = Program::serve(&graceless);
    let addr = program.addr().await;
    let caller = Caller::at(addr);
    let talk = Talk::new("hi").chat();

    drop(caller.open(CHAT, &talk).await);
    program.wait_for(&outcome("client-left")).await;

    let _http1 = caller.open(CHAT, &talk).await;
    let request = caller.request(http::Method::POST, CHAT, talk.to_string());
    let http2 = Client::builder(TokioExecutor::new())
        .http2_only(true)
        .build_http();
    let _http2 = http2.request(request).await.unwrap();
    let (silent, asked) = (Talk::new("silent").chat(), upstream.count());
    let waiting = Caller::at(addr);
    tokio::spawn(async move { waiting.open(CHAT, &silent).await });
    crate::harness::eventually("the third is sent", || upstream.count() > asked).await;

    program.signal("-TERM");
    program.wait_for("they are cut off").await;
    assert_eq!(program.exit_code().await, Some(0));
    let ended = |name| program.log().matches(&outcome(name)).count();
    crate::harness::eventually("three are cut", || ended("gateway-cut") == 3).await;
    assert_eq!(ended("client-left"), 1, "{}", program.log());
}

#[tokio::test]
async fn a_refusal_is_complete_once_it_is_through() {
    let half_is_there = Arc::new(Notify::new());
    let seen = Arc::clone(&half_is_there);
    let upstream = Upstream::raw(move |mut stream| {
        let seen = Arc::clone(&seen);
        async move {
            let mut request = vec![0; 4096];
            let read = stream.read(&mut request).await.unwrap_or(0);
            let refusal = "HTTP/1.1 429 Too Many Requests\r\ncontent-length: 8\r\n\r\nhalf";
            let _ = stream.write_all(refusal.as_bytes()).await;
            seen.notified().await;
            let asks = |what: &[u8]| request[..read].windows(what.len()).any(|w| w == what);
            if asks(b"whole") {
                let _ = stream.write_all(b"half").await;
            } else if asks(b"endless") {
                pending::<()>().await;
            }
        }
    })
    .await;
    let program = Program::serve(&config(&[("one", &upstream)]));
    let caller = Caller::at(program.addr().await);
    for (asked, expected) in [
        ("whole", "complete"),
        ("cut", "upstream-cut"),
        ("endless", "client-left"),
    ] {
        let mut answer = caller.open(CHAT, &Talk::new(asked).chat()).await;
        assert_eq!(answer.status(), 429);
        assert!(piece(answer.body_mut()).await.unwrap().is_ok());
        half_is_there.notify_one();
        if expected != "client-left" {
            while let Some(Ok(_)) = piece(answer.body_mut()).await {}
        }
        drop(answer);
        program.wait_for(&outcome(expected)).await;
    }
    let log = program.log();
    assert_eq!(log.matches("\"outcome\"").count(), 3, "{log}");
}
