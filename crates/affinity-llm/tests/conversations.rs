//! Whole conversations, sent turn by turn in all four dialects with everything volatile changed
//! between turns: every turn after the first is recalled by the last link of the one before.

mod common;

use std::fs;
use std::time::Duration;

use affinity_table::Table;
use common::{ANTHROPIC, CHAT, GEMINI, RESPONSES, links};
use serde_json::{Value, json};

const TAU_BENCH: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../../shared/traces/tau-bench-airline.json"
);

/// Debug builds take part of the 200.
const TRANSCRIPTS: usize = if cfg!(debug_assertions) { 20 } else { 200 };

#[test]
fn tau_bench_recalls_every_later_turn() {
    let Ok(text) = fs::read(TAU_BENCH) else {
        eprintln!("skipped: no trace at {TAU_BENCH}");
        return;
    };
    let transcripts: Vec<Value> = serde_json::from_slice(&text).unwrap();
    for transcript in transcripts.iter().take(TRANSCRIPTS) {
        replay(transcript["traj"].as_array().unwrap());
    }
}

#[test]
fn generated_agents_recall_every_later_turn() {
    for seed in 0..12 {
        replay(&agent(seed));
    }
}

/// Sends every request that led to an assistant's message, and remembers it.
fn replay(conversation: &[Value]) {
    for (path, request) in [
        (CHAT, chat as fn(&[Value], usize) -> Value),
        (RESPONSES, responses),
        (ANTHROPIC, anthropic),
        (GEMINI, gemini),
    ] {
        let table = Table::new(1 << 12, Duration::from_secs(3600));
        let mut before: Vec<u64> = Vec::new();
        let turns = conversation
            .iter()
            .enumerate()
            .filter(|(_, message)| message["role"] == "assistant");
        for (turn, (at, _)) in turns.enumerate() {
            let sent = links(path, &request(&conversation[..at], turn));
            if turn > 0 {
                assert_eq!(table.recall(&sent), Some(turn - 1), "{path}, turn {turn}");
                assert_eq!(sent[..before.len()], before, "{path}, turn {turn}");
            }
            table.remember(&sent, turn);
            before = sent;
        }
    }
}

fn tools(turn: usize, tool: impl Fn(&str) -> Value) -> Value {
    let mut tools: Vec<_> = ["book", "cancel", "search"].map(tool).into();
    tools.rotate_left(turn % 3);
    tools.into()
}

/// A text as a string or as parts, marked if it is the newest.
fn content(text: &Value, turn: usize, at: usize, kind: &str, newest: bool) -> Value {
    if (turn + at).is_multiple_of(2) && !newest {
        return text.clone();
    }
    let mut part = json!({"type": kind, "text": text});
    if newest {
        part["cache_control"] = json!({"type": "ephemeral"});
    }
    json!([part])
}

