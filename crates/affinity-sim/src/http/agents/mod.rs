//! Agents that talk to accounts: multi-turn conversations with tools and think time.
//!
//! A [`Conversation`] knows what its agent sends next, a [`Listener`] reads the streamed answer;
//! the caller owns the HTTP client and the clock between them.

mod conversation;
mod listener;
mod script;

pub use conversation::{Api, Conversation};
pub use listener::{Heard, Listener, Said, Tokens};
pub use script::Shape;
