//! The operators' listener.

use std::time::Duration;

use affinity_gateway::config::TokenHash;
use http::Method;
use serde_json::{Value, json};

use crate::harness::{Caller, Talk, Upstream, gateway, over};

fn admin(running: &affinity_gateway::serve::Running) -> Caller {
    Caller::at(running.admin_addr.unwrap())
}

#[tokio::test]
async fn health_and_readiness_differ() {
    let running = gateway([Upstream::down().await.channel("a")], |config| {
        config.failover.cooldown = Duration::from_secs(60);
    })
    .await;
    let admin = admin(&running);
    assert_eq!(admin.get("/healthz").await.status, 200);
    assert_eq!(admin.get("/readyz").await.status, 200);
    Caller::of(&running).chat(&Talk::new("hi")).await;
    assert_eq!(admin.get("/healthz").await.status, 200);
    let ready = admin.get("/readyz").await;
    assert_eq!(
        (ready.status.as_u16(), &ready.body[..]),
        (503, &b"all channels cool down\n"[..])
    );
}

#[tokio::test]
async fn channels_are_listed_without_their_keys() {
    let upstreams = [Upstream::json(429, json!({})).await, Upstream::good().await];
    let mut channels = crate::harness::numbered(&upstreams);
    channels[0].key = affinity_gateway::config::Secret::new("sk-secret");
    channels[0].weight = 3;
    let running = gateway(channels, |_| {}).await;
    for i in 0..20 {
        Caller::of(&running).chat(&Talk::new(&format!("{i}"))).await;
    }
    let listed = admin(&running).get("/affinity/channels").await.body;
    assert!(!String::from_utf8_lossy(&listed).contains("sk-secret"));
    let listed: Value = serde_json::from_slice(&listed).unwrap();
    assert_eq!(listed[0]["name"], "acct-0");
    assert_eq!(listed[0]["weight"], 3);
    assert!(listed[0]["cooling_ms"].as_u64().unwrap() > 0);
    assert_eq!(listed[1].get("cooling_ms"), None);
    assert_eq!(listed[1]["in_flight"], 0);
}

#[tokio::test]
async fn an_accounts_memories_can_be_forgotten() {
    let running = over(&[Upstream::good().await]).await;
    let mut talk = Talk::new("hi");
    let caller = Caller::of(&running);
    caller.chat(&talk).await;
    let forget = |name: &str| {
        let path = format!("/affinity/channels/{name}/memories");
        let admin = admin(&running);
        async move { admin.send(Method::DELETE, &path, "").await }
    };
    assert_eq!(forget("acct-9").await.status, 404);
    assert_eq!(forget("acct-0").await.body, r#"{"forgotten":1}"#);
    let next = caller.chat(talk.turn()).await;
    assert_eq!(next.header("x-affinity-source"), Some("opener"));
}

#[tokio::test]
async fn all_but_health_needs_the_token() {
    let running = gateway([Upstream::good().await.channel("a")], |config| {
        config.server.admin_token_sha256 = Some(TokenHash::of(b"operator"));
    })
    .await;
    let admin = admin(&running);
    assert_eq!(admin.get("/healthz").await.status, 200);
    for path in ["/metrics", "/affinity/channels"] {
        assert_eq!(admin.get(path).await.status, 401);
        let wrong = admin.with("authorization", "Bearer wrong");
        assert_eq!(wrong.get(path).await.status, 401);
        let right = admin.with("authorization", "Bearer operator");
        assert_eq!(right.get(path).await.status, 200);
    }
}

#[tokio::test]
async fn clients_do_not_reach_it_through_the_proxy() {
    let running = over(&[Upstream::good().await]).await;
    for path in ["/metrics", "/healthz", "/affinity/channels"] {
        assert_eq!(Caller::of(&running).get(path).await.status, 404);
    }
}
