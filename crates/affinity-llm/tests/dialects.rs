//! Which dialect a request speaks, and which have no fingerprint.

mod common;

use affinity_hash::{ChainBuilder, Scope};
use affinity_llm::{Dialect, NoFingerprint, Request, Scratch};
use common::{ANTHROPIC, CHAT, GEMINI, RESPONSES, read};
use serde_json::{Value, json};

fn dialect(path: &str, body: &Value) -> Option<Dialect> {
    let mut scratch = Scratch::new();
    Request::read(&(), path, body.to_string().as_bytes(), &mut scratch).dialect()
}

fn model(path: &str, body: &Value) -> (Option<String>, bool) {
    let mut scratch = Scratch::new();
    let body = body.to_string();
    let request = Request::read(&(), path, body.as_bytes(), &mut scratch);
    (request.model().map(str::to_owned), request.stream())
}

#[test]
fn paths_tell_with_any_prefix() {
    use Dialect::{AnthropicMessages, ChatCompletions, Gemini, Responses};
    for (path, expected) in [
        ("/v1/chat/completions", ChatCompletions),
        ("/openai/v1/chat/completions", ChatCompletions),
        ("/api/v1/chat/completions/", ChatCompletions),
        ("https://a.example/v1/chat/completions?x=1", ChatCompletions),
        (
            "/openai/deployments/gpt/chat/completions?api-version=2024-10-21",
            ChatCompletions,
        ),
        (
            "/v1beta1/projects/p/locations/l/endpoints/openapi/chat/completions",
            ChatCompletions,
        ),
        ("/v1/responses", Responses),
        ("/openai/responses?api-version=preview", Responses),
        ("/backend-api/codex/responses", Responses),
        ("/v1/messages", AnthropicMessages),
        ("/anthropic/v1/messages?beta=true", AnthropicMessages),
        ("/model/anthropic.claude-v2%3A0/invoke", AnthropicMessages),
        (
            "/model/anthropic.claude-v2:0/invoke-with-response-stream",
            AnthropicMessages,
        ),
        (
            "/v1/projects/p/locations/l/publishers/anthropic/models/claude@1:streamRawPredict",
            AnthropicMessages,
        ),
        ("/v1beta/models/gemini-pro:generateContent", Gemini),
        (
            "/gemini/v1beta/models/gemini-pro:streamGenerateContent?alt=sse",
            Gemini,
        ),
        (
            "/v1/projects/p/locations/l/publishers/google/models/gemini:streamGenerateContent",
            Gemini,
        ),
        ("/v1internal:streamGenerateContent", Gemini),
    ] {
        assert_eq!(dialect(path, &json!({})), Some(expected), "{path}");
    }
}

#[test]
fn models_come_from_the_body_or_the_path() {
    let none = json!({});
    for (path, expected, stream) in [
        (
            "/openai/deployments/gpt/chat/completions",
            Some("gpt"),
            false,
        ),
        (
            "/model/anthropic.claude-v2:0/invoke-with-response-stream",
            Some("anthropic.claude-v2:0"),
            true,
        ),
        (
            "/v1/projects/p/locations/l/publishers/anthropic/models/claude@1:rawPredict",
            Some("claude@1"),
            false,
        ),
        (
            "/v1beta/models/gemini-pro:streamGenerateContent",
            Some("gemini-pro"),
            true,
        ),
        ("/v1internal:streamGenerateContent", None, true),
        ("/v1/messages", None, false),
    ] {
        assert_eq!(
            model(path, &none),
            (expected.map(str::to_owned), stream),
            "{path}"
        );
    }
    assert_eq!(
        model(CHAT, &json!({"model": "m\u{e9}", "stream": true})),
        (Some("mé".to_owned()), true)
    );
    assert_eq!(
        model(GEMINI, &json!({"model": "m"})).0,
        Some("m".to_owned())
    );
    assert_eq!(
        model(CHAT, &json!({"model": 1, "stream": "yes"})),
        (None, false)
    );
}

