//! Simulated accounts as real HTTP servers on loopback.
//!
//! An [`Account`] is what a gateway sees of a provider's account: it checks a key, answers OpenAI
//! Chat Completions, OpenAI Responses, Anthropic Messages and Gemini, whole or as a stream, keeps a prompt cache of its own and reports in `usage` what was read from it. Its first token
//! takes longer the more of the prompt was not cached. Faults come on demand.
//!
//! | path ends in | answers as |
//! |---|---|
//! | `/chat/completions` | OpenAI Chat Completions |
//! | `/responses` | OpenAI Responses, with `previous_response_id` and encrypted reasoning bound to this account |
//! | `/messages` | Anthropic Messages |
//! | `:generateContent`, `:streamGenerateContent` | Gemini, the stream as events with `alt=sse` and else as an array |
//! | `/messages/count_tokens`, `:countTokens`, `/models` | the provider's side calls |
//!
//! # The prompt cache
//! A token is four bytes of the rendered prompt (tools, system, messages, in that order), the rule
//! of thumb both providers give for English text.
//! * OpenAI: automatic, from 1,024 tokens, in steps of 128; a cached prefix lives until it was not
//!   used for the lifetime ([prompt caching guide](https://platform.openai.com/docs/guides/prompt-caching)).
//! * Gemini: by the same rule. Its implicit caching has a minimum of 1,024 tokens and more, by
//!   model, and the step is not documented
//!   ([context caching](https://ai.google.dev/gemini-api/docs/caching)).
//! * Anthropic: at `cache_control` breakpoints of at least 1,024 tokens, looking back 20 blocks
//!   from each for an earlier one; 5 minutes or 1 hour, renewed by use
//!   ([prompt caching guide](https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching)).
//!
//! A prefix is written when the first token is made, so two equal requests at once both miss.
//! Equal seeds and equal requests in equal order give equal answers, usages and throttling.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> std::io::Result<()> {
//! use affinity_sim::http::{Account, Options};
//!
//! let account = Account::start(Options::named("east")).await?;
//! assert!(account.base_url().starts_with("http://127.0.0.1:"));
//! assert_eq!(account.stats().requests, 0);
//! # Ok(()) }
//! ```

mod account;
pub mod agents;
mod ask;
mod body;
mod cache;
mod chat;
mod control;
mod fault;
mod gemini;
mod ledger;
mod messages;
mod options;
mod problem;
mod prompt;
mod reply;
mod responses;
mod serve;
mod socket;
mod sse;

pub use account::Account;
pub use control::Control;
pub use fault::Fault;
pub use ledger::{Received, Stats};
pub use options::{Latency, Options, Throttle};
