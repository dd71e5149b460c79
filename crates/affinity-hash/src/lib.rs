//! Rendezvous and chain hashing with the same output on every replica, platform and build.
//!
//! Two questions of a proxy in front of several accounts, answered by pure functions:
//!
//! - *Which account, for this session?* [`order`] ranks all of them by rendezvous hashing: the same
//!   order on every replica, a fixed fail-over behind the first, and only the keys of an account
//!   that leaves are moved. [`Candidates`] is the prepared and weighted form, [`BoundedLoad`] puts
//!   the overloaded behind.
//! - *Was the beginning of this conversation seen before?* [`chain`] gives a fingerprint of every
//!   prefix, such that the chain of one turn is a prefix of the chain of the next. [`Chain`] and
//!   [`ChainBuilder`] are the resumable forms, in the [`Scope`] of a tenant or a secret [`Key`].
//!
//! ```
//! use affinity_hash::{Candidates, chain};
//!
//! let accounts = Candidates::new(["acct-1", "acct-2", "acct-3"]);
//! let home = accounts.pick("session-1");
//! let without_the_third = Candidates::new(["acct-1", "acct-2"]);
//! assert!(home == Some(2) || home == without_the_third.pick("session-1"));
//!
//! let turn = chain(&["You are a helpful assistant.", "hello"]);
//! let next = chain(&["You are a helpful assistant.", "hello", "hi!", "how are you?"]);
//! assert_eq!(turn, next[..2]);
//! ```
//!
//! Every output is fixed: no `usize`, no floating point, no `std::hash::Hash` and no CPU detection
//! reaches it. `docs/spec-hash.md` gives every formula and constant, with golden vectors.
//!
//! # When not to use it
//!
//! - As a hash for tables inside one process: there it need not be the same everywhere.
//! - The public scope where clients gain by making two conversations collide: they can. Use
//!   [`Scope::keyed`].
//! - A fingerprint as proof of who sent something, or taken from a client at all.
//! - Tens of thousands of candidates with a pick for every packet: a pick is a walk over the list,
//!   1 ns per candidate.
//!
//! # Features
//!
//! | feature | default | adds |
//! |---|---|---|
//! | `alloc` | yes | what returns or keeps a list: [`chain`], [`order`], [`order_into`], [`ChainBuilder`], [`Candidates`] |
//!
//! Without it the crate is `core` only. It never uses `std`, and has no unsafe code.
#![forbid(unsafe_code)]
#![deny(missing_docs)]
#![no_std]

#[cfg(feature = "alloc")]
extern crate alloc;

#[cfg(feature = "alloc")]
mod best;
mod bounded;
#[cfg(feature = "alloc")]
mod builder;
#[cfg(feature = "alloc")]
mod candidates;
mod chain;
#[cfg(feature = "alloc")]
mod first;
#[cfg(feature = "alloc")]
mod iter;
mod key;
mod link;
#[cfg(feature = "alloc")]
mod ln;
mod mix;
#[cfg(feature = "alloc")]
mod order;
#[cfg(feature = "alloc")]
mod rank;
mod rapid;
mod rendezvous;
mod scope;
#[cfg(feature = "alloc")]
mod sort;

pub use bounded::BoundedLoad;
#[cfg(feature = "alloc")]
pub use builder::ChainBuilder;
#[cfg(feature = "alloc")]
pub use candidates::Candidates;
#[cfg(feature = "alloc")]
pub use chain::chain;
pub use chain::{Chain, prefix_bytes};
#[cfg(feature = "alloc")]
pub use first::First;
#[cfg(feature = "alloc")]
pub use iter::Iter;
pub use key::{Key, KeyError};
pub use mix::mix13;
#[cfg(feature = "alloc")]
pub use order::{order, order_into};
pub use rendezvous::{RendezvousKey, pick};
pub use scope::Scope;
