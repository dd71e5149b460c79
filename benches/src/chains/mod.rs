//! How the entries of a request become links: ours, and what a user would write.
//!
//! The peers hash each entry and join the hashes by one multiply, which is the least that a chain
//! needs; SHA-256 hashes the parent's digest with the entry, as gateways do.

mod by_hand;
mod floor;
mod ours;

pub use by_hand::{AHash, SipHash};
#[cfg(feature = "peers")]
pub use by_hand::{Sha256Chain, TwoxXxh3, Xxh3};
pub use floor::ReadFloor;
pub use ours::{Keyed, Public};

/// Makes links out of entries.
pub trait ChainHash: Send + Sync {
    /// The name in tables and plots.
    const NAME: &'static str;

    /// A hash with a fixed key, if it takes one.
    fn new() -> Self;

    /// One link an entry.
    fn chain<'a>(&mut self, entries: impl Iterator<Item = &'a [u8]>) -> &[u64];
}

/// No hash: the links are given.
#[derive(Clone, Copy, Debug)]
pub struct Prehashed;

impl ChainHash for Prehashed {
    const NAME: &'static str = "prehashed";

    fn new() -> Self {
        Self
    }

    fn chain<'a>(&mut self, _entries: impl Iterator<Item = &'a [u8]>) -> &[u64] {
        &[]
    }
}

/// Calls back with every compiled chain's type.
pub trait Visitor {
    /// One chain.
    fn visit<H: ChainHash + 'static>(&mut self);
}

/// Visits the floor, ours, then every compiled peer.
pub fn visit(visitor: &mut impl Visitor) {
    visitor.visit::<ReadFloor>();
    visitor.visit::<Public>();
    visitor.visit::<Keyed>();
    visitor.visit::<SipHash>();
    visitor.visit::<AHash>();
    #[cfg(feature = "peers")]
    {
        visitor.visit::<Xxh3>();
        visitor.visit::<TwoxXxh3>();
        visitor.visit::<Sha256Chain>();
    }
}
