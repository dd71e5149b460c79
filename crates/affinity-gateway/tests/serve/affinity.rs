//! Conversations stay with their account, and with their tenant.

use affinity_gateway::config::{Client, Policy, TokenHash};
use serde_json::json;

use crate::harness::{Caller, Talk, Upstream, gateway, json_response, numbered, over};

async fn good(n: usize) -> Vec<Upstream> {
    let mut upstreams = Vec::new();
    for _ in 0..n {
        upstreams.push(Upstream::good().await);
    }
    upstreams
}

fn client(token: &str, tenant: &str) -> Client {
    Client {
        token_sha256: TokenHash::of(token.as_bytes()),
        tenant: tenant.into(),
    }
}

#[tokio::test]
async fn every_later_turn_goes_where_the_first_went() {
    let running = over(&good(4).await).await;
    let caller = Caller::of(&running);
    for conversation in 0..10 {
        let mut talk = Talk::new(&format!("conversation {conversation}"));
        let first = caller.chat(&talk).await;
        assert_eq!(first.header("x-affinity-source"), Some("opener"));
        for turn in 1..5 {
            let next = caller.chat(talk.turn()).await;
            assert_eq!(next.account(), first.account());
            assert_eq!(next.header("x-affinity-source"), Some("memory"));
            let depth = format!("{}/{}", 2 * turn, 2 * turn + 2);
            assert_eq!(next.header("x-affinity-depth"), Some(&*depth));
        }
    }
}

#[tokio::test]
async fn conversations_spread_although_their_system_prompt_is_the_same() {
    let upstreams = good(4).await;
    let running = over(&upstreams).await;
    let caller = Caller::of(&running);
    for i in 0..80 {
        caller.chat(&Talk::new(&format!("conversation {i}"))).await;
    }
    assert!(upstreams.iter().all(|u| u.count() >= 8));
}

#[tokio::test]
async fn a_session_header_decides_and_is_not_passed_on() {
    let upstreams = good(4).await;
    let running = over(&upstreams).await;
    let caller = Caller::of(&running).with("x-affinity-session", "s-1");
    let first = caller.chat(&Talk::new("one thing")).await;
    assert_eq!(first.header("x-affinity-source"), Some("session-new"));
    let next = caller.chat(&Talk::new("quite another")).await;
    assert_eq!(next.header("x-affinity-source"), Some("session"));
    assert_eq!(next.account(), first.account());
    let got = upstreams[first.account()].got();
    assert!(got.iter().all(|g| g.header("x-affinity-session").is_none()));
}

#[tokio::test]
async fn tenants_with_equal_prompts_share_no_memory() {
    let upstreams = good(4).await;
    let running = gateway(numbered(&upstreams), |config| {
        config.clients = vec![
            client("token-a", "a"),
            client("token-a2", "a"),
            client("token-b", "b"),
        ];
    })
    .await;
    let as_client = |token| Caller::of(&running).with("authorization", &format!("Bearer {token}"));
    let mut talk = Talk::new("the same words");
    for session in [None, Some("the same session")] {
        let caller = |token| match session {
            Some(id) => as_client(token).with("x-session-id", id),
            None => as_client(token),
        };
        let first = caller("token-a").chat(&talk).await;
        assert_eq!(first.status, 200);
        let source = |answer: &crate::harness::Answer| {
            answer.header("x-affinity-source").unwrap().to_owned()
        };
        let (mine, theirs) = match session {
            Some(_) => ("session", "session-new"),
            None => ("memory", "opener"),
        };
        talk.turn();
        assert_eq!(source(&caller("token-b").chat(&talk).await), theirs);
        assert_eq!(
            source(&caller("token-a2").chat(&talk).await),
            mine,
            "one tenant"
        );
    }
}

