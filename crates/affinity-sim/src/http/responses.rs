//! OpenAI Responses, with what binds a conversation to its account: stored responses and
//! encrypted reasoning.

use std::collections::{HashMap, VecDeque};

use bytes::Bytes;
use serde_json::{Value, json};

use super::ask::{Ask, Extra, Tool, list, maximum, model, tool_due};
use super::chat;
use super::problem::Problem;
use super::prompt::Prompt;
use super::serve::Answer;
use super::sse;

/// Responses kept for `previous_response_id`.
const STORED: usize = 4096;

/// The conversations that `previous_response_id` can continue, oldest out first.
#[derive(Default)]
pub(super) struct Stored {
    histories: HashMap<String, Prompt>,
    order: VecDeque<String>,
}

impl Stored {
    pub(super) fn keep(&mut self, id: String, history: Prompt) {
        if self.order.len() == STORED
            && let Some(oldest) = self.order.pop_front()
        {
            self.histories.remove(&oldest);
        }
        self.order.push_back(id.clone());
        self.histories.insert(id, history);
    }
}

/// Reads a request of the account whose reasoning is sealed with `seal`.
pub(super) fn read(body: &Value, stored: &Stored, seal: &str) -> Result<Ask, Problem> {
    let previous = body["previous_response_id"].as_str();
    let mut history = Prompt::default();
    if let Some(id) = previous {
        let earlier = stored.histories.get(id);
        history.append(earlier.ok_or_else(Problem::unknown_previous_response)?);
    }
    let after_user = match &body["input"] {
        Value::String(text) => {
            history.role("user");
            history.block(text, None);
            true
        }
        _ => {
            let items = list(body, "input")?;
            items
                .iter()
                .try_for_each(|item| render(&mut history, item, seal))?;
            items.last().is_some_and(|last| last["role"] == "user")
        }
    };
    let mut prompt = Prompt::default();
    if let Some(tools) = body["tools"].as_array() {
        prompt.role("tools");
        tools.iter().for_each(|tool| prompt.json(tool, None));
    }
    if let Some(instructions) = body["instructions"].as_str() {
        prompt.role("system");
        prompt.block(instructions, None);
    }
    prompt.append(&history);
    let include = body["include"].as_array();
    Ok(Ask {
        model: model(body)?,
        prompt,
        stream: body["stream"] == true,
        max_tokens: maximum(body, &["max_output_tokens"]),
        tool: tool_due(body, after_user, |tool| {
            Some(Tool {
                name: tool["name"].as_str()?.to_owned(),
                schema: tool["parameters"].clone(),
            })
        }),
        extra: Extra::Responses {
            previous: previous.map(str::to_owned),
            history,
            store: body["store"] != false,
            encrypted_reasoning: include
                .is_some_and(|all| all.iter().any(|one| one == "reasoning.encrypted_content")),
        },
    })
}

fn render(history: &mut Prompt, item: &Value, seal: &str) -> Result<(), Problem> {
    match item["type"].as_str() {
        Some("reasoning") => match item["encrypted_content"].as_str() {
            Some(sealed) if !sealed.starts_with(seal) => Err(Problem::foreign_reasoning()),
            _ => Ok(()),
        },
        Some("function_call") => {
            history.role("call");
            history.json(
                &json!([item["call_id"], item["name"], item["arguments"]]),
                None,
            );
            Ok(())
        }
        Some("function_call_output") => {
            history.role("result");
            history.json(&json!([item["call_id"], item["output"]]), None);
            Ok(())
        }
        _ => {
            let role = item["role"].as_str();
            history.role(role.ok_or_else(|| Problem::invalid("input", "an item has no role"))?);
            chat::content(history, &item["content"]);
            Ok(())
        }
    }
}

/// The history with the answer at its end.
pub(super) fn continued(answer: &Answer<'_>, history: &Prompt) -> Prompt {
    let mut history = history.clone();
    match &answer.reply.call {
        Some(call) => {
            history.role("call");
            history.json(&json!([call_id(answer), call.name, call.arguments]), None);
        }
        None => {
            history.role("assistant");
            history.block(&answer.reply.text(), None);
        }
    }
    history
}

pub(super) fn id(answer: &Answer<'_>) -> String {
    format!("resp_{}", answer.serial)
}

fn call_id(answer: &Answer<'_>) -> String {
    format!("call_{}", answer.serial)
}

fn response(answer: &Answer<'_>, status: &str, output: Value, usage: Value) -> Value {
    let previous = match &answer.ask.extra {
        Extra::Responses { previous, .. } => previous.as_deref(),
        _ => None,
    };
    let cut = status == "incomplete";
    json!({
        "id": id(answer),
        "object": "response",
        "created_at": answer.created,
        "status": status,
        "error": null,
        "incomplete_details": if cut { json!({ "reason": "max_output_tokens" }) } else { Value::Null },
        "instructions": null,
        "metadata": {},
        "model": answer.ask.model,
        "output": output,
        "parallel_tool_calls": true,
        "previous_response_id": previous,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "usage": usage,
    })
}

