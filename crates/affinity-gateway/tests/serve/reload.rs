//! Another configuration, while requests are served.

use affinity_gateway::config::Config;
use affinity_gateway::serve::Running;

use crate::harness::{Caller, Talk, Upstream, gateway, numbered, over};

fn config(upstreams: &[Upstream]) -> Config {
    Config {
        channels: numbered(upstreams),
        ..Config::default()
    }
}

/// Three accounts that work, and a gateway over them.
async fn three() -> ([Upstream; 3], Running) {
    let upstreams = [
        Upstream::good().await,
        Upstream::good().await,
        Upstream::good().await,
    ];
    let running = over(&upstreams).await;
    (upstreams, running)
}

#[tokio::test]
async fn channels_come_and_go_and_memories_stay() {
    let (upstreams, running) = three().await;
    let caller = Caller::of(&running);
    let mut talk = Talk::at_home_with(2, 3);
    assert_eq!(caller.chat(&talk).await.account(), 2);
    running.reload(config(&upstreams[..2])).unwrap();
    let moved = caller.chat(talk.turn()).await;
    assert_ne!(moved.account(), 2, "what was removed is not brought back");
    running.reload(config(&upstreams)).unwrap();
    let back = caller.chat(talk.turn()).await;
    assert_eq!(back.account(), moved.account(), "the last success wins");
    assert_eq!(back.header("x-affinity-source"), Some("memory"));
}

#[tokio::test]
async fn nothing_is_lost_when_reloading_under_load() {
    let (upstreams, running) = three().await;
    let caller = Caller::of(&running);
    let workers: Vec<_> = (0..8)
        .map(|worker| {
            let caller = caller.clone();
            tokio::spawn(async move {
                for i in 0..25 {
                    let mut talk = Talk::new(&format!("{worker} {i}"));
                    assert_eq!(caller.chat(&talk).await.status, 200);
                    assert_eq!(caller.chat(talk.turn()).await.status, 200);
                }
            })
        })
        .collect();
    let mut reloads = 0;
    while workers.iter().any(|w| !w.is_finished()) {
        running
            .reload(config(&upstreams[..1 + reloads % 3]))
            .unwrap();
        reloads += 1;
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    }
    for worker in workers {
        worker.await.unwrap();
    }
    assert!(reloads > 3);
    assert_eq!(upstreams.iter().map(Upstream::count).sum::<usize>(), 400);
}

#[tokio::test]
async fn a_reload_never_opens_the_gateway_to_other_machines() {
    let upstreams = [Upstream::good().await];
    let client = affinity_gateway::config::Client {
        token_sha256: affinity_gateway::config::TokenHash::of(b"token"),
        tenant: "t".into(),
    };
    let running = gateway(numbered(&upstreams), |config| {
        config.clients = vec![client];
        config.server.listen = "0.0.0.0:0".parse().unwrap();
    })
    .await;
    // It says loopback, which is not where the gateway listens.
    let open = config(&upstreams);
    assert!(open.clients.is_empty() && open.server.listen.ip().is_loopback());
    assert!(running.reload(open).is_err());
    let caller = Caller::at(([127, 0, 0, 1], running.addr.port()).into());
    assert_eq!(caller.chat(&Talk::new("hi")).await.status, 401);
}