#[tokio::test]
async fn models_choose_the_accounts_that_serve_them() {
    let upstreams = good(3).await;
    let mut channels = numbered(&upstreams);
    channels[0].models = vec!["small".into()];
    channels[1].models = vec!["large".into()];
    channels[1].aliases = [("best".into(), "large-2".into())].into();
    let running = gateway(channels, |_| {}).await;
    let caller = Caller::of(&running);
    let mut seen = [(); 4].map(|()| std::collections::BTreeSet::new());
    for i in 0..30 {
        for (model, seen) in ["small", "large", "best", "unknown"].iter().zip(&mut seen) {
            let mut body = Talk::new(&format!("talk {i}")).chat();
            body["model"] = json!(model);
            seen.insert(caller.post("/v1/chat/completions", &body).await.account());
        }
    }
    assert_eq!(
        seen.map(Vec::from_iter),
        [vec![0, 2], vec![1, 2], vec![1, 2], vec![2]]
    );
    let models = |up: &Upstream| -> std::collections::BTreeSet<String> {
        let model = |g: crate::harness::Got| {
            serde_json::from_slice::<serde_json::Value>(&g.body).unwrap()["model"]
                .as_str()
                .unwrap()
                .into()
        };
        up.got().into_iter().map(model).collect()
    };
    assert!(models(&upstreams[1]).contains("large-2"));
    assert!(!models(&upstreams[1]).contains("best"));
    assert!(
        models(&upstreams[2]).contains("best"),
        "each account has its own names"
    );
}

#[tokio::test]
async fn no_account_for_a_model_is_said_so() {
    let upstreams = good(1).await;
    let mut channels = numbered(&upstreams);
    channels[0].models = vec!["small".into()];
    let running = gateway(channels, |_| {}).await;
    let answer = Caller::of(&running).chat(&Talk::new("hi")).await;
    assert_eq!(answer.status, 404);
    assert_eq!(answer.header("x-affinity-channel"), None);
    assert_eq!(upstreams[0].count(), 0);
}

#[tokio::test]
async fn an_alias_changes_the_models_bytes_and_no_others() {
    let upstreams = good(1).await;
    let mut channels = numbered(&upstreams);
    channels[0].aliases = [("fast".into(), "gpt-4o-mini".into())].into();
    let running = gateway(channels, |_| {}).await;
    let body = "{ \"messages\":[{\"role\":\"user\",\"content\":\"fast \\u00e9\"}],\n \"model\" : \"fast\", \"x\":1.0e2 }";
    let path = "/v1/chat/completions";
    let caller = Caller::of(&running);
    assert_eq!(
        caller.send(http::Method::POST, path, body).await.status,
        200
    );
    let expected = body.replace(": \"fast\"", ": \"gpt-4o-mini\"");
    assert_eq!(upstreams[0].got()[0].body, expected);

    let google = "/v1beta/models/fast:generateContent?alt=sse";
    let contents = json!({"contents": [{"role": "user", "parts": [{"text": "hi"}]}]});
    assert_eq!(caller.post(google, &contents).await.status, 200);
    assert_eq!(
        upstreams[0].got()[1].uri,
        "/v1beta/models/gpt-4o-mini:generateContent?alt=sse"
    );

    // Azure's clients name the model in both.
    let azure = "/openai/deployments/fast/chat/completions";
    assert_eq!(
        caller.send(http::Method::POST, azure, body).await.status,
        200
    );
    let got = &upstreams[0].got()[2];
    assert_eq!(got.uri, "/openai/deployments/gpt-4o-mini/chat/completions");
    assert_eq!(got.body, expected);
}

#[tokio::test]
async fn an_escaped_model_in_a_path_is_the_model_that_it_spells() {
    let upstreams = good(1).await;
    let mut channels = numbered(&upstreams);
    channels[0].models = vec!["anthropic.claude-v2:0".into()];
    channels[0].aliases = [("fast".into(), "real".into())].into();
    let running = gateway(channels, |_| {}).await;
    let caller = Caller::of(&running);
    let body = json!({"contents": [], "messages": [{"role": "user", "content": "hi"}]});
    for (asked, sent) in [
        ("/model/anthropic.claude-v2:0/invoke", None),
        ("/model/anthropic.claude-v2%3A0/invoke", None),
        ("/model/anthropic.claude-v2%3a0/invoke", None),
        (
            "/v1beta/models/f%61st:generateContent",
            Some("/v1beta/models/real:generateContent"),
        ),
        (
            "/models/fast%3AgenerateContent",
            Some("/models/real%3AgenerateContent"),
        ),
        (
            "/models/fast%3agenerateContent",
            Some("/models/real%3agenerateContent"),
        ),
    ] {
        assert_eq!(caller.post(asked, &body).await.status, 200, "{asked}");
        let got = upstreams[0].got();
        assert_eq!(got.last().unwrap().uri, sent.unwrap_or(asked));
    }
    let count = upstreams[0].count();
    for bad in ["a%FF", "a%C2%80"] {
        let path = format!("/model/{bad}/invoke");
        assert_eq!(caller.post(&path, &body).await.status, 400, "{bad}");
    }
    assert_eq!(upstreams[0].count(), count);
}

