//! Chat transcripts: every assistant message is one request that carries all messages before it.

use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use super::blocks::CHARS_PER_TOKEN;
use super::{Records, fields};
use crate::draws::Draws;
use crate::prompt::{Prompt, session_key};
use crate::service::service_time;
use crate::trace::{Keys, Request, Trace};

/// Dialogues start as a Poisson process with this mean gap: 0.2 per second.
const GAP: Duration = Duration::from_secs(5);

/// Median time from one request of a dialogue to its next.
const THINK: Duration = Duration::from_secs(20);

/// Sigma of the logarithm of that time.
const THINK_SIGMA: f64 = 1.0;

#[derive(Deserialize)]
struct Dialogue {
    traj: Vec<Value>,
}

/// Reads the dialogues of a transcript file.
pub(super) struct Transcripts {
    times: Draws,
    /// Start of the last dialogue.
    start: Duration,
    dialogues: u64,
}

impl Transcripts {
    /// Transcripts carry no times; they are drawn from `seed`.
    pub(super) fn new(seed: u64) -> Self {
        Self {
            times: Draws::new(seed),
            start: Duration::ZERO,
            dialogues: 0,
        }
    }
}

impl Records for Transcripts {
    fn record(&mut self, text: &[u8], trace: &mut Trace) -> Result<(), String> {
        self.dialogues += 1;
        self.start += self.times.gap(GAP);
        let dialogue: Dialogue = fields::parse(text)?;
        let messages = dialogue
            .traj
            .into_iter()
            .enumerate()
            .map(|(index, message)| {
                Message::new(message).map_err(|reason| format!("message {}: {reason}", index + 1))
            })
            .collect::<Result<Vec<_>, _>>()?;

        let session = session_key(&self.dialogues.to_le_bytes());
        let mut at = self.start;
        let mut prompt = Prompt::new();
        let mut prompt_tokens = 0;
        let mut keys: Option<Keys> = None;
        let mut requests = Vec::new();
        for message in &messages {
            if let (Role::Assistant, Some(keys)) = (&message.role, keys) {
                let service = service_time(message.tokens.into());
                requests.push(Request {
                    at,
                    service,
                    prompt_tokens,
                    leaf: prompt.leaf(),
                    keys,
                });
                at += service + self.times.wait(THINK, THINK_SIGMA);
            }
            let link =
                prompt.block(&mut trace.prefixes, message.text.as_bytes(), message.tokens)?;
            prompt_tokens += u64::from(message.tokens);
            let keys = keys.get_or_insert(Keys {
                whole: link,
                first_entry: link,
                opener: link,
                session,
                user_turn: false,
            });
            keys.whole = link;
            if !keys.user_turn {
                keys.opener = link;
                keys.user_turn = matches!(message.role, Role::User);
            }
        }
        trace.requests.extend(requests);
        Ok(())
    }
}

enum Role {
    User,
    Assistant,
    Other,
}

/// One entry of a prompt.
struct Message {
    role: Role,
    /// The message as JSON with sorted keys and no spaces.
    text: String,
    tokens: u32,
}

impl Message {
    fn new(mut message: Value) -> Result<Self, String> {
        let role = match message.get("role").and_then(Value::as_str) {
            Some("user") => Role::User,
            Some("assistant") => Role::Assistant,
            Some(_) => Role::Other,
            None => return Err("missing field `role`, expected a chat message".to_owned()),
        };
        message.sort_all_objects();
        let text = message.to_string();
        let tokens = text.chars().count() as u64 / CHARS_PER_TOKEN;
        let tokens = u32::try_from(tokens).map_err(|_| "message is too long")?;
        Ok(Self { role, text, tokens })
    }
}
