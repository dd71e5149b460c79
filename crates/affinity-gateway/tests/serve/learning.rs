//! What answers say about the cache is counted.

use serde_json::json;

use crate::harness::{Caller, Talk, Upstream, eventually, metric, over};

#[tokio::test]
async fn usage_of_answers_and_of_streams_is_counted() {
    let json = Upstream::json(
        200,
        json!({"usage": {"prompt_tokens": 100, "prompt_tokens_details": {"cached_tokens": 60}}}),
    )
    .await;
    let stream = Upstream::start(|_, _| async {
        let event = json!({"type": "message_start", "message": {"usage": {
            "input_tokens": 10, "cache_read_input_tokens": 70, "cache_creation_input_tokens": 20,
        }}});
        let body =
            format!("event: message_start\ndata: {event}\n\nevent: message_stop\ndata: {{}}\n\n");
        http::Response::builder()
            .header("content-type", "text/event-stream")
            .body(crate::harness::full(body))
            .unwrap()
    })
    .await;
    for (upstream, written) in [(json, 0.0), (stream, 20.0)] {
        let running = over(&[upstream]).await;
        let admin = Caller::at(running.admin_addr.unwrap());
        Caller::of(&running).chat(&Talk::new("hi")).await;
        let mut cached = None;
        for _ in 0..100 {
            cached = metric(&admin, "affinity_cached_tokens_total{channel=\"acct-0\"}").await;
            if cached.is_some() {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        assert_eq!(cached, Some(if written > 0.0 { 70.0 } else { 60.0 }));
        let prompt = metric(&admin, "affinity_prompt_tokens_total{channel=\"acct-0\"}").await;
        assert_eq!(prompt, Some(100.0));
        let wrote = metric(
            &admin,
            "affinity_cache_written_tokens_total{channel=\"acct-0\"}",
        )
        .await;
        assert_eq!(wrote, Some(written));
    }
}

#[tokio::test]
async fn decisions_failovers_and_requests_are_counted() {
    let upstreams = [Upstream::json(500, json!({})).await, Upstream::good().await];
    let running = over(&upstreams).await;
    let admin = Caller::at(running.admin_addr.unwrap());
    let mut talk = Talk::at_home_with(0, 2);
    Caller::of(&running).chat(&talk).await;
    Caller::of(&running).chat(talk.turn()).await;
    eventually("both requests are through", || upstreams[1].count() == 2).await;
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    for (line, value) in [
        (
            "affinity_decisions_total{demoted=\"no\",source=\"opener\"}",
            1.0,
        ),
        (
            "affinity_decisions_total{demoted=\"no\",source=\"memory\"}",
            1.0,
        ),
        (
            "affinity_failovers_total{channel=\"acct-0\",reason=\"server-error\"}",
            1.0,
        ),
        (
            "affinity_requests_total{channel=\"acct-1\",dialect=\"openai-chat\",status=\"200\"}",
            2.0,
        ),
        ("affinity_memories", 2.0),
        ("affinity_table_hits_total", 1.0),
        ("affinity_in_flight{channel=\"acct-1\"}", 0.0),
    ] {
        assert_eq!(metric(&admin, line).await, Some(value), "{line}");
    }
}
