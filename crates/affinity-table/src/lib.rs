//! A bounded, concurrent memory of which channel served a conversation.
//!
//! An LLM gateway that sends the next turn of a conversation to the upstream account that served the
//! last one finds its prompt cache warm. This crate remembers which account that was: [`Table`] maps
//! the fingerprint of a request's whole prefix to a channel, evicts by order of insertion, renews by
//! use, and forgets when the upstream's cache does. Fingerprints come from `affinity_hash`.
//!
//! No async, no I/O, no background thread; every call costs tens to hundreds of nanoseconds. How it
//! works, and the models that show that it does: docs/table-protocol.md.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod at;
mod builder;
mod clock;
mod coarse;
mod feed;
mod filter;
mod foresee;
mod lifetime;
mod places;
mod protocol;
mod recent;
mod ring;
mod stats;
mod sync;
mod table;

pub use at::{At, Recalled};
pub use builder::Builder;
pub use feed::{Change, Feed};
pub use stats::Stats;
pub use table::Table;
