//! OpenAI Chat Completions.

use bytes::Bytes;
use serde_json::{Value, json};

use super::ask::{Ask, Extra, Tool, list, maximum, model, tool_due};
use super::problem::Problem;
use super::prompt::Prompt;
use super::serve::Answer;
use super::sse;

pub(super) fn read(body: &Value) -> Result<Ask, Problem> {
    let messages = list(body, "messages")?;
    let mut prompt = Prompt::default();
    if let Some(tools) = body["tools"].as_array() {
        prompt.role("tools");
        tools.iter().for_each(|tool| prompt.json(tool, None));
    }
    for message in messages {
        let role = message["role"].as_str();
        prompt.role(role.ok_or_else(|| Problem::invalid("messages", "every message has a role"))?);
        content(&mut prompt, &message["content"]);
        for field in ["tool_calls", "tool_call_id"] {
            if !message[field].is_null() {
                prompt.json(&message[field], None);
            }
        }
    }
    let after_user = messages.last().is_some_and(|last| last["role"] == "user");
    Ok(Ask {
        model: model(body)?,
        prompt,
        stream: body["stream"] == true,
        max_tokens: maximum(body, &["max_completion_tokens", "max_tokens"]),
        tool: tool_due(body, after_user, |tool| {
            let function = &tool["function"];
            Some(Tool {
                name: function["name"].as_str()?.to_owned(),
                schema: function["parameters"].clone(),
            })
        }),
        extra: Extra::Chat {
            usage_chunk: body["stream_options"]["include_usage"] == true,
        },
    })
}

/// Text, or parts: the text of text parts, other parts as they are.
pub(super) fn content(prompt: &mut Prompt, content: &Value) {
    match content {
        Value::String(text) => prompt.block(text, None),
        Value::Array(parts) => {
            for part in parts {
                match part["text"].as_str() {
                    Some(text) => prompt.block(text, None),
                    None => prompt.json(part, None),
                }
            }
        }
        _ => {}
    }
}

fn usage(answer: &Answer<'_>) -> Value {
    let usage = answer.usage;
    json!({
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.output,
        "total_tokens": usage.prompt + usage.output,
        "prompt_tokens_details": { "cached_tokens": usage.cached, "audio_tokens": 0 },
        "completion_tokens_details": { "reasoning_tokens": 0, "audio_tokens": 0 },
    })
}

fn finish_reason(answer: &Answer<'_>) -> &'static str {
    match (&answer.reply.call, answer.reply.cut) {
        (Some(_), _) => "tool_calls",
        (None, true) => "length",
        (None, false) => "stop",
    }
}

fn call_id(answer: &Answer<'_>) -> String {
    format!("call_{}", answer.serial)
}

pub(super) fn whole(answer: &Answer<'_>) -> Value {
    let mut message = json!({ "role": "assistant", "content": null, "refusal": null });
    match &answer.reply.call {
        Some(call) => {
            message["tool_calls"] = json!([{
                "id": call_id(answer),
                "type": "function",
                "function": { "name": call.name, "arguments": call.arguments },
            }]);
        }
        None => message["content"] = json!(answer.reply.text()),
    }
    json!({
        "id": format!("chatcmpl-{}", answer.serial),
        "object": "chat.completion",
        "created": answer.created,
        "model": answer.ask.model,
        "choices": [{
            "index": 0,
            "message": message,
            "logprobs": null,
            "finish_reason": finish_reason(answer),
        }],
        "usage": usage(answer),
        "service_tier": "default",
    })
}

pub(super) fn events(answer: &Answer<'_>) -> Vec<Bytes> {
    let usage_chunk = matches!(answer.ask.extra, Extra::Chat { usage_chunk: true });
    let chunk = |choices: Value, usage: Option<Value>| {
        let mut chunk = json!({
            "id": format!("chatcmpl-{}", answer.serial),
            "object": "chat.completion.chunk",
            "created": answer.created,
            "model": answer.ask.model,
            "service_tier": "default",
            "choices": choices,
        });
        if usage_chunk {
            chunk["usage"] = usage.unwrap_or(Value::Null);
        }
        sse::data(&chunk)
    };
    let choice = |delta: Value, finish: Value| json!([{ "index": 0, "delta": delta, "logprobs": null, "finish_reason": finish }]);
    let delta = |delta: Value| chunk(choice(delta, Value::Null), None);
    let mut events = Vec::new();
    match &answer.reply.call {
        Some(call) => {
            let (head, tail) = call.halves();
            let part = |part: Value| delta(json!({ "tool_calls": [part] }));
            events.push(delta(json!({ "role": "assistant", "content": null })));
            events.push(part(json!({
                "index": 0,
                "id": call_id(answer),
                "type": "function",
                "function": { "name": call.name, "arguments": "" },
            })));
            for piece in [head, tail] {
                events.push(part(
                    json!({ "index": 0, "function": { "arguments": piece } }),
                ));
            }
        }
        None => {
            events.push(delta(json!({ "role": "assistant", "content": "" })));
            for word in &answer.reply.words {
                events.push(delta(json!({ "content": word })));
            }
        }
    }
    events.push(chunk(choice(json!({}), json!(finish_reason(answer))), None));
    if usage_chunk {
        events.push(chunk(json!([]), Some(usage(answer))));
    }
    events.push(Bytes::from_static(b"data: [DONE]\n\n"));
    events
}
