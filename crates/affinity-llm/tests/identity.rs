//! Who a request says it is: sources, their order, and what is no session.

use affinity_hash::Scope;
use affinity_llm::{BodyField, Rejection, Request, Scratch, SessionRules, Source};
use serde_json::{Value, json};

type Pairs<'a> = &'a [(&'a str, &'a str)];

/// A session's source and id.
type Found = (String, String);

/// The session that the default rules find, as source and id, and what they rejected.
fn find(headers: Pairs<'_>, body: &Value) -> (Option<Found>, Vec<(String, Rejection)>) {
    let mut scratch = Scratch::new();
    let body = body.to_string();
    let request = Request::read(headers, "/v1/messages", body.as_bytes(), &mut scratch);
    let rules = SessionRules::default();
    let mut rejected = Vec::new();
    let session = request.session_or(&rules, |source, why| {
        rejected.push((source.name().to_owned(), why))
    });
    (
        session.map(|session| (session.source().name().to_owned(), session.id().to_owned())),
        rejected,
    )
}

#[track_caller]
fn is(headers: Pairs<'_>, body: &Value, source: &str, id: &str) {
    assert_eq!(
        find(headers, body).0,
        Some((source.to_owned(), id.to_owned()))
    );
}

#[track_caller]
fn is_none(headers: Pairs<'_>, body: &Value) {
    assert_eq!(find(headers, body).0, None);
}

#[test]
fn every_harness_is_known() {
    for name in [
        "X-Claude-Code-Session-Id",
        "session-id",
        "session_id",
        "Thread-Id",
        "conversation_id",
        "x-opencode-session",
        "x-session-affinity",
        "X-Session-Id",
        "X-Task-ID",
        "X-Roo-Task-ID",
        "X-Amp-Thread-Id",
        "X-Hermes-Session-Id",
        "X-Session-Key",
        "x-grok-conv-id",
        "Helicone-Session-Id",
    ] {
        is(
            &[("content-type", "application/json"), (name, "s-1")],
            &json!({}),
            &name.to_ascii_lowercase(),
            "s-1",
        );
    }
}

#[test]
fn own_header_then_harness_then_body() {
    let body = json!({"prompt_cache_key": "body"});
    is(
        &[("session-id", "harness"), ("x-affinity-session", "own")],
        &body,
        "x-affinity-session",
        "own",
    );
    is(&[("session-id", "harness")], &body, "session-id", "harness");
    is(&[], &body, "body.prompt_cache_key", "body");
    is_none(&[], &json!({}));
}

#[test]
fn body_fields_in_their_order() {
    let mut body = json!({
        "prompt_cache_key": "1", "conversation": {"id": "2"}, "previous_response_id": "3",
        "session_id": "4", "metadata": {"user_id": {"session_id": "5"}}, "client_metadata": {"session_id": "6"},
    });
    for (field, source) in [
        ("prompt_cache_key", "body.prompt_cache_key"),
        ("conversation", "body.conversation"),
        ("previous_response_id", "body.previous_response_id"),
        ("session_id", "body.session_id"),
        ("metadata", "body.metadata.user_id"),
        ("client_metadata", "body.client_metadata.session_id"),
    ] {
        assert_eq!(find(&[], &body).0.unwrap().0, source);
        body.as_object_mut().unwrap().remove(field);
    }
    is(
        &[],
        &json!({"conversation": "c-1"}),
        "body.conversation",
        "c-1",
    );
    is(
        &[],
        &json!({"request": {"session_id": "g-1"}}),
        "body.session_id",
        "g-1",
    );
}

#[test]
fn the_session_part_of_user_id_in_three_forms() {
    let device = "ab".repeat(32);
    let session = "0f6f8a52-1c3e-4d5b-9a77-2f1f6c1d9e01";
    let old = format!("user_{device}_account__session_{session}");
    let with_account =
        format!("user_{device}_account_11111111-2222-3333-4444-555555555555_session_{session}");
    let object = json!({"device_id": device, "account_uuid": "", "session_id": session});
    for user in [
        json!(old),
        json!(with_account),
        json!(object.to_string()),
        object,
    ] {
        is(
            &[],
            &json!({"metadata": {"user_id": user}}),
            "body.metadata.user_id",
            session,
        );
    }
}

#[test]
fn two_sessions_on_one_device_are_two() {
    let device = "cd".repeat(32);
    let key = |session: &str| {
        let body =
            json!({"metadata": {"user_id": format!("user_{device}_account__session_{session}")}});
        let mut scratch = Scratch::new();
        let body = body.to_string();
        let request = Request::read(&(), "/v1/messages", body.as_bytes(), &mut scratch);
        request
            .session(&SessionRules::default())
            .unwrap()
            .key(Scope::public())
    };
    assert_ne!(key("a"), key("b"));
    assert_eq!(key("a"), key("a"));
}