fn chat(messages: &[Value], turn: usize) -> Value {
    let last = messages.len() - 1;
    let messages: Vec<_> = messages
        .iter()
        .enumerate()
        .map(|(at, message)| {
            let mut sent = message.clone();
            if message["content"].is_string() {
                sent["content"] = content(&message["content"], turn, at, "text", at == last);
            }
            if message["role"] == "assistant" {
                sent["reasoning_content"] = json!(format!("turn {turn}"));
                sent["id"] = json!(format!("msg_{turn}_{at}"));
            }
            if turn % 3 == 1 && message["tool_calls"].is_null() {
                sent.as_object_mut().unwrap().remove("tool_calls");
            }
            sent
        })
        .collect();
    json!({"messages": messages, "temperature": turn, "tools": tools(turn, |name| json!({"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}))})
}

fn calls(message: &Value) -> impl Iterator<Item = (&Value, &str, &str)> {
    message["tool_calls"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|call| {
            let function = &call["function"];
            (
                &call["id"],
                function["name"].as_str().unwrap(),
                function["arguments"].as_str().unwrap(),
            )
        })
}

fn responses(messages: &[Value], turn: usize) -> Value {
    let mut input = Vec::new();
    for (at, message) in messages.iter().enumerate().skip(1) {
        match message["role"].as_str().unwrap() {
            "tool" => input.push(json!({"type": "function_call_output", "id": format!("fco_{turn}"), "call_id": message["tool_call_id"], "output": message["content"]})),
            role => {
                if role == "assistant" && turn.is_multiple_of(2) {
                    input.push(json!({"type": "reasoning", "id": format!("rs_{turn}"), "summary": [], "encrypted_content": "E"}));
                }
                if message["content"].is_string() || message["content"].is_array() {
                    let kind = if role == "user" { "input_text" } else { "output_text" };
                    let said = if message["content"].is_array() { message["content"].clone() } else { content(&message["content"], turn, at, kind, false) };
                    input.push(json!({"type": "message", "role": role, "id": format!("msg_{turn}_{at}"), "status": "completed", "content": said}));
                }
                input.extend(calls(message).map(|(id, name, arguments)| {
                    json!({"type": "function_call", "call_id": id, "id": format!("fc_{turn}"), "name": name, "arguments": arguments})
                }));
            }
        }
    }
    json!({"instructions": messages[0]["content"], "input": input})
}

fn anthropic(messages: &[Value], turn: usize) -> Value {
    let last = messages.len() - 1;
    let sent: Vec<_> = messages.iter().enumerate().skip(1).map(|(at, message)| {
        let role = message["role"].as_str().unwrap();
        if role == "tool" {
            let mut result = json!({"type": "tool_result", "tool_use_id": message["tool_call_id"], "content": content(&message["content"], turn, at, "text", false)});
            if at == last {
                result["cache_control"] = json!({"type": "ephemeral"});
            }
            return json!({"role": "user", "content": [result]});
        }
        if role == "user" {
            let said = if message["content"].is_array() { message["content"].clone() } else { content(&message["content"], turn, at, "text", at == last) };
            return json!({"role": role, "content": said});
        }
        let mut blocks = Vec::new();
        if turn.is_multiple_of(2) {
            blocks.push(json!({"type": "thinking", "thinking": format!("{turn}"), "signature": "S"}));
        }
        if message["content"].is_string() {
            blocks.push(json!({"type": "text", "text": message["content"]}));
        }
        blocks.extend(calls(message).map(|(id, name, arguments)| {
            json!({"type": "tool_use", "id": id, "name": name, "input": serde_json::from_str::<Value>(arguments).unwrap()})
        }));
        json!({"role": role, "content": blocks})
    }).collect();
    let attribution =
        format!("x-anthropic-billing-header: cc_version=2.1.9.{turn}; cch={turn:05x};");
    json!({
        "system": [{"type": "text", "text": attribution}, {"type": "text", "text": messages[0]["content"], "cache_control": {"type": "ephemeral"}}],
        "tools": tools(turn, |name| json!({"name": name, "input_schema": {"type": "object"}})),
        "messages": sent,
    })
}

fn gemini(messages: &[Value], turn: usize) -> Value {
    let contents: Vec<_> = messages.iter().skip(1).map(|message| match message["role"].as_str().unwrap() {
        "tool" => json!({"role": "user", "parts": [{"functionResponse": {"name": message["name"], "response": {"result": message["content"]}}}]}),
        "user" => {
            let parts = if message["content"].is_array() { message["content"].clone() } else { json!([{"text": message["content"]}]) };
            if turn.is_multiple_of(2) { json!({"parts": parts}) } else { json!({"role": "user", "parts": parts}) }
        }
        _ => {
            let mut parts = Vec::new();
            if turn.is_multiple_of(2) {
                parts.push(json!({"text": format!("{turn}"), "thought": true}));
            }
            if message["content"].is_string() {
                parts.push(json!({"text": message["content"], "thoughtSignature": format!("{turn}")}));
            }
            parts.extend(calls(message).map(|(_, name, arguments)| {
                json!({"functionCall": {"name": name, "args": serde_json::from_str::<Value>(arguments).unwrap()}})
            }));
            json!({"role": "model", "parts": parts})
        }
    }).collect();
    json!({
        "systemInstruction": {"parts": [{"text": messages[0]["content"]}]},
        "tools": [{"functionDeclarations": tools(turn, |name| json!({"name": name}))}],
        "contents": contents,
    })
}

/// A coding agent's conversation: an image, parallel calls, results, a second question.
fn agent(seed: usize) -> Vec<Value> {
    let image = json!({"type": "image_url", "image_url": {"url": format!("data:image/png;base64,{seed:08}")}});
    let mut said = vec![
        json!({"role": "system", "content": "You are a coding agent.\r\nBe careful."}),
        json!({"role": "user", "content": [{"type": "text", "text": format!("Task {seed}")}, image]}),
    ];
    for step in 0..4 + seed % 5 {
        let call = |part: usize| {
            json!({"id": format!("call_{seed}_{step}_{part}"), "type": "function", "function": {
                "name": "search", "arguments": json!({"z": step, "a": {"part": part, "text": "é\n\"x\""}}).to_string(),
            }})
        };
        let parallel = 1 + (seed + step) % 3;
        said.push(json!({"role": "assistant", "content": if step % 2 == 0 { json!("Looking.") } else { Value::Null }, "tool_calls": (0..parallel).map(call).collect::<Vec<_>>()}));
        for part in 0..parallel {
            said.push(json!({"role": "tool", "name": "search", "tool_call_id": format!("call_{seed}_{step}_{part}"), "content": format!("line {step}\nresult {part}")}));
        }
    }
    said.push(json!({"role": "assistant", "content": "Done."}));
    said.push(json!({"role": "user", "content": "Thanks, now the other one."}));
    said.push(json!({"role": "assistant", "content": "Sure."}));
    said
}
