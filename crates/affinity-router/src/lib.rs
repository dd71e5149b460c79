//! The affinity decision: which order to try the upstream accounts ("channels") of an LLM gateway
//! in, so that a conversation meets the prompt cache that its earlier turns filled.
//!
//! The rule is **order, never select**: [`Router::route`] returns a permutation of the caller's
//! channels, the one that likely holds the cache first, so the caller's fail-over works unchanged.
//! No async, no I/O; a decision among 16 channels does not allocate.
//!
//! ```
//! use affinity_router::{Channels, Identity, Router, Source};
//!
//! let router = Router::builder().build();
//! let channels = Channels::new(["acct-1", "acct-2", "acct-3"].map(|name| router.channel(name)));
//!
//! // The links of a conversation (affinity-hash), and which of them ends its first user turn.
//! let scope = router.scope(Some("team-a"), Some("some-model"));
//! let mut chain = affinity_hash::Chain::new(scope);
//! let links = [chain.push(b"system prompt"), chain.push(b"first question")];
//! let first = router.route(Identity::chain(&links, Some(1), 4096), &channels);
//! assert_eq!(first.source(), Source::Opener);
//! let tried = first.order()[0];
//! let other = first.order()[1];
//!
//! // Say `tried` failed and `other` answered: the conversation moves there, and stays.
//! first.served(other);
//! let longer = [links[0], links[1], chain.push(b"an answer"), chain.push(b"a question")];
//! let next = router.route(Identity::chain(&longer, Some(1), 8192), &channels);
//! assert_eq!(next.source(), Source::Memory { depth: 2, of: 4 });
//! assert_eq!(next.order()[0], other);
//! assert_ne!(next.order()[0], tried);
//! ```

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod builder;
mod channel;
mod channels;
mod decision;
mod demotion;
mod generations;
mod identity;
mod router;
mod sync;
mod ticket;
pub mod ttl;

// What the methods take and return, so that a caller needs no dependency of its own for it.
pub use affinity_hash::{BoundedLoad, Key, KeyError, Scope};
pub use affinity_table::Stats;
pub use quanta::{Clock, Instant, Mock};

pub use builder::Builder;
pub use channel::{Channel, ChannelId, InFlight};
pub use channels::{ChannelSet, Channels};
pub use decision::{Decision, Source};
pub use demotion::Demoted;
pub use identity::Identity;
pub use router::Router;
pub use ticket::Ticket;

/// The README's example runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
