//! Of two members of one object with one name the last counts, and of the first nothing does; a
//! member that is null is as good as none.

mod common;
#[path = "duplicates/noise.rs"]
mod noise;

use std::time::{Duration, Instant};

use affinity_hash::{ChainBuilder, Scope};
use affinity_llm::{NoFingerprint, Request, Scratch, SessionRules};
use common::generate::{known, random};
use common::{ANTHROPIC, CHAT, GEMINI, RESPONSES, read};
use noise::{BODY, Noise, Place};
use proptest::prelude::*;
use serde_json::{Value, json};

/// All that a request tells.
#[derive(Clone, Debug, PartialEq)]
struct Seen {
    fingerprint: Result<(Vec<u64>, usize, usize, usize), NoFingerprint>,
    bound: bool,
    stream: bool,
    named: [Option<String>; 3],
}

fn seen_in(path: &str, body: &str, scratch: &mut Scratch) -> Seen {
    let request = Request::read(&(), path, body.as_bytes(), scratch);
    let mut chain = ChainBuilder::new();
    let fingerprint = request.fingerprint(Scope::public(), &mut chain);
    let rules = SessionRules::default();
    Seen {
        fingerprint: fingerprint
            .map(|it| (it.links.to_vec(), it.opener, it.turns, it.prefix_bytes)),
        bound: request.bound(),
        stream: request.stream(),
        named: [
            request.dialect().map(|dialect| dialect.name().to_owned()),
            request.model().map(str::to_owned),
            request
                .session(&rules)
                .map(|session| session.id().to_owned()),
        ],
    }
}

fn seen(path: &str, body: &str) -> Seen {
    seen_in(path, body, &mut Scratch::new())
}

/// Asserts that a body with duplicates tells what it tells without them.
#[track_caller]
fn same(path: &str, twice: &str, once: &str) {
    let once = seen(path, once);
    assert!(once.fingerprint.is_ok(), "{once:?}");
    assert_eq!(seen(path, twice), once, "{twice}");
}

