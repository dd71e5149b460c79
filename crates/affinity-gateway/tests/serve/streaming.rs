//! Answers pass byte for byte, as they come and no faster than they are taken.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use affinity_gateway::config::Config;
use affinity_gateway::serve::Running;
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Frame, Incoming};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::{Mutex, mpsc};

use crate::harness::{
    Caller, Talk, Upstream, event_stream, eventually, gateway, over, piece, send,
};

/// An upstream that hands each stream's sender to the test.
async fn handing_over() -> (Upstream, mpsc::UnboundedReceiver<crate::harness::Sender>) {
    let (senders, received) = mpsc::unbounded_channel();
    let upstream = Upstream::start(move |_, _| {
        let (sender, response) = event_stream();
        senders.send(sender).unwrap();
        std::future::ready(response)
    })
    .await;
    (upstream, received)
}

/// A request that is being answered by such an upstream.
struct Handed {
    senders: mpsc::UnboundedReceiver<crate::harness::Sender>,
    running: Running,
}

impl Handed {
    async fn with(change: impl FnOnce(&mut Config)) -> Self {
        let (upstream, senders) = handing_over().await;
        let running = gateway([upstream.channel("a")], change).await;
        Self { senders, running }
    }

    /// An answer whose first piece, `data: one`, has arrived, and the end that sends the rest.
    async fn begin(&mut self) -> (crate::harness::Sender, http::Response<Incoming>) {
        let caller = Caller::of(&self.running);
        let call =
            tokio::spawn(async move { caller.open("/v1/chat/completions", &streamed()).await });
        let mut sender = self.senders.recv().await.unwrap();
        send(&mut sender, "data: one\n\n").await;
        (sender, call.await.unwrap())
    }
}

fn streamed() -> serde_json::Value {
    let mut body = Talk::new("hi").chat();
    body["stream"] = json!(true);
    body
}

#[tokio::test]
async fn each_piece_passes_before_the_next_is_sent() {
    let mut handed = Handed::with(|_| {}).await;
    let (mut sender, mut answer) = handed.begin().await;
    assert_eq!(answer.headers()["content-type"], "text/event-stream");
    let body = answer.body_mut();
    assert_eq!(piece(body).await.unwrap().unwrap(), "data: one\n\n");
    for text in [": ping\n\n", "data: {\"a\":", " \u{1f}\r\n", "data: [DONE]"] {
        send(&mut sender, text).await;
        assert_eq!(piece(body).await.unwrap().unwrap(), text);
    }
    drop(sender);
    assert!(piece(body).await.is_none());
}

#[tokio::test]
async fn a_client_that_leaves_cancels_the_upstream() {
    let mut handed = Handed::with(|_| {}).await;
    let (mut sender, answer) = handed.begin().await;
    drop(answer);
    let gone = async {
        while sender
            .send(Frame::data(Bytes::from_static(b"data: more\n\n")))
            .await
            .is_ok()
        {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(5), gone)
        .await
        .expect("cancelled");
}

#[tokio::test]
async fn a_client_that_leaves_before_the_first_byte_cancels_the_upstream() {
    let open = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&open);
    let upstream = Upstream::raw(move |stream| {
        let counted = Arc::clone(&counted);
        async move {
            counted.fetch_add(1, Ordering::Relaxed);
            let mut buffer = vec![0; 65536];
            while stream.readable().await.is_ok() {
                match stream.try_read(&mut buffer) {
                    Ok(0) => break,
                    Ok(_) => {}
                    Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => {}
                    Err(_) => break,
                }
            }
            counted.fetch_sub(1, Ordering::Relaxed);
        }
    })
    .await;
    let running = over(&[upstream]).await;
    let caller = Caller::of(&running);
    let call = tokio::spawn(async move { caller.chat(&Talk::new("hi")).await });
    eventually("the upstream is asked", || {
        open.load(Ordering::Relaxed) == 1
    })
    .await;
    call.abort();
    eventually("the upstream is let go", || {
        open.load(Ordering::Relaxed) == 0
    })
    .await;
}

