//! Which failures move a request to the next account, and which must not.

use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::harness::{
    Caller, Talk, Upstream, event_stream, gateway, json_response, numbered, over, piece, send,
};

/// Accounts where the first is as given and the second works.
async fn with_spare(first: Upstream) -> [Upstream; 2] {
    [first, Upstream::good().await]
}

/// Asserts that a conversation at home with the first account moves to the second and stays.
async fn moves_and_stays(upstreams: &[Upstream; 2]) {
    let running = gateway(numbered(upstreams), |config| {
        config.limits.answer_timeout = Duration::from_millis(150);
        config.failover.cooldown = Duration::ZERO;
    })
    .await;
    let caller = Caller::of(&running);
    let mut talk = Talk::at_home_with(0, 2);
    let first = caller.chat(&talk).await;
    assert_eq!((first.status.as_u16(), first.account()), (200, 1));
    assert_eq!(first.header("x-affinity-source"), Some("opener"));
    let second = caller.chat(talk.turn()).await;
    assert_eq!((second.status.as_u16(), second.account()), (200, 1));
    assert_eq!(second.header("x-affinity-source"), Some("memory"));
    assert_eq!(second.header("x-affinity-depth"), Some("2/4"));
}

#[tokio::test]
async fn an_account_that_is_down_is_passed_over_and_the_conversation_stays_moved() {
    moves_and_stays(&with_spare(Upstream::down().await).await).await;
}

#[tokio::test]
async fn an_account_that_hangs_is_passed_over() {
    let hangs = Upstream::raw(|stream| async move {
        tokio::time::sleep(Duration::from_secs(60)).await;
        drop(stream);
    })
    .await;
    moves_and_stays(&with_spare(hangs).await).await;
}

#[tokio::test]
async fn an_account_that_sends_only_a_head_is_passed_over() {
    let hangs = Upstream::start(|_, _| async {
        let (sender, response) = event_stream();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_secs(60)).await;
            drop(sender);
        });
        response
    })
    .await;
    moves_and_stays(&with_spare(hangs).await).await;
}

#[tokio::test]
async fn an_account_that_resets_before_the_first_byte_is_passed_over() {
    let resets = Upstream::raw(|mut stream| async move {
        let _ = stream.read(&mut [0; 1024]).await;
        let _ = stream
            .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n")
            .await;
    })
    .await;
    moves_and_stays(&with_spare(resets).await).await;
}

#[tokio::test]
async fn refusals_of_the_account_are_passed_over() {
    for status in [429, 500, 502, 503, 529] {
        let refuses = Upstream::json(status, json!({"error": "no"})).await;
        moves_and_stays(&with_spare(refuses).await).await;
    }
}

#[tokio::test]
async fn a_client_error_comes_through_intact_and_moves_nothing() {
    let body = json!({"error": {"message": "bad é", "type": "invalid_request_error"}});
    for status in [400, 401, 403, 404, 422] {
        let upstreams = with_spare(Upstream::json(status, body.clone()).await).await;
        let running = over(&upstreams).await;
        let talk = Talk::at_home_with(0, 2);
        let answer = Caller::of(&running).chat(&talk).await;
        assert_eq!(answer.status, status);
        assert_eq!(answer.body, body.to_string());
        assert_eq!(answer.account(), 0);
        assert_eq!(upstreams[1].count(), 0);
        let again = Caller::of(&running).chat(&talk).await;
        assert_eq!(
            again.header("x-affinity-source"),
            Some("opener"),
            "binds nothing"
        );
    }
}

#[tokio::test]
async fn after_a_byte_went_out_there_is_no_fail_over() {
    let cuts = Upstream::raw(|mut stream| async move {
        let _ = stream.read(&mut [0; 65536]).await;
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
        let _ = stream.write_all(head.as_bytes()).await;
        let _ = stream.write_all(b"b\r\ndata: one\n\n\r\n").await;
        tokio::time::sleep(Duration::from_millis(50)).await;
    })
    .await;
    let upstreams = with_spare(cuts).await;
    let running = over(&upstreams).await;
    let talk = Talk::at_home_with(0, 2);
    let mut answer = Caller::of(&running)
        .open("/v1/chat/completions", &talk.chat())
        .await;
    assert_eq!(
        piece(answer.body_mut()).await.unwrap().unwrap(),
        "data: one\n\n"
    );
    assert!(
        piece(answer.body_mut()).await.unwrap().is_err(),
        "the cut is seen as a cut"
    );
    assert_eq!(upstreams[1].count(), 0);
}