#[track_caller]
fn same_message(twice: &str, once: &str) {
    let body = |message: &str| {
        let result = r#"{"role":"tool","tool_call_id":"a","content":"r"}"#;
        format!(r#"{{"messages":[{{"role":"user","content":"q"}},{message},{result}]}}"#)
    };
    same(CHAT, &body(twice), &body(once));
}

#[test]
fn content_that_null_overwrites_does_not_hide_what_has_another_name() {
    same(
        CHAT,
        r#"{"messages":[{"content":"no","parts":"hi","content":null}]}"#,
        r#"{"messages":[{"parts":"hi","content":null}]}"#,
    );
}

#[test]
fn a_text_that_is_overwritten_is_no_user_turn() {
    same_message(r#"{"content":"x","content":""}"#, r#"{"content":""}"#);
    same_message(
        r#"{"content":[{"text":"x","text":""}]}"#,
        r#"{"content":[{"text":""}]}"#,
    );
}

#[test]
fn of_two_wrapped_requests_only_the_last_counts() {
    let contents = r#""contents":[{"parts":[{"text":"hi"}]}]"#;
    let first = r#""systemInstruction":"s","tools":[{"name":"t"}],"session_id":"s""#;
    for last in [format!("{{{contents}}}"), "null".to_owned()] {
        let once = format!(r#"{{"request":{last},{contents}}}"#);
        let twice = format!(r#"{{"request":{{{first}}},"request":{last},{contents}}}"#);
        same(GEMINI, &twice, &once);
    }
}

#[test]
fn of_two_functions_only_the_last_counts() {
    for last in [r#"{"arguments":"{}"}"#, "null"] {
        same_message(
            &format!(
                r#"{{"tool_calls":[{{"function":{{"id":"a","name":"f","x":1}},"function":{last}}}]}}"#
            ),
            &format!(r#"{{"tool_calls":[{{"function":{last}}}]}}"#),
        );
        let tools = |first: &str| {
            format!(
                r#"{{"tools":[{{{first}"function":{last}}},{{"name":"e"}}],"messages":[{{"content":"q"}}]}}"#
            )
        };
        same(CHAT, &tools(r#""function":{"name":"f"},"#), &tools(""));
    }
}

#[test]
fn calls_that_are_overwritten_take_no_number() {
    let call = |id: &str| format!(r#"[{{"id":"{id}","function":{{"name":"f"}}}}]"#);
    let used = |id: &str| format!(r#"[{{"type":"tool_use","id":"{id}","name":"f"}}]"#);
    let calls = call("a");
    for (name, first) in [
        ("tool_calls", call("b")),
        ("content", used("b")),
        ("parts", used("b")),
        ("function_call", r#"{"id":"b","name":"f"}"#.to_owned()),
    ] {
        let last = if name == "tool_calls" { &calls } else { "null" };
        same_message(
            &format!(r#"{{"{name}":{first},"{name}":{last},"tool_calls":{calls}}}"#),
            &format!(r#"{{"tool_calls":{calls}}}"#),
        );
    }
    same_message(
        r#"{"content":[{"type":"tool_use","id":"b","functionCall":{"name":"f"},"functionCall":null},{"type":"tool_use","id":"a"}]}"#,
        r#"{"content":[{"type":"tool_use","id":"b"},{"type":"tool_use","id":"a"}]}"#,
    );
}

#[test]
fn null_overwrites_members_that_mean_nothing_in_particular() {
    for (twice, once) in [
        (r#"{"type":"image","x":1,"x":null}"#, r#"{"type":"image"}"#),
        (
            r#"{"type":"tool_result","is_error":true,"is_error":false}"#,
            r#"{"type":"tool_result"}"#,
        ),
        (
            r#"{"type":"image","source":{"x":1,"x":null}}"#,
            r#"{"type":"image","source":{}}"#,
        ),
    ] {
        same_message(
            &format!(r#"{{"content":[{twice}]}}"#),
            &format!(r#"{{"content":[{once}]}}"#),
        );
    }
    same_message(
        r#"{"content":"a","refusal":"r","refusal":null}"#,
        r#"{"content":"a"}"#,
    );
    // More of them than anybody looks at.
    let many: String = (0..40).map(|at| format!(r#""k{at}":{at},"#)).collect();
    same_message(
        &format!(r#"{{"tool_calls":[{{{many}"k7":null}}]}}"#),
        &format!(
            r#"{{"tool_calls":[{{{}"name":null}}]}}"#,
            many.replace(r#""k7":7,"#, "")
        ),
    );
}

#[test]
fn what_is_overwritten_binds_nothing() {
    let content = r#""contents":[{"parts":[{"text":"hi"}]}]"#;
    same(
        GEMINI,
        &format!(r#"{{"cachedContent":"c",{content},"cachedContent":null}}"#),
        &format!("{{{content}}}"),
    );
    let image = r#"{"content":[{"type":"image"}]}"#;
    for twice in [
        r#"{"content":[{"type":"image","file_id":"f","file_id":null}]}"#,
        r#"{"content":[{"type":"image","file":{"file_id":"f"},"file":null}]}"#,
        r#"{"encrypted_content":"E","content":[{"type":"image"}],"encrypted_content":null}"#,
        r#"{"reasoning_details":[{"type":"reasoning.encrypted"}],"content":[{"type":"image"}],"reasoning_details":[]}"#,
        r#"{"reasoning_details":[{"type":"reasoning.encrypted","type":"x"}],"content":[{"type":"image"}]}"#,
        r#"{"content":[{"file_id":"f"}],"content":[{"type":"image"}]}"#,
    ] {
        same_message(twice, image);
    }
    same_message(
        r#"{"content":[{"type":"image","file":{"file_id":"f","file_id":null}}]}"#,
        r#"{"content":[{"type":"image","file":{}}]}"#,
    );
}

#[test]
fn what_is_overwritten_does_not_tell_the_dialect() {
    let messages = r#""messages":[{"content":"hi"}]"#;
    for member in ["system", "thinking", "input", "contents"] {
        let once = seen("/", &format!("{{{messages}}}"));
        for twice in [
            format!(r#"{{"{member}":null,{messages}}}"#),
            format!(r#"{{"{member}":[{{"content":"a"}}],{messages},"{member}":null}}"#),
        ] {
            assert_eq!(seen("/", &twice), once, "{twice}");
        }
    }
}

#[test]
fn a_key_is_the_same_however_it_is_spelled() {
    same_message(
        r#"{"content":"x","c\u006fntent":[]}"#,
        r#"{"content":null}"#,
    );
    same_message(r#"{"\u0078":"x", "x" :null}"#, r#"{"content":null}"#);
}

#[test]
fn a_system_prompt_that_null_overwrites_does_not_hide_what_has_another_name() {
    let sent = |system: &str| {
        format!(r#"{{"systemInstruction":{{{system}}},"contents":[{{"parts":[{{"text":"q"}}]}}]}}"#)
    };
    same(
        GEMINI,
        &sent(r#""parts":"no","text":"s","parts":null"#),
        &sent(r#""text":"s""#),
    );
    same(
        GEMINI,
        &sent(r#""text":"no","text":null"#),
        &sent(r#""text":null"#),
    );
}

#[test]
fn however_many_duplicates_there_are_they_are_read_in_proportion() {
    let question = r#""messages":[{"content":"q"}]}"#;
    let calls = r#"{"messages":[{"content":"q"},{"tool_calls":[{"#;
    let mut cases = Vec::new();
    for (before, member, after) in [
        (
            r#"{"messages":[{"#,
            r#""content":"x","#,
            r#""content":"q"}]}"#,
        ),
        ("{", r#""messages":[{"content":"x"}],"#, question),
        ("{", r#""request":{"tools":[{}]},"#, question),
        (
            r#"{"tools":["#,
            r#"{"b":1,"a":1},"#,
            r#"{}],"messages":[{"content":"q"}]}"#,
        ),
        (calls, r#""x":1,"x":null,"#, r#""id":"a"}]}]}"#),
    ] {
        let body = move |times: usize| format!("{before}{}{after}", member.repeat(times));
        cases.push(Box::new(body) as Box<dyn Fn(usize) -> String>);
    }
    // Each null might be one of them.
    cases.push(Box::new(move |times| {
        let keys: String = (0..times).map(|at| format!(r#""k{at}":1,"#)).collect();
        let nulls: String = (0..times).map(|at| format!(r#""n{at}":null,"#)).collect();
        format!(r#"{calls}{keys}{nulls}"id":"a"}}]}}]}}"#)
    }));
    for body in cases {
        let time = |body: &str| {
            let mut scratch = Scratch::new();
            let start = Instant::now();
            assert!(seen_in(CHAT, body, &mut scratch).fingerprint.is_ok());
            start.elapsed()
        };
        let few = body(1000);
        let least = (0..3).map(|_| time(&few)).min().unwrap();
        // Fifty times as many; what grows with their square takes 2,500 times as long.
        let took = time(&body(50_000));
        assert!(
            took < 300 * least + Duration::from_secs(1),
            "{took:?}, {least:?}"
        );
    }
}

#[test]
fn duplicates_inside_of_duplicates_are_read_in_proportion() {
    // Were every level read twice by the level around it, this would take longer than the sun has.
    let mut twice = r#""x""#.to_owned();
    let mut once = twice.clone();
    for _ in 0..60 {
        once = format!(r#"[{{"type":"tool_result","content":{once}}}]"#);
        twice = format!(r#"[{{"type":"tool_result","content":1,"content":{twice}}}]"#);
    }
    same_message(
        &format!(r#"{{"content":{twice}}}"#),
        &format!(r#"{{"content":{once}}}"#),
    );
    let nested = |open: &str, close: &str| {
        format!(
            r#"{{"tools":[{}1{}],"messages":[{{"content":"q"}}]}}"#,
            open.repeat(60),
            close.repeat(60)
        )
    };
    same(
        CHAT,
        &nested(r#"{"function":{"name":"a"},"function":"#, "}"),
        &nested(r#"{"function":"#, "}"),
    );
    let list = nested(r#"{"functionDeclarations":["#, "]}");
    assert!(read(CHAT, list.as_bytes()).is_ok());
}

#[test]
fn reading_duplicates_again_allocates_nothing() {
    let body = r#"{"messages":[{"content":"q"}],"messages":[{"content":"x","parts":[{"b":1,"a":1}],"content":null}],"tools":[{"b":1,"a":2},{"a":1}]}"#;
    let mut scratch = Scratch::new();
    let mut run = || {
        let request = Request::read(&(), CHAT, body.as_bytes(), &mut scratch);
        assert_eq!(request.entries().count(), 2);
    };
    run();
    let info = allocation_counter::measure(run);
    assert_eq!(info.count_total, 0, "{info:?}");
    // Nor does the next body lose a member because of this one.
    let next = r#"{"messages":[{"content":"q"}],"tools":[{"a":1}],"model":"m"}"#;
    assert_eq!(seen_in(CHAT, next, &mut scratch), seen(CHAT, next));
}

/// Conversations as clients send them, one for each dialect and one in Code Assist's form.
fn sent(which: usize, value: &Value) -> (&'static str, Value) {
    let calls = json!([
        {"id": "a", "type": "function", "function": {"name": "f", "arguments": value.to_string()}},
        {"type": "custom", "custom": {"name": "g", "input": "x"}},
        {"id": "b", "function": {"name": "f", "arguments": value}},
    ]);
    let blocks = json!([
        {"type": "thinking", "thinking": "t", "signature": "S"},
        {"type": "text", "text": "x"},
        {"type": "tool_use", "id": "a", "name": "f", "input": value},
        {"type": "tool_use", "name": "f", "input": {}},
        {"type": "tool_use", "id": "b", "name": "f", "input": {}},
    ]);
    let result = json!([
        {"type": "tool_result", "tool_use_id": "b", "is_error": true, "content": [{"type": "text", "text": "r"}]},
        {"type": "document", "source": {"type": "text", "data": "d", "content": [{"text": "x"}]}},
    ]);
    let gemini = json!({
        "systemInstruction": {"role": "user", "parts": [{"text": "s"}]},
        "tools": [{"functionDeclarations": [{"name": "g", "parameters": value}, {"name": "f"}]}, {"googleSearch": {}}],
        "contents": [
            {"role": "user", "parts": [{"text": "q"}, {"inlineData": {"data": "AA"}}]},
            {"role": "model", "parts": [{"text": "t", "thought": true}, {"functionCall": {"id": "a", "name": "f", "args": value}}, {"functionCall": {"id": "b", "name": "g"}}]},
            {"role": "user", "parts": [{"functionResponse": {"id": "b", "name": "g", "response": {"r": value}}}]},
        ],
        "session_id": "s",
    });
    match which {
        0 => (
            CHAT,
            json!({"model": "m", "stream": true, "tools": [{"type": "function", "function": {"name": "f", "parameters": value}}, {"type": "custom", "custom": {"name": "g"}}], "messages": [
                {"role": "system", "content": "s"}, {"role": "user", "content": [{"type": "text", "text": "q"}, {"type": "image_url", "image_url": {"url": "u"}}]},
                {"role": "assistant", "content": "x", "refusal": null, "tool_calls": calls}, {"role": "tool", "tool_call_id": "b", "content": "r"}, value,
                {"role": "assistant", "content": "", "function_call": {"name": "f", "arguments": "{}"}}, {"role": "user", "content": "p"}]}),
        ),
        1 => (
            ANTHROPIC,
            json!({"model": "m", "system": [{"type": "text", "text": "s"}], "tools": [{"name": "f", "input_schema": value}, {"name": "e"}], "metadata": {"user_id": "{\"session_id\":\"u\"}"}, "messages": [
                {"role": "user", "content": "q"}, {"role": "assistant", "content": blocks}, {"role": "user", "content": result}, value]}),
        ),
        2 => (
            RESPONSES,
            json!({"model": "m", "instructions": "s", "prompt_cache_key": "k", "conversation": {"id": "c"}, "tools": [{"type": "function", "name": "f", "parameters": value}, {"type": "web_search"}], "input": [
                {"role": "user", "content": [{"type": "input_text", "text": "q"}, {"type": "input_image", "image_url": "u"}]}, {"type": "reasoning", "summary": []},
                {"type": "function_call", "call_id": "a", "name": "f", "arguments": value.to_string()}, {"type": "web_search_call", "action": value},
                {"type": "function_call", "call_id": "b", "name": "f", "arguments": "{}"}, {"type": "function_call_output", "call_id": "b", "output": "r"}, value]}),
        ),
        3 => (GEMINI, gemini),
        _ => (
            GEMINI,
            json!({"model": "m", "project": "p", "request": gemini, "system_instruction": "t", "tools": value}),
        ),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]
    #[test]
    fn what_is_overwritten_or_null_is_as_if_it_were_not_there(
        which in 0_usize..5,
        value in known(),
        values in prop::collection::vec(known(), 0..4),
        told in any::<bool>(),
        seed: u32,
    ) {
        let (path, body) = sent(which, &value);
        let path = if told { path } else { "/" };
        let expected = seen(path, &body.to_string());
        let mut scratch = Scratch::new();
        let mut random = random(seed);
        for _ in 0..4 {
            let mut noise = Noise { random: &mut random, values: &values, out: String::new() };
            noise.value(&body, Place::Body);
            prop_assert_eq!(seen_in(path, &noise.out, &mut scratch), expected.clone(), "{}", noise.out);
        }
    }

    #[test]
    fn so_it_is_in_bodies_that_no_client_sends(
        path in prop::sample::select(vec![CHAT, RESPONSES, ANTHROPIC, GEMINI, "/"]),
        place in prop::sample::select(vec!["messages", "input", "contents"]),
        messages in prop::collection::vec(known(), 1..5),
        others in prop::collection::btree_map(prop::sample::select(BODY), known(), 0..5),
        wrapped in any::<bool>(),
        seed: u32,
    ) {
        let mut conversation = vec![json!({"role": "user", "content": "q"})];
        conversation.extend(messages.iter().cloned());
        let mut body: Value = others.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        let holder = if wrapped { &mut body["request"] } else { &mut body };
        if !holder.is_object() {
            *holder = json!({});
        }
        holder[place] = Value::from(conversation);
        let expected = seen(path, &body.to_string());
        let mut random = random(seed);
        for _ in 0..4 {
            let mut noise = Noise { random: &mut random, values: &messages, out: String::new() };
            noise.value(&body, Place::Body);
            prop_assert_eq!(seen(path, &noise.out), expected.clone(), "{}", noise.out);
        }
    }
}