#[test]
fn shapes_tell_where_paths_do_not() {
    use Dialect::{AnthropicMessages, ChatCompletions, Gemini, Responses};
    let user = json!([{"role": "user", "content": "hi"}]);
    for (body, expected) in [
        (json!({"messages": user}), Some(ChatCompletions)),
        (
            json!({"messages": user, "system": "s"}),
            Some(AnthropicMessages),
        ),
        (
            json!({"messages": [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t"}]}]}),
            Some(AnthropicMessages),
        ),
        (json!({"input": user}), Some(Responses)),
        (json!({"input": "hi", "instructions": "s"}), Some(Responses)),
        (
            json!({"contents": [{"parts": [{"text": "hi"}]}]}),
            Some(Gemini),
        ),
        // An embedding's body.
        (
            json!({"input": "hi", "model": "text-embedding-3-small"}),
            None,
        ),
        (json!({"input": ["hi", "there"]}), None),
        (json!({"prompt": "hi"}), None),
        (json!({"messages": user, "input": user}), None),
        (json!({}), None),
    ] {
        assert_eq!(dialect("/v7/converse-with-me", &body), expected, "{body}");
        let reason = read("/v7/converse-with-me", body.to_string().as_bytes());
        assert_eq!(
            reason == Err(NoFingerprint::UnknownDialect),
            expected.is_none(),
            "{body}"
        );
    }
}

#[test]
fn side_calls_have_no_fingerprint() {
    let body =
        json!({"model": "m", "input": "hi", "messages": [{"role": "user", "content": "hi"}]});
    for path in [
        "/v1/messages/count_tokens",
        "/v1/embeddings",
        "/v1/models",
        "/v1/models/gpt",
        "/v1/messages/batches",
        "/v1/batches",
        "/v1/responses/input_tokens",
        "/v1/responses/resp_1",
        "/v1/images/generations",
        "/v1beta/models/gemini:countTokens",
        "/v1beta/models/e:embedContent",
        "/v1/audio/speech",
        "/v1/projects/p/locations/l/publishers/anthropic/models/count-tokens:rawPredict",
    ] {
        assert_eq!(
            read(path, body.to_string().as_bytes()),
            Err(NoFingerprint::SideCall),
            "{path}"
        );
        assert_eq!(read(path, b""), Err(NoFingerprint::SideCall), "{path}");
        assert_eq!(model(path, &body).0, Some("m".to_owned()));
    }
}

#[test]
fn nothing_is_never_hashed() {
    for (path, body, reason) in [
        (CHAT, json!({}), NoFingerprint::NoConversation),
        (CHAT, json!({"input": "hi"}), NoFingerprint::NoConversation),
        (
            RESPONSES,
            json!({"messages": [{"role": "user", "content": "hi"}]}),
            NoFingerprint::NoConversation,
        ),
        (
            CHAT,
            json!({"messages": {"role": "user"}}),
            NoFingerprint::NotAnArray,
        ),
        (
            CHAT,
            json!({"messages": null}),
            NoFingerprint::NoConversation,
        ),
        (CHAT, json!({"messages": []}), NoFingerprint::NoUserTurn),
        (
            CHAT,
            json!({"messages": [{"role": "system", "content": "s"}]}),
            NoFingerprint::NoUserTurn,
        ),
        (
            CHAT,
            json!({"messages": [{"role": "user", "content": ""}]}),
            NoFingerprint::NoUserTurn,
        ),
        (
            ANTHROPIC,
            json!({"system": "s", "messages": []}),
            NoFingerprint::NoUserTurn,
        ),
        (
            ANTHROPIC,
            json!({"messages": [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "x"}]}]}),
            NoFingerprint::NoUserTurn,
        ),
        (
            RESPONSES,
            json!({"instructions": "s", "input": []}),
            NoFingerprint::NoUserTurn,
        ),
        (
            GEMINI,
            json!({"contents": [{"role": "model", "parts": [{"text": "x"}]}]}),
            NoFingerprint::NoUserTurn,
        ),
    ] {
        assert_eq!(
            read(path, body.to_string().as_bytes()),
            Err(reason),
            "{body}"
        );
    }
}