#[tokio::test]
async fn retry_after_keeps_others_away_until_it_is_over() {
    let limited = Upstream::start(|number, _| async move {
        let mut response = json_response(if number == 0 { 429 } else { 200 }, &json!({}));
        response
            .headers_mut()
            .insert("retry-after-ms", "400".parse().unwrap());
        response
    })
    .await;
    let upstreams = with_spare(limited).await;
    let running = over(&upstreams).await;
    let caller = Caller::of(&running);
    assert_eq!(caller.chat(&Talk::at_home_with(0, 2)).await.account(), 1);
    let mut other = Talk::at_home_with(0, 2);
    other = Talk::new(&format!("{other:?}"));
    while caller.chat(&other).await.account() != 1 {
        other.turn();
    }
    assert_eq!(
        upstreams[0].count(),
        1,
        "nobody is sent there while it cools down"
    );
    tokio::time::sleep(Duration::from_millis(450)).await;
    let back = Talk::at_home_with(0, 2);
    // The conversation that moved stays; a new one goes home.
    assert_eq!(caller.chat(&back).await.account(), 1);
    let mut fresh = 0;
    for i in 0..20 {
        fresh += usize::from(
            caller
                .chat(&Talk::new(&format!("fresh {i}")))
                .await
                .account()
                == 0,
        );
    }
    assert!(fresh > 0);
}

#[tokio::test]
async fn a_server_error_does_not_cool_the_account_down() {
    let flaky = Upstream::start(|number, _| async move {
        json_response(if number == 0 { 500 } else { 200 }, &json!({}))
    })
    .await;
    let upstreams = with_spare(flaky).await;
    let running = over(&upstreams).await;
    let caller = Caller::of(&running);
    let mut talks = (0..).map(|i| Talk::new(&format!("talk {i}")));
    let mut count = 0;
    while upstreams[0].count() < 2 {
        caller.chat(&talks.next().unwrap()).await;
        count += 1;
        assert!(count < 60);
    }
}

