//! Streamed answers, as an agent reads them.

use std::fmt;
use std::mem;

use serde_json::Value;

use super::conversation::Api;

/// What the model said. Its `Debug` shows none of it.
#[derive(Clone, PartialEq, Eq)]
pub enum Said {
    /// Text.
    Text(String),
    /// A tool call.
    Call {
        /// The call's id, to be quoted by its result.
        id: String,
        /// The tool's name.
        name: String,
        /// The arguments, as JSON.
        arguments: String,
    },
}

impl fmt::Debug for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text(_) => "Text",
            Self::Call { .. } => "Call",
        })
    }
}

/// Prompt tokens, as `usage` reports them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// All of them.
    pub prompt: u64,
    /// Of those, read from the cache.
    pub cached: u64,
    /// Of those, written to the cache at a price (Anthropic).
    pub written: u64,
}

/// A complete answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heard {
    /// What was said.
    pub said: Said,
    /// What it cost.
    pub tokens: Tokens,
}

/// Reads one streamed answer, piece by piece.
pub struct Listener {
    api: Api,
    /// The line that is not complete yet.
    line: Vec<u8>,
    text: String,
    call: Option<(String, String)>,
    arguments: String,
    tokens: Option<Tokens>,
    done: bool,
}

impl Listener {
    /// A listener for one answer.
    #[must_use]
    pub fn new(api: Api) -> Self {
        Self {
            api,
            line: Vec::new(),
            text: String::new(),
            call: None,
            arguments: String::new(),
            tokens: None,
            done: false,
        }
    }

    /// Takes the next bytes of the body, cut anywhere.
    pub fn feed(&mut self, bytes: &[u8]) {
        let mut lines = bytes.split_inclusive(|byte| *byte == b'\n');
        for part in &mut lines {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                let line = mem::take(&mut self.line);
                self.line(line.trim_ascii_end());
            }
        }
    }

    /// The answer, if it came to its end with a usage.
    #[must_use]
    pub fn finish(self) -> Option<Heard> {
        let tokens = self.tokens.filter(|_| self.done)?;
        let said = match self.call {
            Some((id, name)) => Said::Call {
                id,
                name,
                arguments: self.arguments,
            },
            None => Said::Text(self.text),
        };
        Some(Heard { said, tokens })
    }

    fn line(&mut self, line: &[u8]) {
        let Some(data) = line.strip_prefix(b"data: ") else {
            return;
        };
        if data == b"[DONE]" {
            self.done = true;
        } else if let Ok(event) = serde_json::from_slice(data) {
            match self.api {
                Api::Chat => self.chat(&event),
                Api::Messages => self.messages(&event),
            }
        }
    }

    fn chat(&mut self, chunk: &Value) {
        let delta = &chunk["choices"][0]["delta"];
        push(&mut self.text, &delta["content"]);
        let call = &delta["tool_calls"][0];
        self.called(&call["id"], &call["function"]["name"]);
        push(&mut self.arguments, &call["function"]["arguments"]);
        let usage = &chunk["usage"];
        if let Some(prompt) = usage["prompt_tokens"].as_u64() {
            let cached = usage["prompt_tokens_details"]["cached_tokens"]
                .as_u64()
                .unwrap_or(0);
            self.tokens = Some(Tokens {
                prompt,
                cached,
                written: 0,
            });
        }
    }

    fn messages(&mut self, event: &Value) {
        match event["type"].as_str() {
            Some("message_start") => {
                let usage = &event["message"]["usage"];
                let count = |field: &str| usage[field].as_u64().unwrap_or(0);
                let cached = count("cache_read_input_tokens");
                let written = count("cache_creation_input_tokens");
                let prompt = count("input_tokens") + cached + written;
                self.tokens = Some(Tokens {
                    prompt,
                    cached,
                    written,
                });
            }
            Some("content_block_start") => {
                let block = &event["content_block"];
                self.called(&block["id"], &block["name"]);
            }
            Some("content_block_delta") => {
                push(&mut self.text, &event["delta"]["text"]);
                push(&mut self.arguments, &event["delta"]["partial_json"]);
            }
            Some("message_stop") => self.done = true,
            _ => {}
        }
    }

    fn called(&mut self, id: &Value, name: &Value) {
        if let (Some(id), Some(name)) = (id.as_str(), name.as_str()) {
            self.call = Some((id.to_owned(), name.to_owned()));
        }
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listener")
            .field("api", &self.api)
            .field("tokens", &self.tokens)
            .field("done", &self.done)
            .finish_non_exhaustive()
    }
}

fn push(text: &mut String, piece: &Value) {
    text.push_str(piece.as_str().unwrap_or_default());
}