#[tokio::test]
async fn a_client_that_does_not_read_holds_the_upstream_back() {
    let sent = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&sent);
    let upstream = Upstream::start(move |_, _| {
        let (mut sender, response) = event_stream();
        let counted = Arc::clone(&counted);
        tokio::spawn(async move {
            let data = Bytes::from(vec![b'x'; 64 << 10]);
            while sender.send(Frame::data(data.clone())).await.is_ok() {
                counted.fetch_add(data.len(), Ordering::Relaxed);
            }
        });
        std::future::ready(response)
    })
    .await;
    let running = over(&[upstream]).await;
    let mut answer = Caller::of(&running)
        .open("/v1/chat/completions", &streamed())
        .await;
    let mut last = 0;
    // Until the buffers on the way are full.
    for still in 0..2 {
        while last != sent.load(Ordering::Relaxed) || last == 0 {
            last = sent.load(Ordering::Relaxed);
            tokio::time::sleep(Duration::from_millis(100 + 100 * still)).await;
        }
    }
    assert!(last < 64 << 20, "{last} bytes without a reader");
    let mut taken = 0;
    while taken < last + (8 << 20) {
        taken += piece(answer.body_mut()).await.unwrap().unwrap().len();
    }
}

fn impatient(config: &mut Config) {
    config.limits.idle_timeout = Duration::from_millis(100);
}

#[tokio::test]
async fn an_upstream_that_stalls_in_the_middle_is_cut_off() {
    let mut handed = Handed::with(impatient).await;
    let (sender, mut answer) = handed.begin().await;
    assert!(piece(answer.body_mut()).await.unwrap().is_ok());
    assert!(
        piece(answer.body_mut()).await.unwrap().is_err(),
        "cut, not ended"
    );
    drop(sender);
}

#[tokio::test]
async fn a_refusal_that_stalls_is_cut_off_too() {
    let upstream = Upstream::raw(|mut stream| async move {
        let mut head = [0; 1024];
        let _ = stream.read(&mut head).await;
        let refusal = "HTTP/1.1 429 Too Many Requests\r\ncontent-length: 9\r\n\r\nsome";
        stream.write_all(refusal.as_bytes()).await.unwrap();
        std::future::pending::<()>().await;
    })
    .await;
    let running = gateway([upstream.channel("a")], impatient).await;
    let caller = Caller::of(&running);
    let mut answer = caller.open("/v1/chat/completions", &streamed()).await;
    assert_eq!(answer.status(), 429);
    assert!(piece(answer.body_mut()).await.unwrap().is_ok());
    assert!(piece(answer.body_mut()).await.unwrap().is_err());
}

#[tokio::test]
async fn bytes_are_the_same_on_both_sides() {
    let data: Bytes = (0..3_000_000_u32)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect();
    let echoed = Arc::new(Mutex::new(Bytes::new()));
    let kept = Arc::clone(&echoed);
    let upstream = Upstream::start(move |_, got| {
        let kept = Arc::clone(&kept);
        async move {
            *kept.lock().await = got.body.clone();
            http::Response::new(crate::harness::full(got.body))
        }
    })
    .await;
    let running = over(&[upstream]).await;
    let caller = Caller::of(&running);
    let mut body = br#"{"model":"m","messages":[{"role":"user","content":"x"}],"pad":""#.to_vec();
    body.extend(data.iter().map(|b| b'a' + b % 26));
    body.extend(b"\"}");
    let answer = caller
        .send(http::Method::POST, "/v1/chat/completions", body.clone())
        .await;
    assert_eq!(*echoed.lock().await, body);
    assert_eq!(answer.body, body);
    assert_eq!(
        answer.header("content-length"),
        Some(&*body.len().to_string())
    );
}

#[tokio::test]
async fn an_answer_without_a_body_passes() {
    let upstream = Upstream::start(|_, _| async {
        let mut response = http::Response::new(crate::harness::full(""));
        *response.status_mut() = http::StatusCode::NO_CONTENT;
        response
    })
    .await;
    let running = over(&[upstream]).await;
    let mut answer = Caller::of(&running)
        .open("/v1/chat/completions", &Talk::new("hi").chat())
        .await;
    assert_eq!(answer.status(), 204);
    assert!(answer.body_mut().frame().await.is_none());
}
