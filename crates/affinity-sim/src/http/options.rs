//! How a simulated account behaves.

use std::fmt;
use std::time::Duration;

/// How a simulated account behaves. The defaults answer at once and never throttle.
#[derive(Clone)]
pub struct Options {
    /// The account's name: in its `openai-organization` and `anthropic-organization-id` headers.
    pub name: String,
    /// The key that callers must present, or `None` to let everyone in.
    pub key: Option<String>,
    /// Seed of everything that varies: reply text, latency jitter, throttling.
    pub seed: u64,
    /// How long an unused cached prefix lives. Anthropic's one-hour entries live twelve times as
    /// long.
    pub cache_ttl: Duration,
    /// Time to the first token and between tokens.
    pub latency: Latency,
    /// How often the account refuses with 429.
    pub throttle: Throttle,
    /// Models the account knows; any, if empty.
    pub models: Vec<String>,
    /// Tokens in a reply, before the request's own maximum.
    pub reply_tokens: usize,
}

/// When tokens come out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Latency {
    /// Time to the first token of a prompt that is all cached.
    pub base: Duration,
    /// More time to the first token for each token that is not cached.
    pub per_uncached_token: Duration,
    /// Time between two tokens of a stream; a whole answer takes all of them.
    pub per_output_token: Duration,
}

/// Refusals with status 429.
#[derive(Clone, Copy, Debug, Default)]
pub struct Throttle {
    /// Of a thousand requests, how many are refused.
    pub per_mille: u32,
    /// What the refusal's `retry-after` says; rounded up to whole seconds there, exact in
    /// `retry-after-ms`.
    pub retry_after: Duration,
}

impl Options {
    /// An account of this name with everything else at its default.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            key: None,
            seed: 0,
            cache_ttl: Duration::from_secs(300),
            latency: Latency::default(),
            throttle: Throttle::default(),
            models: Vec::new(),
            reply_tokens: 24,
        }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("name", &self.name)
            .field("key", &self.key.as_ref().map(|_| "redacted"))
            .field("seed", &self.seed)
            .field("cache_ttl", &self.cache_ttl)
            .field("latency", &self.latency)
            .field("throttle", &self.throttle)
            .field("models", &self.models)
            .field("reply_tokens", &self.reply_tokens)
            .finish()
    }
}
