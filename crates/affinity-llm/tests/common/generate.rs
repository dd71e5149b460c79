//! Bodies that use every rule, and other ways to spell them.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{ANTHROPIC, CHAT, GEMINI, RESPONSES};

/// The names that mean something in some dialect, several of them the same.
pub(crate) const NAMES: &[&str] = &[
    "role",
    "type",
    "content",
    "parts",
    "text",
    "name",
    "id",
    "tool_calls",
    "function_call",
    "functionCall",
    "functionResponse",
    "function_response",
    "function",
    "custom",
    "arguments",
    "args",
    "input",
    "output",
    "call_id",
    "tool_call_id",
    "tool_use_id",
    "source",
    "thought",
    "encrypted_content",
    "file_id",
    "file",
    "is_error",
    "reasoning_details",
    "cache_control",
    "thoughtSignature",
    "status",
    "refusal",
    "x",
];

/// Values made of these names, with ids that meet, so that every rule gets its turn.
pub(crate) fn known() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "",
        "a",
        "b",
        "user",
        "assistant",
        "tool_use",
        "tool_result",
        "function",
        "message",
        "function_call",
        "function_call_output",
        "reasoning",
        "thinking",
        "{\"k\":1}",
    ]);
    let leaf = prop_oneof![
        6 => word.prop_map(Value::from),
        1 => Just(Value::Null),
        1 => Just(json!([])),
        1 => Just(json!({})),
        1 => Just(json!(true)),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            1 => prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            3 => prop::collection::btree_map(prop::sample::select(NAMES), inner, 1..7)
                .prop_map(|members| members.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()),
        ]
    })
}

/// Spells a value in another way: order of keys, white space, escapes.
pub(crate) fn respell(value: &Value, random: &mut impl FnMut() -> u32, out: &mut String) {
    let space = |random: &mut dyn FnMut() -> u32, out: &mut String| {
        out.push_str(["", " ", "\n\t", "  \r\n"][random() as usize % 4])
    };
    space(random, out);
    match value {
        Value::Object(members) => {
            out.push('{');
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_cached_key(|_| random());
            for (at, (key, value)) in members.into_iter().enumerate() {
                out.push_str(if at == 0 { "" } else { "," });
                space(random, out);
                respell_text(key, random, out);
                space(random, out);
                out.push(':');
                respell(value, random, out);
            }
            out.push('}');
        }
        Value::Array(elements) => {
            out.push('[');
            for (at, value) in elements.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { "," });
                respell(value, random, out);
            }
            space(random, out);
            out.push(']');
        }
        Value::String(text) => respell_text(text, random, out),
        Value::Number(number) if number.is_f64() && random().is_multiple_of(2) => {
            out.push_str(&format!("{:e}", number.as_f64().unwrap()));
        }
        Value::Number(number)
            if number.as_i64().is_some_and(|n| n.abs() < 1 << 53) && random().is_multiple_of(2) =>
        {
            out.push_str(&format!("{number}.0"));
        }
        other => out.push_str(&other.to_string()),
    }
    space(random, out);
}

pub(crate) fn respell_text(text: &str, random: &mut impl FnMut() -> u32, out: &mut String) {
    out.push('"');
    for char in text.chars() {
        match char {
            '/' if random().is_multiple_of(2) => out.push_str("\\/"),
            '"' | '\\' | '\0'..' ' => units(char, out),
            _ if random().is_multiple_of(4) => units(char, out),
            _ => out.push(char),
        }
    }
    out.push('"');
}

fn units(char: char, out: &mut String) {
    for unit in char.encode_utf16(&mut [0; 2]) {
        out.push_str(&format!("\\u{unit:04X}"));
    }
}

pub(crate) fn random(seed: u32) -> impl FnMut() -> u32 {
    let mut state = seed | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    }
}

/// A body with that value wherever a client's own JSON may be.
pub(crate) fn body(dialect: usize, text: &str, value: &Value) -> (&'static str, Value) {
    let message = json!({"role": "user", "content": [{"type": "text", "text": format!("q{text}")}, {"type": "other", "x": value}]});
    match dialect {
        0 => (
            CHAT,
            json!({"tools": [{"type": "function", "function": {"name": "f", "parameters": value}}], "messages": [
            message, {"role": "assistant", "content": null, "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": value.to_string()}}]},
            {"role": "tool", "tool_call_id": "c", "content": text}, value]}),
        ),
        1 => (
            ANTHROPIC,
            json!({"system": text, "tools": [{"name": "f", "input_schema": value}, {"name": "e"}], "messages": [
            message, {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "f", "input": value}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": text, "extra": value}]}]}),
        ),
        2 => (
            RESPONSES,
            json!({"instructions": text, "input": [message, {"type": "custom", "x": value},
            {"type": "function_call", "call_id": "c", "name": "f", "arguments": value.to_string()}]}),
        ),
        _ => (
            GEMINI,
            json!({"contents": [{"parts": [{"text": format!("q{text}")}, {"functionCall": {"name": "f", "args": value}}, value]}]}),
        ),
    }
}
