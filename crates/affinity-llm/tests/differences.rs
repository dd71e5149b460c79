//! What changes a conversation changes its fingerprint.

mod common;

use common::{ANTHROPIC, CHAT, GEMINI, RESPONSES, links};
use serde_json::{Value, json};

#[track_caller]
fn differ(path: &str, bodies: &[Value]) {
    let mut last: Vec<u64> = bodies
        .iter()
        .map(|body| *links(path, body).last().unwrap())
        .collect();
    last.sort_unstable();
    last.dedup();
    assert_eq!(
        last.len(),
        bodies.len(),
        "two of these conversations have one fingerprint"
    );
}

fn chat(messages: Value) -> Value {
    json!({"messages": messages})
}

fn call(name: &str, arguments: &str) -> Value {
    chat(json!([
        {"role": "user", "content": "hi"},
        {"role": "assistant", "tool_calls": [{"id": "c", "type": "function", "function": {"name": name, "arguments": arguments}}]},
    ]))
}

#[test]
fn text_role_and_order() {
    differ(
        CHAT,
        &[
            chat(json!([{"role": "user", "content": "a"}, {"role": "user", "content": "b"}])),
            chat(json!([{"role": "user", "content": "b"}, {"role": "user", "content": "a"}])),
            chat(json!([{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}])),
            chat(json!([{"role": "user", "content": "a"}, {"role": "system", "content": "b"}])),
            chat(json!([{"role": "user", "content": "a"}, {"role": "developer", "content": "b"}])),
            chat(json!([{"role": "user", "content": "ab"}])),
            chat(json!([{"role": "user", "content": "a "}])),
            chat(json!([{"role": "user", "name": "ann", "content": "a "}])),
        ],
    );
}

#[test]
fn tool_names_arguments_and_results() {
    let result = |text: &str| {
        let mut body = call("f", "{}");
        body["messages"]
            .as_array_mut()
            .unwrap()
            .push(json!({"role": "tool", "tool_call_id": "c", "content": text}));
        body
    };
    differ(
        CHAT,
        &[
            call("f", "{}"),
            call("g", "{}"),
            call("f", "{\"a\":1}"),
            call("f", "{\"a\":2}"),
            call("f", "{\"a\":\"1\"}"),
            call("f", "{\"a\":[1]}"),
            call("f", "not json"),
            result("1"),
            result("2"),
        ],
    );
}

#[test]
fn a_failed_tool_result_is_another_one() {
    let result = |failed: Value| {
        json!({"messages": [
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "x", "is_error": failed}]},
        ]})
    };
    differ(ANTHROPIC, &[result(json!(true)), result(json!(false))]);
    assert_eq!(
        links(ANTHROPIC, &result(json!(false))),
        links(ANTHROPIC, &result(json!(null)))
    );
}

#[test]
fn which_call_a_result_answers() {
    let body = |first: &str, second: &str| {
        chat(json!([
            {"role": "user", "content": "hi"},
            {"role": "assistant", "tool_calls": [
                {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}},
                {"id": "b", "type": "function", "function": {"name": "f", "arguments": "{}"}},
            ]},
            {"role": "tool", "tool_call_id": first, "content": "x"},
            {"role": "tool", "tool_call_id": second, "content": "y"},
        ]))
    };
    differ(CHAT, &[body("a", "b"), body("b", "a")]);
}

