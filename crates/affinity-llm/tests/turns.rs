//! Turn N and turn N+1, as clients really send them: what the first is remembered by is found in
//! the second, or is not where it must not be.

mod common;

use common::{ANTHROPIC, CHAT, GEMINI, RESPONSES, last_link_is_gone, last_link_recurs, links};
use serde_json::{Value, json};

/// A first turn and the turn after it, in Anthropic's dialect.
fn anthropic(first: Value, again: Value) -> (Value, Value) {
    let system = json!("You are a careful engineer.");
    (
        json!({"system": system, "messages": [first]}),
        json!({"system": system, "messages": [
            again,
            {"role": "assistant", "content": [{"type": "text", "text": "ok"}]},
            {"role": "user", "content": "go on"},
        ]}),
    )
}

#[track_caller]
fn recurs(first: Value, again: Value) {
    let (turn, next) = anthropic(first, again);
    last_link_recurs(ANTHROPIC, &turn, &next);
}

#[track_caller]
fn is_gone(first: Value, again: Value) {
    let (turn, next) = anthropic(first, again);
    last_link_is_gone(ANTHROPIC, &turn, &next);
}

#[test]
fn a_turn_is_a_prefix_of_the_next() {
    for path in [CHAT, ANTHROPIC] {
        let next = json!({"messages": [
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": "hello"},
            {"role": "user", "content": "more"},
        ]});
        last_link_recurs(
            path,
            &json!({"messages": [{"role": "user", "content": "hi"}]}),
            &next,
        );
        assert_eq!(links(path, &next).len(), 3);
    }
}

#[test]
fn cache_control_moves_to_the_newest_message() {
    let marked = json!({"role": "user", "content": [
        {"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}},
    ]});
    recurs(
        marked.clone(),
        json!({"role": "user", "content": [{"type": "text", "text": "hi"}]}),
    );
    recurs(marked, json!({"role": "user", "content": "hi"}));
    recurs(
        json!({"role": "user", "content": "hi", "cache_control": {"type": "ephemeral", "ttl": "1h"}}),
        json!({"role": "user", "content": "hi"}),
    );
}

#[test]
fn cache_control_moves_inside_a_tool_result() {
    let result = |part: Value| {
        json!({"role": "user", "content": [
            {"type": "text", "text": "see"},
            {"type": "tool_result", "tool_use_id": "t1", "content": [part]},
        ]})
    };
    recurs(
        result(json!({"type": "text", "text": "out", "cache_control": {"type": "ephemeral"}})),
        result(json!({"type": "text", "text": "out"})),
    );
}

#[test]
fn a_property_named_cache_control_belongs_to_its_schema() {
    let body = |properties: Value| {
        json!({
            "tools": [{"name": "fetch", "input_schema": {"type": "object", "properties": properties}}],
            "messages": [{"role": "user", "content": "hi"}],
        })
    };
    let with = body(json!({"cache_control": {"type": "string"}}));
    last_link_is_gone(ANTHROPIC, &with, &body(json!({})));

    let call = |input: Value| {
        json!({"role": "user", "content": [
            {"type": "text", "text": "x"},
            {"type": "tool_use", "id": "t", "name": "fetch", "input": input},
        ]})
    };
    is_gone(call(json!({"cache_control": "no-store"})), call(json!({})));
}

#[test]
fn cache_control_on_tools_is_a_marker() {
    let body =
        |tool: Value| json!({"tools": [tool], "messages": [{"role": "user", "content": "hi"}]});
    last_link_recurs(
        ANTHROPIC,
        &body(json!({"name": "a", "input_schema": {}, "cache_control": {"type": "ephemeral"}})),
        &body(json!({"name": "a", "input_schema": {}})),
    );
    last_link_recurs(
        CHAT,
        &body(
            json!({"type": "function", "function": {"name": "a", "cache_control": {"type": "ephemeral"}}}),
        ),
        &body(json!({"type": "function", "function": {"name": "a"}})),
    );
}

#[test]
fn content_is_a_string_or_one_text_part() {
    recurs(
        json!({"role": "user", "content": "hi"}),
        json!({"role": "user", "content": [{"type": "text", "text": "hi"}]}),
    );
    is_gone(
        json!({"role": "user", "content": "hi there"}),
        json!({"role": "user", "content": [{"type": "text", "text": "hi "}, {"type": "text", "text": "there"}]}),
    );
}

#[test]
fn the_attribution_line_changes_with_every_request() {
    let body =
        |system: Value| json!({"system": system, "messages": [{"role": "user", "content": "hi"}]});
    let line = |n: u32| {
        format!(
            "x-anthropic-billing-header: cc_version=2.1.9.a{n}b; cc_entrypoint=cli; cch=0f{n}0d;"
        )
    };
    let own = |n| {
        body(json!([{"type": "text", "text": line(n)}, {"type": "text", "text": "Be careful."}]))
    };
    let merged = |n| body(json!([{"type": "text", "text": format!("{}\nBe careful.", line(n))}]));
    let string = |n| body(json!(format!("{}\r\nBe careful.", line(n))));
    let none = body(json!("Be careful."));
    for other in [own(2), merged(3), string(4), none] {
        last_link_recurs(ANTHROPIC, &own(1), &other);
    }
    last_link_is_gone(
        ANTHROPIC,
        &own(1),
        &body(json!([{"type": "text", "text": line(1)}, {"type": "text", "text": "Be bold."}])),
    );
}

#[test]
fn thinking_is_kept_or_dropped() {
    let turn = |assistant: Value| {
        json!({"messages": [
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": assistant},
            {"role": "user", "content": "go on"},
        ]})
    };
    let text = json!({"type": "text", "text": "ok"});
    let kept = turn(json!([
        {"type": "thinking", "thinking": "…", "signature": "S1"},
        {"type": "redacted_thinking", "data": "R1"},
        text,
    ]));
    last_link_recurs(ANTHROPIC, &kept, &turn(json!([text])));
    last_link_recurs(
        ANTHROPIC,
        &kept,
        &turn(json!([{"type": "thinking", "thinking": "!", "signature": "S2"}, text])),
    );
}

#[test]
fn an_assistant_message_of_nothing_but_thinking_may_be_dropped() {
    let kept = json!({"messages": [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "…", "signature": "S1"}]},
        {"role": "user", "content": "go on"},
    ]});
    let dropped = json!({"messages": [{"role": "user", "content": "hi"}, {"role": "user", "content": "go on"}]});
    assert_eq!(links(ANTHROPIC, &kept), links(ANTHROPIC, &dropped));
}