#[tokio::test]
async fn an_alias_is_replaced_where_the_path_names_the_model_and_nowhere_else() {
    let upstreams = good(1).await;
    let mut channels = numbered(&upstreams);
    let aliases = ["chat", "generate"].map(|name| (name.into(), "real".into()));
    channels[0].aliases = aliases.into();
    let running = gateway(channels, |_| {}).await;
    let caller = Caller::of(&running);
    let mut body = json!({"contents": [], "messages": [{"role": "user", "content": "hi"}]});
    for (asked, sent) in [
        (
            "/openai/deployments/chat/chat/completions",
            "/openai/deployments/real/chat/completions",
        ),
        (
            "/models/generate:generateContent",
            "/models/real:generateContent",
        ),
    ] {
        assert_eq!(caller.post(asked, &body).await.status, 200, "{asked}");
        assert_eq!(upstreams[0].got().last().unwrap().uri, sent);
    }
    body["model"] = json!("chat");
    let azure = "/openai/deployments/chat/chat/completions";
    assert_eq!(caller.post(azure, &body).await.status, 200);
    let got = upstreams[0].got().pop().unwrap();
    assert_eq!(got.uri, "/openai/deployments/real/chat/completions");
    assert!(
        str::from_utf8(&got.body)
            .unwrap()
            .contains("\"model\":\"real\"")
    );
}

#[tokio::test]
async fn an_alias_is_replaced_in_what_code_assist_wraps() {
    let upstreams = good(1).await;
    let mut channels = numbered(&upstreams);
    channels[0].aliases = [("fast".into(), "real".into())].into();
    let running = gateway(channels, |_| {}).await;
    let wrapped = r#"{"request":{"model":"fast","contents":[]}}"#;
    let path = "/v1internal:generateContent";
    let caller = Caller::of(&running);
    let answer = caller.send(http::Method::POST, path, wrapped).await;
    assert_eq!(answer.status, 200);
    assert_eq!(upstreams[0].got()[0].body, wrapped.replace("fast", "real"));
}

#[tokio::test]
async fn a_model_that_cannot_be_replaced_is_refused_and_cools_nobody_down() {
    let upstreams = good(1).await;
    let mut channels = numbered(&upstreams);
    channels[0].aliases = [("fast".into(), "gpt-4o-mini".into())].into();
    let running = gateway(channels, |_| {}).await;
    let twice = r#"{"model":"fast","model":"fast","messages":[{"role":"user","content":"hi"}]}"#;
    let path = "/v1/chat/completions";
    let caller = Caller::of(&running);
    let answer = caller.send(http::Method::POST, path, twice).await;
    assert_eq!(answer.status, 400);
    assert_eq!(upstreams[0].count(), 0);
    let admin = Caller::at(running.admin_addr.unwrap());
    assert_eq!(admin.get("/readyz").await.status, 200);
}

