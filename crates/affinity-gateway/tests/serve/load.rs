//! Many at once, and the end of it.

use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Frame;
use serde_json::json;
use tokio::net::TcpStream;

use crate::harness::{Caller, Talk, Upstream, event_stream, eventually, gateway, numbered, over};

/// Streams a few pieces with pauses between.
async fn streaming() -> Upstream {
    Upstream::start(|_, _| async {
        let (mut sender, response) = event_stream();
        tokio::spawn(async move {
            for i in 0..5 {
                let piece = Bytes::from(format!("data: {i}\n\n"));
                if sender.send(Frame::data(piece)).await.is_err() {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(40)).await;
            }
        });
        response
    })
    .await
}

const STREAMS: usize = 1000;

const WHOLE: &str = "data: 0\n\ndata: 1\n\ndata: 2\n\ndata: 3\n\ndata: 4\n\n";

fn open_descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_streams_at_once_lose_nothing_and_leak_nothing() {
    // Both ends of both connections of each stream are in this process.
    rlimit::increase_nofile_limit(u64::MAX).unwrap();
    let upstreams = [streaming().await, streaming().await, streaming().await];
    let running = gateway(numbered(&upstreams), |_| {}).await;
    let before = open_descriptors();
    let calls: Vec<_> = (0..STREAMS)
        .map(|i| {
            let caller = Caller::of(&running);
            tokio::spawn(async move {
                let mut body = Talk::new(&format!("talk {i}")).chat();
                body["stream"] = json!(true);
                let answer = caller.open("/v1/chat/completions", &body).await;
                answer.into_body().collect().await.unwrap().to_bytes()
            })
        })
        .collect();
    for call in calls {
        assert_eq!(call.await.unwrap(), WHOLE);
    }
    let admin = Caller::at(running.admin_addr.unwrap());
    let listed = admin.get("/affinity/channels").await.body;
    let listed: serde_json::Value = serde_json::from_slice(&listed).unwrap();
    assert!(
        listed
            .as_array()
            .unwrap()
            .iter()
            .all(|c| c["in_flight"] == 0)
    );
    assert_eq!(
        upstreams.iter().map(Upstream::count).sum::<usize>(),
        STREAMS
    );
    drop(running);
    // The tests beside this one have some descriptors too, but not one for each of so many streams.
    eventually("all connections are closed", || {
        open_descriptors() < before + STREAMS / 10
    })
    .await;
}

#[tokio::test]
async fn a_shutdown_lets_streams_end_and_takes_no_more() {
    let upstream = streaming().await;
    let running = over(std::slice::from_ref(&upstream)).await;
    let addr = running.addr;
    let calls: Vec<_> = (0..20)
        .map(|i| {
            let caller = Caller::at(addr);
            tokio::spawn(async move {
                let answer = caller
                    .open("/v1/chat/completions", &Talk::new(&format!("{i}")).chat())
                    .await;
                answer.into_body().collect().await.unwrap().to_bytes()
            })
        })
        .collect();
    eventually("all are under way", || upstream.count() == 20).await;
    running.shutdown().await;
    for call in calls {
        assert_eq!(call.await.unwrap(), WHOLE);
    }
    assert!(TcpStream::connect(addr).await.is_err());
}

#[tokio::test]
async fn a_shutdown_waits_no_longer_than_it_was_given() {
    let endless = Upstream::start(|_, _| async {
        let (mut sender, response) = event_stream();
        tokio::spawn(async move {
            while sender
                .send(Frame::data(Bytes::from_static(b"data: x\n\n")))
                .await
                .is_ok()
            {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        });
        response
    })
    .await;
    let running = gateway([endless.channel("a")], |config| {
        config.server.shutdown_grace = Duration::from_millis(200);
    })
    .await;
    let answer = Caller::of(&running)
        .open("/v1/chat/completions", &Talk::new("hi").chat())
        .await;
    let started = std::time::Instant::now();
    running.shutdown().await;
    assert!((200..2000).contains(&started.elapsed().as_millis()));
    assert!(
        answer.into_body().collect().await.is_err(),
        "cut, not ended"
    );
}

#[tokio::test]
async fn others_are_answered_while_a_large_body_is_read() {
    // One thread for everything that waits: whoever read the body on it would stop it.
    let running = over(&[Upstream::good().await]).await;
    let caller = Caller::of(&running);
    let message = r#"{"role":"user","content":"x"},"#;
    let messages = message.repeat((8 << 20) / message.len());
    let large = format!(
        r#"{{"model":"m","messages":[{}]}}"#,
        messages.trim_end_matches(',')
    );
    let sender = caller.clone();
    let read = tokio::spawn(async move {
        sender
            .send(http::Method::POST, "/v1/chat/completions", large)
            .await
    });
    let (mut answered, mut slowest) = (0, Duration::ZERO);
    let began = Instant::now();
    while !read.is_finished() {
        let asked = Instant::now();
        assert_eq!(caller.chat(&Talk::new("hi")).await.status, 200);
        slowest = slowest.max(asked.elapsed());
        answered += 1;
    }
    let took = began.elapsed();
    let answer = read.await.unwrap();
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("x-affinity-source"), Some("opener"));
    assert!(
        answered >= 10 && slowest < took / 2,
        "{answered} in {took:?}, the slowest in {slowest:?}"
    );
}

#[tokio::test]
async fn connections_over_the_limit_wait_for_a_place() {
    let running = gateway([Upstream::good().await.channel("a")], |config| {
        config.limits.connections = 1;
    })
    .await;
    let held = TcpStream::connect(running.addr).await.unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    let caller = Caller::of(&running);
    let waiting = tokio::spawn(async move { caller.chat(&Talk::new("hi")).await });
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(!waiting.is_finished());
    drop(held);
    assert_eq!(waiting.await.unwrap().status, 200);
}