#[test]
fn chat_reasoning_is_no_part_of_the_conversation() {
    let turn =
        |assistant: Value| json!({"messages": [{"role": "user", "content": "hi"}, assistant]});
    let plain = turn(json!({"role": "assistant", "content": "ok"}));
    for volatile in [
        json!({"role": "assistant", "content": "ok", "reasoning_content": "hm"}),
        json!({"role": "assistant", "content": "ok", "reasoning": "hm", "reasoning_details": [{"type": "reasoning.text", "text": "hm"}]}),
        json!({"content": "ok", "refusal": null, "role": "assistant", "annotations": [], "audio": null, "function_call": null, "tool_calls": null}),
        json!({"role": "assistant", "content": [{"type": "text", "text": "ok"}], "id": "msg_1", "status": "completed"}),
    ] {
        assert_eq!(links(CHAT, &turn(volatile)), links(CHAT, &plain));
    }
}

#[test]
fn null_empty_and_absent_content_are_one() {
    let calls =
        json!([{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]);
    let turn = |content: Option<Value>| {
        let mut assistant = json!({"role": "assistant", "tool_calls": calls});
        if let Some(content) = content {
            assistant["content"] = content;
        }
        links(
            CHAT,
            &json!({"messages": [{"role": "user", "content": "hi"}, assistant]}),
        )
    };
    let absent = turn(None);
    for content in [
        json!(null),
        json!(""),
        json!([]),
        json!([{"type": "text", "text": ""}]),
    ] {
        assert_eq!(turn(Some(content)), absent);
    }
    assert_ne!(turn(Some(json!("x"))), absent);
}

#[test]
fn line_ends_are_one() {
    recurs(
        json!({"role": "user", "content": "a\r\nb\r\n"}),
        json!({"role": "user", "content": "a\nb\n"}),
    );
}

#[test]
fn a_reminder_stripped_later_leaves_the_links_before_it() {
    let turn = |last: Value| {
        json!({"messages": [
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": "ok"},
            {"role": "user", "content": last},
        ]})
    };
    let reminded = turn(
        json!([{"type": "text", "text": "q"}, {"type": "text", "text": "<system-reminder>r</system-reminder>"}]),
    );
    let stripped = turn(json!("q"));
    last_link_is_gone(ANTHROPIC, &reminded, &stripped);
    assert_eq!(
        links(ANTHROPIC, &reminded)[..2],
        links(ANTHROPIC, &stripped)[..2]
    );
}

#[test]
fn a_rewind_keeps_what_was_said_before_it() {
    let branch = |last: &str| {
        json!({"messages": [
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": "ok"},
            {"role": "user", "content": last},
        ]})
    };
    last_link_is_gone(CHAT, &branch("left"), &branch("right"));
    assert_eq!(
        links(CHAT, &branch("left"))[..2],
        links(CHAT, &branch("right"))[..2]
    );
}

#[test]
fn compaction_leaves_nothing_in_common() {
    let before = json!({"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ok"}]});
    let after = json!({"messages": [{"role": "user", "content": "Summary: they greeted."}]});
    let (before, after) = (links(CHAT, &before), links(CHAT, &after));
    assert!(before.iter().all(|link| !after.contains(link)));
}

