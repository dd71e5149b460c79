//! One agent's conversation.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::listener::Said;

/// The API that an agent speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Api {
    /// OpenAI Chat Completions, without a session id anywhere.
    Chat,
    /// Anthropic Messages with moving `cache_control` breakpoints and Claude Code's session header.
    Messages,
}

/// What the agent adds next, and how long it takes before.
#[derive(Clone, Debug)]
pub(super) struct Round {
    pub(super) think: Duration,
    pub(super) text: String,
}

/// A conversation in progress: the history so far, and what is still to be said.
///
/// Its `Debug` shows no text.
pub struct Conversation {
    api: Api,
    number: usize,
    start: Duration,
    system: Arc<str>,
    messages: Vec<Value>,
    rounds: VecDeque<Round>,
}

impl Conversation {
    pub(super) fn new(
        api: Api,
        number: usize,
        start: Duration,
        system: Arc<str>,
        mut rounds: VecDeque<Round>,
    ) -> Self {
        let messages = rounds
            .pop_front()
            .into_iter()
            .map(|opener| user(opener.text))
            .collect();
        Self {
            api,
            number,
            start,
            system,
            messages,
            rounds,
        }
    }

    /// When it starts, counted from the start of the run.
    #[must_use]
    pub fn start(&self) -> Duration {
        self.start
    }

    /// The API it speaks.
    #[must_use]
    pub fn api(&self) -> Api {
        self.api
    }

    /// Requests still to be made, the present one included.
    #[must_use]
    pub fn requests_left(&self) -> usize {
        1 + self.rounds.len()
    }

    /// The path of its requests.
    #[must_use]
    pub fn path(&self) -> &'static str {
        match self.api {
            Api::Chat => "/v1/chat/completions",
            Api::Messages => "/v1/messages",
        }
    }

    /// The headers of its requests, the credentials of `key` among them.
    #[must_use]
    pub fn headers(&self, key: &str) -> Vec<(&'static str, String)> {
        let kind = ("content-type", "application/json".to_owned());
        match self.api {
            Api::Chat => vec![kind, ("authorization", format!("Bearer {key}"))],
            Api::Messages => vec![
                kind,
                ("x-api-key", key.to_owned()),
                ("anthropic-version", "2023-06-01".to_owned()),
                ("x-claude-code-session-id", format!("{:032x}", self.number)),
            ],
        }
    }

    /// The body of the present request: streamed, with tools, and with usage.
    #[must_use]
    pub fn body(&self) -> String {
        match self.api {
            Api::Chat => self.chat_body(),
            Api::Messages => self.messages_body(),
        }
        .to_string()
    }

    /// Takes the answer in and prepares the next request. Returns how long the agent takes before
    /// it sends it, or `None` after the last one.
    pub fn answer(&mut self, said: &Said) -> Option<Duration> {
        let round = self.rounds.pop_front()?;
        self.messages.extend(turns(self.api, said, round.text));
        Some(round.think)
    }

    fn chat_body(&self) -> Value {
        let system = json!({ "role": "system", "content": &*self.system });
        let messages: Vec<_> = std::iter::once(&system).chain(&self.messages).collect();
        json!({
            "model": "gpt-sim",
            "stream": true,
            "stream_options": { "include_usage": true },
            "tools": [{ "type": "function", "function": {
                "name": "run",
                "description": "Runs a command and returns its output",
                "parameters": schema(),
            } }],
            "messages": messages,
        })
    }

    fn messages_body(&self) -> Value {
        let mut messages = self.messages.clone();
        // The breakpoint moves with the conversation, as the provider's own clients do it.
        if let Some(content) = messages.last_mut().map(|last| &mut last["content"]) {
            if let Some(text) = content.as_str() {
                *content = json!([{ "type": "text", "text": text }]);
            }
            content[0]["cache_control"] = json!({ "type": "ephemeral" });
        }
        let marker = json!({ "type": "ephemeral" });
        json!({
            "model": "claude-sim",
            "stream": true,
            "max_tokens": 1024,
            "tools": [{
                "name": "run",
                "description": "Runs a command and returns its output",
                "input_schema": schema(),
            }],
            "system": [{ "type": "text", "text": &*self.system, "cache_control": marker }],
            "messages": messages,
        })
    }
}

impl fmt::Debug for Conversation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conversation")
            .field("api", &self.api)
            .field("messages", &self.messages.len())
            .field("requests_left", &self.requests_left())
            .finish_non_exhaustive()
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": { "command": { "type": "string" } },
        "required": ["command"],
    })
}

fn user(text: String) -> Value {
    json!({ "role": "user", "content": text })
}

/// What was said, and what the agent says next: the called tool's output, or another question.
fn turns(api: Api, said: &Said, text: String) -> [Value; 2] {
    let (id, name, arguments) = match said {
        Said::Text(words) => {
            return [json!({ "role": "assistant", "content": words }), user(text)];
        }
        Said::Call {
            id,
            name,
            arguments,
        } => (id, name, arguments),
    };
    match api {
        Api::Chat => {
            let function = json!({ "name": name, "arguments": arguments });
            let call = json!({ "id": id, "type": "function", "function": function });
            [
                json!({ "role": "assistant", "content": null, "tool_calls": [call] }),
                json!({ "role": "tool", "tool_call_id": id, "content": text }),
            ]
        }
        Api::Messages => {
            let input: Value = serde_json::from_str(arguments).unwrap_or_else(|_| json!({}));
            let call = json!({ "type": "tool_use", "id": id, "name": name, "input": input });
            let result = json!({ "type": "tool_result", "tool_use_id": id, "content": text });
            [
                json!({ "role": "assistant", "content": [call] }),
                json!({ "role": "user", "content": [result] }),
            ]
        }
    }
}
