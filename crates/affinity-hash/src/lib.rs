//! Rendezvous and chain hashing with the same output on every replica, platform and build.
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
