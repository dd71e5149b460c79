//! Gemini `generateContent` and `streamGenerateContent`.

use bytes::Bytes;
use serde_json::{Value, json};

use super::ask::{Ask, Extra, Tool, list, maximum};
use super::problem::Problem;
use super::prompt::Prompt;
use super::serve::Answer;
use super::sse;

/// What a Gemini request says outside of its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Target<'t> {
    model: &'t str,
    pub(super) method: &'t str,
    /// `alt=sse`: events; without it, a stream is one array that grows.
    sse: bool,
}

impl<'t> Target<'t> {
    /// Reads `…/models/{model}:{method}`; `None` for another path.
    pub(super) fn of(path: &'t str, query: Option<&str>) -> Option<Self> {
        let (_, last) = path.rsplit_once("/models/")?;
        let (model, method) = last.split_once(':')?;
        let mut pairs = query.unwrap_or_default().split('&');
        Some(Self {
            model,
            method,
            sse: pairs.any(|pair| pair == "alt=sse"),
        })
    }

    /// Whether it asks for an answer, and not for a count.
    pub(super) fn completes(&self) -> bool {
        ["generateContent", "streamGenerateContent"].contains(&self.method)
    }
}

pub(super) fn read(body: &Value, target: Target<'_>) -> Result<Ask, Problem> {
    let prompt = prompt(body)?;
    let last = list(body, "contents")?.last();
    let config = &body["generationConfig"];
    let due = last.is_some_and(|last| last["role"] != "model" && !holds_result(last));
    let refused = body["toolConfig"]["functionCallingConfig"]["mode"] == "NONE";
    Ok(Ask {
        model: target.model.to_owned(),
        prompt,
        stream: target.method == "streamGenerateContent",
        max_tokens: maximum(config, &["maxOutputTokens"]),
        tool: body["tools"].as_array().and_then(|tools| {
            let mut tools = tools.iter().filter(|_| due && !refused);
            tools.find_map(|tool| {
                let function = &tool["functionDeclarations"][0];
                Some(Tool {
                    name: function["name"].as_str()?.to_owned(),
                    schema: function["parametersJsonSchema"].clone(),
                })
            })
        }),
        extra: Extra::Gemini { sse: target.sse },
    })
}

/// The rendered prompt: what `countTokens` counts.
pub(super) fn prompt(body: &Value) -> Result<Prompt, Problem> {
    let mut prompt = Prompt::default();
    if let Some(tools) = body["tools"].as_array() {
        prompt.role("tools");
        tools.iter().for_each(|tool| prompt.json(tool, None));
    }
    if body["systemInstruction"].is_object() {
        prompt.role("system");
        parts(&mut prompt, &body["systemInstruction"]);
    }
    for content in list(body, "contents")? {
        match content["role"].as_str() {
            None => prompt.role("user"),
            Some(role @ ("user" | "model" | "function")) => prompt.role(role),
            _ => return Err(Problem::invalid("contents", "roles are user and model")),
        }
        parts(&mut prompt, content);
    }
    Ok(prompt)
}

/// The text of text parts, other parts as they are.
fn parts(prompt: &mut Prompt, content: &Value) {
    for part in content["parts"].as_array().into_iter().flatten() {
        match part["text"].as_str() {
            Some(text) => prompt.block(text, None),
            None => prompt.json(part, None),
        }
    }
}

fn holds_result(content: &Value) -> bool {
    let mut parts = content["parts"].as_array().into_iter().flatten();
    parts.any(|part| part["functionResponse"].is_object())
}

fn usage(answer: &Answer<'_>) -> Value {
    let usage = answer.usage;
    let mut counts = json!({
        "promptTokenCount": usage.prompt,
        "candidatesTokenCount": usage.output,
        "totalTokenCount": usage.prompt + usage.output,
    });
    // Left out, not 0, when nothing was read from the cache.
    if usage.cached > 0 {
        counts["cachedContentTokenCount"] = json!(usage.cached);
    }
    counts
}

fn chunk(answer: &Answer<'_>, part: Value, finish: Option<&str>) -> Value {
    let mut candidate = json!({
        "content": { "parts": [part], "role": "model" },
        "index": 0,
    });
    if let Some(reason) = finish {
        candidate["finishReason"] = json!(reason);
    }
    json!({
        "candidates": [candidate],
        "usageMetadata": usage(answer),
        "modelVersion": answer.ask.model,
        "responseId": answer.serial,
    })
}

fn finish_reason(answer: &Answer<'_>) -> &'static str {
    if answer.reply.cut {
        "MAX_TOKENS"
    } else {
        "STOP"
    }
}

/// A call comes in one piece, also in a stream.
fn call(answer: &Answer<'_>) -> Option<Value> {
    let call = answer.reply.call.as_ref()?;
    let arguments = serde_json::from_str(&call.arguments).unwrap_or_else(|_| json!({}));
    Some(json!({ "functionCall": { "name": call.name, "args": arguments } }))
}

pub(super) fn whole(answer: &Answer<'_>) -> Value {
    let part = call(answer).unwrap_or_else(|| json!({ "text": answer.reply.text() }));
    chunk(answer, part, Some(finish_reason(answer)))
}

pub(super) fn events(answer: &Answer<'_>) -> Vec<Bytes> {
    let mut parts: Vec<Value> = match call(answer) {
        Some(call) => vec![call],
        None => {
            let words = answer.reply.words.iter();
            words.map(|word| json!({ "text": word })).collect()
        }
    };
    let last = parts.pop().unwrap_or_else(|| json!({ "text": "" }));
    let before = parts.into_iter().map(|part| chunk(answer, part, None));
    let chunks = before.chain([chunk(answer, last, Some(finish_reason(answer)))]);
    if sends_events(&answer.ask.extra) {
        return chunks.map(|chunk| sse::data(&chunk)).collect();
    }
    let mut pieces: Vec<Bytes> = chunks
        .enumerate()
        .map(|(at, chunk)| Bytes::from(format!("{}{chunk}", if at == 0 { "[" } else { ",\r\n" })))
        .collect();
    pieces.push(Bytes::from_static(b"]"));
    pieces
}

/// Whether a stream is one of events.
pub(super) fn sends_events(extra: &Extra) -> bool {
    !matches!(extra, Extra::Gemini { sse: false })
}
