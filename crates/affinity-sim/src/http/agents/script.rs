//! What agents will say, and when: decided by a seed before anything runs.

use std::collections::VecDeque;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use super::conversation::{Api, Conversation, Round};
use crate::draws::Draws;

const WORDS: [&str; 32] = [
    "error", "module", "returns", "the", "value", "of", "each", "request", "channel", "test",
    "fails", "when", "cache", "is", "empty", "and", "build", "config", "line", "function", "after",
    "retry", "stream", "token", "match", "Some", "None", "result", "index", "queue", "state", "to",
];

/// How many conversations, how long, and how large.
///
/// The same shape and seed give the same conversations, word for word, whoever answers.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Conversations; half of them speak to each [`Api`].
    pub conversations: usize,
    /// They start within this time, each moment as likely.
    pub arrivals: Duration,
    /// Requests of one conversation, each number as likely.
    pub requests: RangeInclusive<usize>,
    /// Median of the lognormal time (sigma 0.6) between an answer and the next request.
    pub think: Duration,
    /// Tokens of the system prompt that all conversations share.
    pub system_tokens: usize,
    /// Median tokens (lognormal, sigma 0.5) of a first message.
    pub opener_tokens: usize,
    /// Median tokens (lognormal, sigma 0.5) of a tool's result or a later message.
    pub round_tokens: usize,
    /// Decides everything that varies.
    pub seed: u64,
}

impl Shape {
    /// The conversations, in the order in which they start.
    #[must_use]
    pub fn conversations(&self) -> Vec<Conversation> {
        let mut draws = Draws::new(self.seed);
        let system: Arc<str> = text(&mut draws, self.system_tokens).into();
        let (fewest, most) = (*self.requests.start(), *self.requests.end());
        let mut all: Vec<_> = (0..self.conversations)
            .map(|number| {
                let requests = fewest + draws.below(most.saturating_sub(fewest) + 1);
                let rounds: VecDeque<Round> = (0..requests.max(1))
                    .map(|at| {
                        let median = if at == 0 {
                            self.opener_tokens
                        } else {
                            self.round_tokens
                        };
                        let tokens = draws.log_normal(median as f64, 0.5) as usize;
                        Round {
                            think: draws.wait(self.think, 0.6),
                            text: text(&mut draws, tokens),
                        }
                    })
                    .collect();
                let api = if number % 2 == 0 {
                    Api::Chat
                } else {
                    Api::Messages
                };
                let start = draws.within(self.arrivals);
                Conversation::new(api, number, start, Arc::clone(&system), rounds)
            })
            .collect();
        all.sort_by_key(Conversation::start);
        all
    }
}

/// Words of about so many tokens of four bytes.
fn text(draws: &mut Draws, tokens: usize) -> String {
    let mut text = String::with_capacity(4 * tokens + 16);
    while text.len() < 4 * tokens {
        text.push_str(WORDS[draws.below(WORDS.len())]);
        text.push(' ');
    }
    text
}
