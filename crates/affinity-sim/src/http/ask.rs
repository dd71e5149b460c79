//! A completion request, read: the same for all dialects.

use serde_json::Value;

use super::problem::Problem;
use super::prompt::Prompt;

/// What a request asks for.
pub(super) struct Ask {
    pub(super) model: String,
    pub(super) prompt: Prompt,
    pub(super) stream: bool,
    pub(super) max_tokens: usize,
    /// The tool that the answer will call: the first one, after a user's turn.
    pub(super) tool: Option<Tool>,
    pub(super) extra: Extra,
}

/// What only one dialect asks for.
pub(super) enum Extra {
    Chat {
        /// `stream_options.include_usage`.
        usage_chunk: bool,
    },
    Responses {
        previous: Option<String>,
        /// The conversation so far, without instructions and tools: what a later
        /// `previous_response_id` continues.
        history: Prompt,
        store: bool,
        /// `include` names `reasoning.encrypted_content`.
        encrypted_reasoning: bool,
    },
    Messages,
    Gemini {
        /// A stream is one of events.
        sse: bool,
    },
}

pub(super) struct Tool {
    pub(super) name: String,
    pub(super) schema: Value,
}

/// The model, where the body names it.
pub(super) fn model(body: &Value) -> Result<String, Problem> {
    match body["model"].as_str() {
        Some(model) if !model.is_empty() => Ok(model.to_owned()),
        _ => Err(Problem::invalid(
            "model",
            "you must provide a model parameter",
        )),
    }
}

/// A list that must be there and hold something.
pub(super) fn list<'a>(body: &'a Value, name: &'static str) -> Result<&'a [Value], Problem> {
    match body[name].as_array() {
        Some(list) if !list.is_empty() => Ok(list),
        Some(_) => Err(Problem::invalid(name, "at least one item is required")),
        None => Err(Problem::invalid(name, "an array is required")),
    }
}

/// The first of these fields that holds a number, or no limit.
pub(super) fn maximum(body: &Value, names: &[&str]) -> usize {
    let value = names.iter().find_map(|name| body[*name].as_u64());
    value.map_or(usize::MAX, |value| {
        usize::try_from(value).unwrap_or(usize::MAX)
    })
}

/// The tool that an answer calls, if the last item was the user's and calls are allowed.
pub(super) fn tool_due(
    body: &Value,
    after_user: bool,
    read: impl Fn(&Value) -> Option<Tool>,
) -> Option<Tool> {
    let choice = &body["tool_choice"];
    let refused = choice == "none" || choice["type"] == "none";
    let tools = body["tools"].as_array()?;
    if after_user && !refused {
        tools.iter().find_map(read)
    } else {
        None
    }
}