#[test]
fn users_and_devices_and_requests_are_no_sessions() {
    is_none(
        &[
            ("x-opencode-request", "r"),
            ("x-client-request-id", "r"),
            ("x-gemini-api-privileged-user-id", "i"),
            ("x-request-id", "r"),
        ],
        &json!({"user": "u", "safety_identifier": "u", "metadata": {"installation_id": "i"}}),
    );
    let (session, rejected) = find(&[], &json!({"metadata": {"user_id": "user_12345"}}));
    assert_eq!(session, None);
    assert_eq!(
        rejected,
        [("body.metadata.user_id".to_owned(), Rejection::NoSession)]
    );
    is_none(
        &[],
        &json!({"metadata": {"user_id": "{\"device_id\":\"d\"}"}}),
    );
    is_none(
        &[],
        &json!({"metadata": {"user_id": "{\"session_id\":\"cut"}}),
    );
}

#[test]
fn blank_ids_and_control_characters_fall_through() {
    let (session, rejected) = find(
        &[
            ("x-affinity-session", "  "),
            ("session-id", "a\u{7}b"),
            ("x-session-id", " s-1 "),
        ],
        &json!({}),
    );
    assert_eq!(session, Some(("x-session-id".to_owned(), "s-1".to_owned())));
    assert_eq!(
        rejected,
        [
            ("x-affinity-session".to_owned(), Rejection::Blank),
            ("session-id".to_owned(), Rejection::NotText),
        ]
    );
}

#[test]
fn an_overlong_id_does_not_fall_through() {
    let (session, rejected) = find(
        &[("session-id", &"x".repeat(257)), ("x-session-id", "s-1")],
        &json!({"prompt_cache_key": "k"}),
    );
    assert_eq!(session, None);
    assert_eq!(rejected, [("session-id".to_owned(), Rejection::TooLong)]);
    is(
        &[("session-id", &"x".repeat(256))],
        &json!({}),
        "session-id",
        &"x".repeat(256),
    );
}

#[test]
fn values_of_another_type_are_no_ids() {
    is_none(
        &[],
        &json!({"prompt_cache_key": 1, "conversation": ["c"], "session_id": null, "metadata": "m", "client_metadata": 1}),
    );
}

#[test]
fn sub_agents_join_the_key_only_if_asked() {
    let headers = |agent: &'static str| {
        [
            ("X-Claude-Code-Session-Id", "s"),
            ("X-Claude-Code-Agent-Id", agent),
        ]
    };
    let key = |agent, rules: &SessionRules| {
        let mut scratch = Scratch::new();
        let headers = headers(agent);
        let request = Request::read(&headers, "/v1/messages", b"{}", &mut scratch);
        let session = request.session(rules).unwrap();
        assert_eq!(session.agent(), Some(agent));
        session.key(Scope::public().tenant(b"t"))
    };
    let (apart, joined) = (
        SessionRules::default(),
        SessionRules::default().join_agent(true),
    );
    assert_eq!(key("a", &apart), key("b", &apart));
    assert_ne!(key("a", &joined), key("b", &joined));
    assert_ne!(key("a", &joined), key("a", &apart));
}

#[test]
fn a_codex_thread_is_an_agent_of_its_session() {
    let agent = |thread: &str| {
        let headers = [("session-id", "s"), ("thread-id", thread)];
        let mut scratch = Scratch::new();
        let request = Request::read(&headers, "/v1/responses", b"{}", &mut scratch);
        request
            .session(&SessionRules::default())
            .unwrap()
            .agent()
            .map(str::to_owned)
    };
    assert_eq!(agent("t"), Some("t".to_owned()));
    assert_eq!(agent("s"), None);
}

#[test]
fn rules_may_be_the_callers_own() {
    let body = br#"{"prompt_cache_key": "k", "session_id": "s"}"#;
    let mut scratch = Scratch::new();
    let headers = [("X-Acme", "a"), ("session-id", "h")];
    let request = Request::read(&headers, "/v1/responses", body, &mut scratch);
    let id = |rules: &SessionRules| {
        request
            .session(rules)
            .map(|session| session.id().to_owned())
    };
    assert_eq!(
        id(&SessionRules::default().own_header("x-ACME")),
        Some("a".to_owned())
    );
    assert_eq!(
        id(&SessionRules::new([Source::Body(BodyField::SessionId)])),
        Some("s".to_owned())
    );
    assert_eq!(id(&SessionRules::new([])), None);
}

#[test]
fn debug_shows_no_id() {
    let headers = [
        ("session-id", "secret"),
        ("x-claude-code-agent-id", "secret"),
    ];
    let mut scratch = Scratch::new();
    let body = br#"{"model":"secret","messages":[{"role":"user","content":"secret"}]}"#;
    let request = Request::read(&headers, "/v1/messages", body, &mut scratch);
    let rules = SessionRules::default();
    let session = request.session(&rules).unwrap();
    let entries: Vec<_> = request.entries().collect();
    let shown = format!("{request:?} {session:?} {entries:?}");
    assert!(!shown.contains("secret"), "{shown}");
    drop(entries);
    assert!(!format!("{scratch:?}").contains("secret"));
}