#[test]
fn images_and_files_by_bytes_or_url() {
    let part = |part: Value| json!({"messages": [{"role": "user", "content": [part]}]});
    let image = |data: &str| {
        part(
            json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}),
        )
    };
    differ(
        ANTHROPIC,
        &[
            image("AAAA"),
            image("AAAB"),
            part(json!({"type": "image", "source": {"type": "url", "url": "https://a/1.png"}})),
            part(json!({"type": "image", "source": {"type": "url", "url": "https://a/2.png"}})),
            part(
                json!({"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "AAAA"}}),
            ),
        ],
    );
    let url = |url: &str| part(json!({"type": "image_url", "image_url": {"url": url}}));
    differ(
        CHAT,
        &[
            url("data:image/png;base64,AA"),
            url("data:image/png;base64,AB"),
            part(json!({"type": "input_audio", "input_audio": {"data": "AA", "format": "wav"}})),
        ],
    );
    let inline = |data: &str| json!({"contents": [{"role": "user", "parts": [{"inlineData": {"mimeType": "image/png", "data": data}}]}]});
    differ(GEMINI, &[inline("AAAA"), inline("AAAB")]);
    let input = |url: &str| json!({"input": [{"role": "user", "content": [{"type": "input_image", "image_url": url}]}]});
    differ(
        RESPONSES,
        &[input("https://a/1.png"), input("https://a/2.png")],
    );
}

#[test]
fn text_that_imitates_structure_stays_text() {
    differ(
        CHAT,
        &[
            chat(
                json!([{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}]),
            ),
            chat(json!([{"role": "user", "content": "a\",\"b"}])),
            chat(json!([{"role": "user", "content": "a\u{f8}b"}])),
            chat(json!([{"role": "user", "content": "a\u{0}b"}])),
            chat(json!([{"role": "user", "content": "ab"}])),
        ],
    );
}

#[test]
fn system_and_tools_are_entries_of_their_own() {
    let body = |system: &str, tool: &str| {
        json!({
            "system": system, "tools": [{"name": tool, "input_schema": {}}],
            "messages": [{"role": "user", "content": "hi"}],
        })
    };
    let (one, two) = (
        links(ANTHROPIC, &body("s", "t")),
        links(ANTHROPIC, &body("s", "u")),
    );
    assert_eq!(one.len(), 3);
    assert_eq!(one[0], two[0], "the same system prompt");
    assert_ne!(one[1], two[1], "other tools");
    differ(ANTHROPIC, &[body("s", "t"), body("s", "u"), body("r", "t")]);
}

#[test]
fn tools_are_in_the_order_of_their_names() {
    let body =
        |tools: Value| json!({"tools": tools, "messages": [{"role": "user", "content": "hi"}]});
    let (read, write) = (
        json!({"name": "read", "input_schema": {"a": 1}}),
        json!({"name": "write", "input_schema": {"a": 2}}),
    );
    assert_eq!(
        links(ANTHROPIC, &body(json!([read, write]))),
        links(ANTHROPIC, &body(json!([write, read])))
    );
    let wrap = |tool: &Value| json!({"type": "function", "function": {"description": "d", "name": tool["name"], "parameters": tool["input_schema"]}});
    assert_eq!(
        links(CHAT, &body(json!([wrap(&read), wrap(&write)]))),
        links(CHAT, &body(json!([wrap(&write), wrap(&read)]))),
    );
    let gemini = |names: [&str; 2]| {
        json!({
            "tools": [{"functionDeclarations": names.map(|name| json!({"name": name}))}],
            "contents": [{"parts": [{"text": "hi"}]}],
        })
    };
    assert_eq!(
        links(GEMINI, &gemini(["a", "b"])),
        links(GEMINI, &gemini(["b", "a"]))
    );
    assert_eq!(
        links(ANTHROPIC, &body(json!([]))),
        links(ANTHROPIC, &body(json!(null)))
    );
}

#[test]
fn tools_with_one_name_or_none_are_in_the_order_of_what_they_say() {
    let sent = |tools: String| {
        let body =
            format!(r#"{{"tools":[{tools}],"messages":[{{"role":"user","content":"hi"}}]}}"#);
        common::read(CHAT, body.as_bytes()).unwrap()
    };
    let respelled = r#"{"name":"a","x":{"c":1,"b":2}}"#;
    for (one, other) in [
        (r#"{"x":1}"#, r#"{"x":2}"#),
        (r#"{"name":"a","x":1}"#, r#"{"x":0,"name":"a"}"#),
        (respelled, r#"{"x":{"b":2,"c":0},"name":"a"}"#),
        // Only a text is a name: what an object says first is no matter of order.
        (r#"{"name":{"c":1,"b":2}}"#, r#"{"name":{"a":2,"d":1}}"#),
        ("1", r#"{"x":1}"#),
        (
            r#"{"function":{"name":"a","x":1}}"#,
            r#"{"function":{"x":2,"name":"a"}}"#,
        ),
    ] {
        let both = sent(format!("{one},{other}"));
        assert_eq!(both, sent(format!("{other},{one}")), "{one} {other}");
        for twice in [one, other] {
            assert_ne!(both, sent(format!("{twice},{twice}")), "{one} {other}");
        }
    }
    assert_eq!(
        sent(format!(r#"{respelled},{{"name":"a","x":{{"b":3}}}}"#)),
        sent(r#"{"name":"a","x":{"b":3}},{"x":{"b":2,"c":1},"name":"a"}"#.to_owned()),
    );
}