#[tokio::test]
async fn a_response_id_leads_back_to_the_account_that_gave_it() {
    let mut upstreams = Vec::new();
    for i in 0..4 {
        let up = Upstream::start(move |number, got| async move {
            let id = format!("resp_{i}_{number}");
            let stream =
                serde_json::from_slice::<serde_json::Value>(&got.body).unwrap()["stream"] == true;
            let response = json!({"id": id, "object": "response", "usage": null});
            if !stream {
                return json_response(200, &response);
            }
            let event = json!({"type": "response.created", "response": response});
            let events = format!("event: response.created\ndata: {event}\n\ndata: [DONE]\n\n");
            http::Response::builder()
                .header("content-type", "text/event-stream")
                .body(crate::harness::full(events))
                .unwrap()
        });
        upstreams.push(up.await);
    }
    let running = over(&upstreams).await;
    let caller = Caller::of(&running);
    for i in 0..12 {
        let stream = i % 2 == 0;
        let mut body = json!({"model": "m", "input": format!("hi {i}"), "stream": stream});
        let home = caller.post("/v1/responses", &body).await.account();
        for _ in 0..3 {
            let last = format!("resp_{home}_{}", upstreams[home].count() - 1);
            body = json!({"model": "m", "input": "more", "previous_response_id": last, "stream": stream});
            let next = caller.post("/v1/responses", &body).await;
            assert_eq!(next.account(), home);
            assert_eq!(next.header("x-affinity-source"), Some("session"));
        }
    }
}

#[tokio::test]
async fn a_full_account_lends_a_conversation_and_keeps_it() {
    let (release, held) = tokio::sync::watch::channel(false);
    let slow = Upstream::start(move |_, got| {
        let mut held = held.clone();
        async move {
            if got.body.windows(4).any(|w| w == b"wait") {
                held.wait_for(|free| *free).await.unwrap();
            }
            json_response(200, &json!({}))
        }
    })
    .await;
    let upstreams = [slow, Upstream::good().await];
    let mut channels = numbered(&upstreams);
    channels[0].max_in_flight = Some(1);
    let running = gateway(channels, |_| {}).await;
    let caller = Caller::of(&running).with("x-affinity-session", "home");
    let mut talk = Talk::at_home_with(0, 2);
    let plain = Caller::of(&running);
    assert_eq!(plain.chat(&talk).await.account(), 0);
    drop(caller);
    let mut waiting = Talk::at_home_with(0, 2).chat();
    waiting["note"] = json!("wait");
    let (busy, before) = (plain.clone(), upstreams[0].count());
    let call = tokio::spawn(async move { busy.post("/v1/chat/completions", &waiting).await });
    crate::harness::eventually("the account is full", || upstreams[0].count() > before).await;
    assert_eq!(plain.chat(talk.turn()).await.account(), 1, "spilled");
    release.send(true).unwrap();
    call.await.unwrap();
    assert_eq!(plain.chat(talk.turn()).await.account(), 0, "home again");
}

#[tokio::test]
async fn round_robin_takes_turns_and_remembers_nothing() {
    let upstreams = good(3).await;
    let running = gateway(numbered(&upstreams), |config| {
        config.affinity.policy = Policy::RoundRobin;
    })
    .await;
    let talk = Talk::new("hi");
    for _ in 0..9 {
        let answer = Caller::of(&running).chat(&talk).await;
        assert_eq!(answer.header("x-affinity-source"), Some("none"));
    }
    assert_eq!(
        upstreams.iter().map(Upstream::count).collect::<Vec<_>>(),
        [3, 3, 3]
    );
}

#[tokio::test]
async fn round_robin_remembers_no_response_id_either() {
    let upstream = Upstream::json(200, json!({"id": "resp_1", "object": "response"})).await;
    let running = gateway([upstream.channel("a")], |config| {
        config.affinity.policy = Policy::RoundRobin;
    })
    .await;
    let body = json!({"model": "m", "input": "hi"});
    let answer = Caller::of(&running).post("/v1/responses", &body).await;
    assert_eq!(answer.status, 200);
    let admin = Caller::at(running.admin_addr.unwrap());
    let metrics = admin.get("/metrics").await.body;
    let metrics = std::str::from_utf8(&metrics).unwrap();
    assert!(metrics.contains("\naffinity_memories 0\n"), "{metrics}");
}

#[tokio::test]
async fn response_headers_can_be_turned_off() {
    let running = gateway(numbered(&good(1).await), |config| {
        config.affinity.response_headers = false;
    })
    .await;
    let answer = Caller::of(&running).chat(&Talk::new("hi")).await;
    assert!(
        answer
            .headers
            .keys()
            .all(|name| !name.as_str().starts_with("x-affinity-"))
    );
    assert!(
        answer
            .header("x-request-id")
            .is_some_and(|id| id.len() == 24)
    );
}