#[test]
fn the_opener_ends_the_first_user_turn() {
    let opener = |path: &str, body: Value| {
        let mut scratch = Scratch::new();
        let body = body.to_string();
        let request = Request::read(&(), path, body.as_bytes(), &mut scratch);
        let mut chain = ChainBuilder::new();
        let fingerprint = request.fingerprint(Scope::public(), &mut chain).unwrap();
        (
            fingerprint.opener,
            fingerprint.turns,
            fingerprint.links.len(),
        )
    };
    let user = |text: &str| json!({"role": "user", "content": text});
    let assistant = json!({"role": "assistant", "content": "ok"});
    let system = json!({"role": "system", "content": "s"});
    assert_eq!(
        opener(CHAT, json!({"messages": [system, user("a")]})),
        (1, 1, 2)
    );
    assert_eq!(
        opener(
            CHAT,
            json!({"messages": [system, user("a"), assistant, user("b")]})
        ),
        (1, 2, 4)
    );
    // What an editor says about the workspace, then what its user says.
    assert_eq!(
        opener(
            RESPONSES,
            json!({"input": [user("cwd"), user("a"), assistant, user("b")]})
        ),
        (1, 2, 4)
    );
    let tools = json!([{"name": "t", "input_schema": {}}]);
    assert_eq!(
        opener(
            ANTHROPIC,
            json!({"messages": [user("a")], "tools": tools, "system": "s"})
        ),
        (2, 1, 3)
    );
    let result = json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "x"}]});
    assert_eq!(
        opener(
            ANTHROPIC,
            json!({"messages": [user("a"), assistant, result, assistant]})
        ),
        (0, 1, 4)
    );
}

#[test]
fn bound_to_the_account_that_made_it() {
    let bound = |path: &str, body: Value| {
        let mut scratch = Scratch::new();
        Request::read(&(), path, body.to_string().as_bytes(), &mut scratch).bound()
    };
    let user = json!({"role": "user", "content": "hi"});
    let item = |item: Value| json!({"input": [user, item]});
    assert!(bound(
        RESPONSES,
        json!({"input": "hi", "previous_response_id": "resp_1"})
    ));
    assert!(bound(
        RESPONSES,
        json!({"input": "hi", "conversation": {"id": "conv_1"}})
    ));
    assert!(bound(
        RESPONSES,
        item(json!({"type": "reasoning", "encrypted_content": "E"}))
    ));
    assert!(bound(
        RESPONSES,
        item(json!({"type": "compaction", "encrypted_content": "E"}))
    ));
    assert!(bound(
        RESPONSES,
        item(json!({"type": "item_reference", "id": "msg_1"}))
    ));
    assert!(bound(
        RESPONSES,
        item(json!({"role": "user", "content": [{"type": "input_file", "file_id": "file_1"}]}))
    ));
    assert!(bound(
        ANTHROPIC,
        json!({"messages": [{"role": "user", "content": [{"type": "document", "source": {"type": "file", "file_id": "f"}}]}]})
    ));
    assert!(bound(
        GEMINI,
        json!({"cachedContent": "cachedContents/1", "contents": []})
    ));
    assert!(bound(
        CHAT,
        json!({"messages": [{"role": "assistant", "reasoning_details": [{"type": "reasoning.encrypted", "data": "E"}, {"type": "reasoning.text"}]}]})
    ));

    assert!(!bound(
        RESPONSES,
        json!({"input": "hi", "previous_response_id": null, "conversation": null})
    ));
    assert!(!bound(
        RESPONSES,
        item(json!({"type": "reasoning", "summary": [], "encrypted_content": null}))
    ));
    assert!(!bound(
        ANTHROPIC,
        json!({"messages": [{"role": "assistant", "content": [{"type": "thinking", "thinking": "x", "signature": "S"}]}]})
    ));
}

#[test]
fn references_differ_by_what_they_refer_to() {
    let last = |item: &str| *read(RESPONSES, item.as_bytes()).unwrap().last().unwrap();
    let one = last(
        r#"{"input": [{"role": "user", "content": "hi"}, {"type": "item_reference", "id": "msg_1"}]}"#,
    );
    assert_eq!(
        one,
        last(
            r#"{"input": [{"role": "user", "content": "hi"}, {"id": "msg_1", "type": "item_reference"}]}"#
        )
    );
    assert_ne!(
        one,
        last(
            r#"{"input": [{"role": "user", "content": "hi"}, {"type": "item_reference", "id": "msg_2"}]}"#
        )
    );
}
