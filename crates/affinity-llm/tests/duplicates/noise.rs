//! Bodies spelled anew: members in another order, some written twice, some null.

use serde_json::{Value, json};

use crate::common::generate::{NAMES, respell_text};

/// The names that mean something at the top of a body.
pub(crate) const BODY: &[&str] = &[
    "messages",
    "input",
    "contents",
    "system",
    "instructions",
    "systemInstruction",
    "system_instruction",
    "tools",
    "request",
    "model",
    "stream",
    "metadata",
    "session_id",
    "conversation",
    "previous_response_id",
    "prompt_cache_key",
    "cachedContent",
    "thinking",
    "include",
];

/// What an object or an array means, as far as null means something else in other JSON.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Place {
    Body,
    Request,
    Named,
    Items,
    Item,
    Content,
    Part,
    Calls,
    Call,
    Function,
    Details,
    Detail,
    Source,
    System,
    Tools(u8),
    Tool(u8),
    Json,
}

impl Place {
    fn element(self) -> Self {
        match self {
            Self::Items => Self::Item,
            Self::Item | Self::Content | Self::System => Self::Part,
            Self::Calls => Self::Call,
            Self::Details => Self::Detail,
            Self::Tools(depth) => Self::Tool(depth),
            _ => Self::Json,
        }
    }

    fn member(self, key: &str) -> Self {
        match (self, key) {
            (Self::Body | Self::Request, "messages" | "input" | "contents") => Self::Items,
            (Self::Body | Self::Request, "tools") => Self::Tools(0),
            (
                Self::Body | Self::Request,
                "system" | "instructions" | "systemInstruction" | "system_instruction",
            ) => Self::System,
            (Self::Body | Self::Request, "metadata" | "conversation") => Self::Named,
            (Self::Body, "request") => Self::Request,
            (Self::Item, "content" | "parts" | "output") => Self::Content,
            (Self::Item, "tool_calls") => Self::Calls,
            (Self::Item, "function_call") => Self::Call,
            (Self::Item, "reasoning_details") => Self::Details,
            (Self::Content | Self::Part | Self::System, "content" | "parts") => Self::Content,
            (Self::System, "text") => Self::Content,
            (
                Self::Content | Self::Part,
                "functionCall" | "function_call" | "functionResponse" | "function_response",
            ) => Self::Call,
            (Self::Content | Self::Part, "source" | "file") => Self::Source,
            (Self::Source, "content") => Self::Content,
            (Self::Call, "function" | "custom") => Self::Function,
            (Self::Tool(depth), "function") => Self::Tool(depth + 1),
            (Self::Tool(0), "functionDeclarations") => Self::Tools(1),
            _ => Self::Json,
        }
    }

    /// Whether a member of its objects that is null is as good as none.
    fn takes_null(self) -> bool {
        !matches!(
            self,
            Self::Json | Self::Items | Self::Calls | Self::Details | Self::Tools(_)
        )
    }
}

/// Writes a value with its members in another order, and before some of them, members of the same
/// name, and null for names that it does not have.
pub(crate) struct Noise<'v, R> {
    pub(crate) random: R,
    /// What is overwritten.
    pub(crate) values: &'v [Value],
    pub(crate) out: String,
}

impl<R: FnMut() -> u32> Noise<'_, R> {
    fn below(&mut self, bound: usize) -> usize {
        (self.random)() as usize % bound
    }

    pub(crate) fn value(&mut self, value: &Value, place: Place) {
        match value {
            Value::Object(members) => {
                let mut written: Vec<(&str, Value, bool)> = Vec::new();
                for (key, value) in members {
                    let at = self.below(written.len() + 1);
                    written.insert(at, (key, value.clone(), true));
                }
                // `{}` says nothing as content; `{"x":null}` is not as short.
                if place.takes_null() && !members.is_empty() && self.below(3) == 0 {
                    let names = [NAMES, BODY];
                    let names = names[self.below(2)];
                    let name = names[self.below(names.len())];
                    if !members.contains_key(name) {
                        let at = self.below(written.len() + 1);
                        written.insert(at, (name, Value::Null, true));
                    }
                }
                for _ in 0..self.below(3) {
                    if !written.is_empty() {
                        let (of, value) = (self.below(written.len()), self.overwritten(members));
                        let at = self.below(of + 1);
                        written.insert(at, (written[of].0, value, false));
                    }
                }
                self.out.push('{');
                for (at, (key, value, counts)) in written.into_iter().enumerate() {
                    self.out.push_str(if at == 0 { "" } else { "," });
                    respell_text(key, &mut self.random, &mut self.out);
                    self.out.push(':');
                    if counts {
                        self.value(&value, place.member(key));
                    } else {
                        self.out.push_str(&value.to_string());
                    }
                }
                self.out.push('}');
            }
            Value::Array(elements) => {
                self.out.push('[');
                for (at, element) in elements.iter().enumerate() {
                    self.out.push_str(if at == 0 { "" } else { "," });
                    self.value(element, place.element());
                }
                self.out.push(']');
            }
            other => self.out.push_str(&other.to_string()),
        }
    }

    /// Any value, or one that a member of this object has, or one of a shape that means something.
    fn overwritten(&mut self, members: &serde_json::Map<String, Value>) -> Value {
        let of = match self.below(3) {
            0 => members.values().nth(self.below(members.len().max(1))),
            1 => self.values.get(self.below(self.values.len().max(1))),
            _ => None,
        };
        let shapes = [
            json!("x"),
            json!("tool_use"),
            json!("thinking"),
            json!("assistant"),
            json!(true),
            json!(5),
            json!([{"type": "tool_use", "id": "b", "name": "f"}]),
            json!([{"functionCall": {"name": "f", "id": "a"}}]),
            json!([{"type": "file", "file_id": "f"}]),
            json!([{"id": "b", "function": {"name": "f", "arguments": "{}"}}]),
            json!({"id": "b", "name": "f", "args": {"a": 1}}),
            json!({"file_id": "f", "content": "x"}),
            json!([{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}]),
            json!([{"type": "reasoning.encrypted"}]),
            json!({"contents": [{"parts": [{"text": "x"}]}], "systemInstruction": "x", "tools": [{"name": "x"}], "model": "x"}),
            json!([{"name": "x", "functionDeclarations": [{"name": "y"}]}]),
            Value::Null,
        ];
        let shape = &shapes[self.below(shapes.len())];
        of.unwrap_or(shape).clone()
    }
}