#[test]
fn a_responses_string_becomes_a_message() {
    let next = json!({"instructions": "Be careful.", "input": [
        {"role": "user", "content": "hi"},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "E"},
        {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
         "content": [{"type": "output_text", "text": "ok", "annotations": [], "logprobs": []}]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "more"}]},
    ]});
    last_link_recurs(
        RESPONSES,
        &json!({"instructions": "Be careful.", "input": "hi"}),
        &next,
    );
    assert_eq!(links(RESPONSES, &next).len(), 4, "reasoning has no link");
}

#[test]
fn responses_items_are_kept_without_what_the_server_added() {
    let turn = |call: Value, output: Value| json!({"input": [{"role": "user", "content": "hi"}, call, output]});
    let sent = turn(
        json!({"type": "function_call", "id": "fc_1", "status": "completed", "call_id": "c1", "name": "f", "arguments": "{\"a\":1}"}),
        json!({"type": "function_call_output", "id": "o_1", "call_id": "c1", "output": "42"}),
    );
    let again = turn(
        json!({"type": "function_call", "call_id": "call_other", "name": "f", "arguments": "{ \"a\": 1.0 }"}),
        json!({"type": "function_call_output", "call_id": "call_other", "output": [{"type": "input_text", "text": "42"}]}),
    );
    assert_eq!(links(RESPONSES, &sent), links(RESPONSES, &again));
}

#[test]
fn gemini_turns_recur_without_thoughts_and_signatures() {
    let first = json!({
        "systemInstruction": {"role": "user", "parts": [{"text": "Be careful."}]},
        "contents": [{"role": "user", "parts": [{"text": "hi"}]}],
    });
    let next = json!({
        "system_instruction": {"parts": {"text": "Be careful."}},
        "contents": [
            {"parts": [{"text": "hi"}]},
            {"role": "model", "parts": [
                {"text": "hm", "thought": true},
                {"text": "ok", "thoughtSignature": "S"},
                {"functionCall": {"name": "f", "args": {"b": 1, "a": 2}}, "thoughtSignature": "T"},
            ]},
            {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"r": 1}}}]},
        ],
    });
    let again = json!({
        "systemInstruction": {"parts": [{"text": "Be careful."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "hi"}]},
            {"role": "model", "parts": [
                {"text": "ok"},
                {"functionCall": {"name": "f", "args": {"a": 2, "b": 1}}},
            ]},
            {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"r": 1.0}}}]},
            {"role": "model", "parts": [{"text": "done"}]},
        ],
    });
    last_link_recurs(GEMINI, &first, &next);
    last_link_recurs(GEMINI, &next, &again);
}
