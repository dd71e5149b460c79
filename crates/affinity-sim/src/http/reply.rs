//! What the account says: made up, but the same for the same prompt.

use affinity_hash::mix13;
use serde_json::{Map, Value, json};

use super::ask::Tool;

const WORDS: [&str; 16] = [
    "cache ", "prefix ", "token ", "reads ", "turn ", "again ", "warm ", "the ", "a ", "keeps ",
    "account ", "then ", "order ", "first ", "stays ", "near ",
];

/// Tokens of a request and its answer, as `usage` reports them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Usage {
    /// All prompt tokens, however they were charged.
    pub(super) prompt: usize,
    pub(super) cached: usize,
    pub(super) written: usize,
    pub(super) output: usize,
}

/// An answer before it is put into a dialect.
pub(super) struct Reply {
    /// One token each.
    pub(super) words: Vec<&'static str>,
    pub(super) call: Option<Call>,
    /// The request's maximum cut the text.
    pub(super) cut: bool,
}

pub(super) struct Call {
    pub(super) name: String,
    pub(super) arguments: String,
}

impl Reply {
    /// The reply to a prompt with this digest: a call of the tool, if one is due, else words.
    pub(super) fn to(digest: u64, tool: Option<&Tool>, tokens: usize, maximum: usize) -> Self {
        if let Some(tool) = tool {
            let call = Call {
                name: tool.name.clone(),
                arguments: arguments(&tool.schema, digest),
            };
            return Self {
                words: Vec::new(),
                call: Some(call),
                cut: false,
            };
        }
        let words = (0..tokens.min(maximum) as u64)
            .map(|at| WORDS[(mix13(digest ^ mix13(at)) % WORDS.len() as u64) as usize])
            .collect();
        Self {
            words,
            call: None,
            cut: tokens > maximum,
        }
    }

    pub(super) fn text(&self) -> String {
        self.words.concat()
    }

    pub(super) fn tokens(&self) -> usize {
        let call = self.call.as_ref();
        self.words.len() + call.map_or(0, |call| call.arguments.len().div_ceil(4) + 4)
    }
}

impl Call {
    /// The arguments in two pieces, as a stream sends them.
    pub(super) fn halves(&self) -> (&str, &str) {
        self.arguments.split_at(self.arguments.len() / 2)
    }
}

/// Arguments for the schema's required properties; ASCII only.
fn arguments(schema: &Value, digest: u64) -> String {
    let properties = schema["properties"].as_object();
    let required = schema["required"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let arguments: Map<String, Value> = required
        .iter()
        .filter_map(Value::as_str)
        .filter(|name| name.is_ascii())
        .map(|name| {
            let kind = properties
                .and_then(|all| all.get(name))
                .map(|one| &one["type"]);
            let value = match kind.and_then(Value::as_str) {
                Some("integer" | "number") => json!(digest % 100),
                Some("boolean") => json!(digest.is_multiple_of(2)),
                Some("array") => json!([]),
                Some("object") => json!({}),
                _ => json!(WORDS[(digest % WORDS.len() as u64) as usize].trim_end()),
            };
            (name.to_owned(), value)
        })
        .collect();
    Value::Object(arguments).to_string()
}