#[tokio::test]
async fn when_all_fail_the_most_useful_error_comes_back_unchanged() {
    let limited = Upstream::start(|_, _| async {
        let mut response = json_response(429, &json!({"error": {"message": "slow down"}}));
        response
            .headers_mut()
            .insert("retry-after", "7".parse().unwrap());
        response
            .headers_mut()
            .insert("x-ratelimit-remaining", "0".parse().unwrap());
        response
    })
    .await;
    let upstreams = [
        Upstream::json(500, json!({"error": "broken"})).await,
        limited,
        Upstream::down().await,
    ];
    let running = over(&upstreams).await;
    for home in 0..3 {
        let answer = Caller::of(&running)
            .chat(&Talk::at_home_with(home, 3))
            .await;
        assert_eq!(answer.status, 429);
        assert_eq!(answer.header("retry-after"), Some("7"));
        assert_eq!(answer.header("x-ratelimit-remaining"), Some("0"));
        assert_eq!(answer.body, r#"{"error":{"message":"slow down"}}"#);
        assert_eq!(answer.account(), 1);
    }
}

#[tokio::test]
async fn when_nobody_can_be_reached_the_gateway_says_so() {
    let running = over(&[Upstream::down().await, Upstream::down().await]).await;
    let answer = Caller::of(&running).chat(&Talk::new("hi")).await;
    assert_eq!(answer.status, 502);
    let error: serde_json::Value = serde_json::from_slice(&answer.body).unwrap();
    assert_eq!(error["error"]["code"], "unreachable");
    assert_eq!(error["type"], "error");
}

#[tokio::test]
async fn attempts_are_limited_when_told_so() {
    let bad = || Upstream::json(500, json!({}));
    let upstreams = [bad().await, bad().await, bad().await];
    let running = gateway(numbered(&upstreams), |config| {
        config.failover.attempts = std::num::NonZeroUsize::new(2);
    })
    .await;
    assert_eq!(
        Caller::of(&running).chat(&Talk::new("hi")).await.status,
        500
    );
    assert_eq!(upstreams.iter().map(Upstream::count).sum::<usize>(), 2);
}

#[tokio::test]
async fn an_idle_connection_that_was_closed_is_no_reason_to_move() {
    // Answers one request a connection, and then closes it without a word.
    let closes = Upstream::raw(|mut stream| async move {
        let _ = stream.read(&mut [0; 65536]).await;
        let answer =
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";
        let _ = stream.write_all(answer.as_bytes()).await;
        let _ = stream.read(&mut [0; 1]).await;
    })
    .await;
    let upstreams = with_spare(closes).await;
    let running = over(&upstreams).await;
    let mut talk = Talk::at_home_with(0, 2);
    for _ in 0..10 {
        assert_eq!(Caller::of(&running).chat(&talk).await.account(), 0);
        talk.turn();
    }
}

#[tokio::test]
async fn a_request_bound_to_an_account_stays_with_it() {
    let busy = Upstream::start(|number, _| async move {
        let body = json!({"id": "resp_1", "object": "response"});
        json_response(if number == 0 { 200 } else { 429 }, &body)
    })
    .await;
    let upstreams = [busy, Upstream::good().await];
    let only_first = |config: &mut affinity_gateway::config::Config| config.channels[1].weight = 0;
    let running = gateway(numbered(&upstreams), only_first).await;
    let caller = Caller::of(&running);
    let first = caller
        .post("/v1/responses", &json!({"model": "m", "input": "hi"}))
        .await;
    assert_eq!((first.status.as_u16(), first.account()), (200, 0));
    let next = json!({"model": "m", "previous_response_id": "resp_1", "input": "more"});
    let second = caller.post("/v1/responses", &next).await;
    assert_eq!(
        second.status, 429,
        "the other account does not know the response"
    );
    assert_eq!(second.account(), 0);
    assert_eq!(upstreams[1].count(), 0);
}

#[tokio::test]
async fn a_bound_request_moves_when_told_so() {
    let busy = Upstream::start(|number, _| async move {
        let body = json!({"id": "resp_1", "object": "response"});
        json_response(if number == 0 { 200 } else { 429 }, &body)
    })
    .await;
    let upstreams = [busy, Upstream::good().await];
    let running = gateway(numbered(&upstreams), |config| {
        config.channels[1].weight = 0;
        config.failover.bound = affinity_gateway::config::Bound::Move;
    })
    .await;
    let caller = Caller::of(&running);
    caller
        .post("/v1/responses", &json!({"model": "m", "input": "hi"}))
        .await;
    let next = json!({"model": "m", "previous_response_id": "resp_1", "input": "more"});
    assert_eq!(caller.post("/v1/responses", &next).await.account(), 1);
}

#[tokio::test]
async fn a_stream_binds_at_its_first_byte() {
    let slow = Upstream::start(|_, _| async {
        let (mut sender, response) = event_stream();
        tokio::spawn(async move {
            send(&mut sender, "data: one\n\n").await;
            tokio::time::sleep(Duration::from_secs(30)).await;
        });
        response
    })
    .await;
    let upstreams = [slow, Upstream::down().await];
    let running = over(&upstreams).await;
    let mut talk = Talk::at_home_with(1, 2);
    let caller = Caller::of(&running);
    let first = caller.open("/v1/chat/completions", &talk.chat()).await;
    assert_eq!(first.headers()["x-affinity-channel"], "acct-0");
    let second = caller
        .open("/v1/chat/completions", &talk.turn().chat())
        .await;
    assert_eq!(second.headers()["x-affinity-source"], "memory");
    drop(first);
}
