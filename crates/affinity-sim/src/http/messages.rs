//! Anthropic Messages.

use bytes::Bytes;
use serde_json::{Value, json};

use super::ask::{Ask, Extra, Tool, list, maximum, model, tool_due};
use super::problem::Problem;
use super::prompt::{Lifetime, Prompt};
use super::serve::Answer;
use super::sse;

pub(super) fn read(body: &Value) -> Result<Ask, Problem> {
    if !body["max_tokens"].is_u64() {
        return Err(Problem::invalid("max_tokens", "field required"));
    }
    let prompt = prompt(body)?;
    let last = list(body, "messages")?.last();
    let after_user = last.is_some_and(|last| last["role"] == "user" && !holds_tool_result(last));
    Ok(Ask {
        model: model(body)?,
        prompt,
        stream: body["stream"] == true,
        max_tokens: maximum(body, &["max_tokens"]),
        tool: tool_due(body, after_user, |tool| {
            Some(Tool {
                name: tool["name"].as_str()?.to_owned(),
                schema: tool["input_schema"].clone(),
            })
        }),
        extra: Extra::Messages,
    })
}

/// The rendered prompt: what `count_tokens` counts.
pub(super) fn prompt(body: &Value) -> Result<Prompt, Problem> {
    let mut prompt = Prompt::default();
    if let Some(tools) = body["tools"].as_array() {
        prompt.role("tools");
        for tool in tools {
            let mut bare = tool.clone();
            strip(&mut bare);
            prompt.json(&bare, lifetime(tool));
        }
    }
    if !body["system"].is_null() {
        prompt.role("system");
        content(&mut prompt, &body["system"]);
    }
    for message in list(body, "messages")? {
        match message["role"].as_str() {
            Some(role @ ("user" | "assistant")) => prompt.role(role),
            _ => return Err(Problem::invalid("messages", "roles are user and assistant")),
        }
        content(&mut prompt, &message["content"]);
    }
    // Automatic caching: a breakpoint at the last block.
    if let Some(lifetime) = lifetime(body) {
        prompt.mark_last(lifetime);
    }
    Ok(prompt)
}

fn content(prompt: &mut Prompt, content: &Value) {
    match content {
        Value::String(text) => prompt.block(text, None),
        Value::Array(blocks) => blocks.iter().for_each(|block| {
            let breakpoint = lifetime(block);
            match (block["type"].as_str(), block["text"].as_str()) {
                // The provider drops the thinking of earlier turns.
                (Some("thinking" | "redacted_thinking"), _) => {}
                (Some("text"), Some(text)) => prompt.block(text, breakpoint),
                _ => {
                    let mut bare = block.clone();
                    strip(&mut bare);
                    prompt.json(&bare, breakpoint);
                }
            }
        }),
        _ => {}
    }
}

/// A marker is about the cache and no part of the prompt.
fn strip(block: &mut Value) {
    if let Some(fields) = block.as_object_mut() {
        fields.remove("cache_control");
    }
}

fn lifetime(block: &Value) -> Option<Lifetime> {
    let marker = &block["cache_control"];
    match (marker["type"].as_str(), marker["ttl"].as_str()) {
        (Some("ephemeral"), Some("1h")) => Some(Lifetime::Hour),
        (Some("ephemeral"), _) => Some(Lifetime::Short),
        _ => None,
    }
}

fn holds_tool_result(message: &Value) -> bool {
    message["content"]
        .as_array()
        .is_some_and(|blocks| blocks.iter().any(|block| block["type"] == "tool_result"))
}

fn usage(answer: &Answer<'_>, output: usize) -> Value {
    let usage = answer.usage;
    json!({
        "input_tokens": usage.prompt - usage.cached - usage.written,
        "cache_creation_input_tokens": usage.written,
        "cache_read_input_tokens": usage.cached,
        // All as short ones: which lifetime they were written with is not kept apart.
        "cache_creation": {
            "ephemeral_5m_input_tokens": usage.written,
            "ephemeral_1h_input_tokens": 0,
        },
        "output_tokens": output,
        "service_tier": "standard",
    })
}

fn stop_reason(answer: &Answer<'_>) -> &'static str {
    match (&answer.reply.call, answer.reply.cut) {
        (Some(_), _) => "tool_use",
        (None, true) => "max_tokens",
        (None, false) => "end_turn",
    }
}

fn message(answer: &Answer<'_>, content: Value, stop: Value, usage: Value) -> Value {
    json!({
        "id": format!("msg_{}", answer.serial),
        "type": "message",
        "role": "assistant",
        "model": answer.ask.model,
        "content": content,
        "stop_reason": stop,
        "stop_sequence": null,
        "usage": usage,
    })
}

fn tool_use(answer: &Answer<'_>, name: &str, input: Value) -> Value {
    json!({
        "type": "tool_use",
        "id": format!("toolu_{}", answer.serial),
        "name": name,
        "input": input,
    })
}

pub(super) fn whole(answer: &Answer<'_>) -> Value {
    let block = match &answer.reply.call {
        Some(call) => {
            let input = serde_json::from_str(&call.arguments).unwrap_or_else(|_| json!({}));
            tool_use(answer, &call.name, input)
        }
        None => json!({ "type": "text", "text": answer.reply.text() }),
    };
    let usage = usage(answer, answer.usage.output);
    message(answer, json!([block]), json!(stop_reason(answer)), usage)
}

pub(super) fn events(answer: &Answer<'_>) -> Vec<Bytes> {
    let start =
        |block: Value| json!({ "type": "content_block_start", "index": 0, "content_block": block });
    let delta = |delta: Value| json!({ "type": "content_block_delta", "index": 0, "delta": delta });
    let mut events = vec![json!({
        "type": "message_start",
        "message": message(answer, json!([]), Value::Null, usage(answer, 1)),
    })];
    match &answer.reply.call {
        Some(call) => {
            events.push(start(tool_use(answer, &call.name, json!({}))));
            events.push(json!({ "type": "ping" }));
            let (head, tail) = call.halves();
            for piece in [head, tail] {
                events.push(delta(
                    json!({ "type": "input_json_delta", "partial_json": piece }),
                ));
            }
        }
        None => {
            events.push(start(json!({ "type": "text", "text": "" })));
            events.push(json!({ "type": "ping" }));
            for word in &answer.reply.words {
                events.push(delta(json!({ "type": "text_delta", "text": word })));
            }
        }
    }
    events.push(json!({ "type": "content_block_stop", "index": 0 }));
    events.push(json!({
        "type": "message_delta",
        "delta": { "stop_reason": stop_reason(answer), "stop_sequence": null },
        "usage": usage(answer, answer.usage.output),
    }));
    events.push(json!({ "type": "message_stop" }));
    events.iter().map(sse::named).collect()
}
