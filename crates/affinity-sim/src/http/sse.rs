//! Server-sent events.

use bytes::Bytes;
use serde_json::Value;

/// An event of data alone, as OpenAI Chat Completions sends it.
pub(super) fn data(value: &Value) -> Bytes {
    Bytes::from(format!("data: {value}\n\n"))
}

/// An event named by its `type`, as Anthropic and OpenAI Responses send it.
pub(super) fn named(value: &Value) -> Bytes {
    let name = value["type"].as_str().unwrap_or("message");
    Bytes::from(format!("event: {name}\ndata: {value}\n\n"))
}