fn usage(answer: &Answer<'_>) -> Value {
    let usage = answer.usage;
    json!({
        "input_tokens": usage.prompt,
        "input_tokens_details": { "cached_tokens": usage.cached },
        "output_tokens": usage.output,
        "output_tokens_details": { "reasoning_tokens": 0 },
        "total_tokens": usage.prompt + usage.output,
    })
}

fn final_status(answer: &Answer<'_>) -> &'static str {
    if answer.reply.cut {
        "incomplete"
    } else {
        "completed"
    }
}

/// The reasoning item, if encrypted reasoning was asked for.
fn reasoning(answer: &Answer<'_>) -> Option<Value> {
    let asked = matches!(
        answer.ask.extra,
        Extra::Responses {
            encrypted_reasoning: true,
            ..
        }
    );
    asked.then(|| {
        json!({
            "type": "reasoning",
            "id": format!("rs_{}", answer.serial),
            "summary": [],
            "encrypted_content": format!("{}{}", answer.seal, answer.serial),
        })
    })
}

fn text_part(text: &str) -> Value {
    json!({ "type": "output_text", "text": text, "annotations": [], "logprobs": [] })
}

fn message_item(answer: &Answer<'_>, status: &str, content: Value) -> Value {
    json!({
        "type": "message",
        "id": format!("msg_{}", answer.serial),
        "status": status,
        "role": "assistant",
        "content": content,
    })
}

fn call_item(answer: &Answer<'_>, status: &str, name: &str, arguments: &str) -> Value {
    json!({
        "type": "function_call",
        "id": format!("fc_{}", answer.serial),
        "call_id": call_id(answer),
        "status": status,
        "name": name,
        "arguments": arguments,
    })
}

/// The item that the answer is about, after the reasoning.
fn item(answer: &Answer<'_>) -> Value {
    match &answer.reply.call {
        Some(call) => call_item(answer, "completed", &call.name, &call.arguments),
        None => {
            let content = json!([text_part(&answer.reply.text())]);
            message_item(answer, final_status(answer), content)
        }
    }
}

pub(super) fn whole(answer: &Answer<'_>) -> Value {
    let output: Vec<Value> = reasoning(answer)
        .into_iter()
        .chain([item(answer)])
        .collect();
    response(answer, final_status(answer), json!(output), usage(answer))
}

pub(super) fn events(answer: &Answer<'_>) -> Vec<Bytes> {
    let start = response(answer, "in_progress", json!([]), Value::Null);
    let mut events = vec![
        json!({ "type": "response.created", "response": start }),
        json!({ "type": "response.in_progress", "response": start }),
    ];
    let reasoning = reasoning(answer);
    let at = usize::from(reasoning.is_some());
    if let Some(item) = reasoning {
        for kind in ["added", "done"] {
            let kind = format!("response.output_item.{kind}");
            events.push(json!({ "type": kind, "output_index": 0, "item": item }));
        }
    }
    match &answer.reply.call {
        Some(call) => {
            let id = format!("fc_{}", answer.serial);
            let kind = "response.function_call_arguments";
            let opened = call_item(answer, "in_progress", &call.name, "");
            events.push(item_event("added", at, &opened));
            let (head, tail) = call.halves();
            for piece in [head, tail] {
                let kind = format!("{kind}.delta");
                events.push(
                    json!({ "type": kind, "item_id": id, "output_index": at, "delta": piece }),
                );
            }
            events.push(json!({
                "type": format!("{kind}.done"),
                "item_id": id,
                "output_index": at,
                "name": call.name,
                "arguments": call.arguments,
            }));
        }
        None => {
            let id = format!("msg_{}", answer.serial);
            let part = |kind: &str, field: &str, value: Value| {
                let mut event = json!({
                    "type": format!("response.{kind}"),
                    "item_id": id,
                    "output_index": at,
                    "content_index": 0,
                });
                event[field] = value;
                if kind.starts_with("output_text") {
                    event["logprobs"] = json!([]);
                }
                event
            };
            let text = answer.reply.text();
            events.push(item_event(
                "added",
                at,
                &message_item(answer, "in_progress", json!([])),
            ));
            events.push(part("content_part.added", "part", text_part("")));
            for word in &answer.reply.words {
                events.push(part("output_text.delta", "delta", json!(word)));
            }
            events.push(part("output_text.done", "text", json!(text)));
            events.push(part("content_part.done", "part", text_part(&text)));
        }
    }
    events.push(item_event("done", at, &item(answer)));
    let kind = format!("response.{}", final_status(answer));
    events.push(json!({ "type": kind, "response": whole(answer) }));
    events
        .into_iter()
        .enumerate()
        .map(|(number, mut event)| {
            event["sequence_number"] = json!(number);
            sse::named(&event)
        })
        .collect()
}

fn item_event(kind: &str, at: usize, item: &Value) -> Value {
    json!({ "type": format!("response.output_item.{kind}"), "output_index": at, "item": item })
}
