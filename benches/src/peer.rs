//! The job that every table is given.

use std::hash::{BuildHasherDefault, Hasher};
use std::time::Duration;

/// Lifetime of a memory in every work: long enough that nothing expires while it is measured.
pub const TTL: Duration = Duration::from_secs(3600);

/// A bounded table from fingerprint to channel whose memories live for [`TTL`] after their last use.
pub trait Peer: Send + Sync + Sized {
    /// The name in tables and plots.
    const NAME: &'static str;

    /// A table of at most `limit` memories, in the best configuration its crate offers for the job.
    fn new(limit: usize) -> Self;

    /// The channel of the last link that has a live memory, which is renewed.
    fn recall(&self, chain: &[u64]) -> Option<u32>;

    /// Makes `channel` the memory of `link`.
    fn remember(&self, link: u64, channel: u32);

    /// Memories held, after any deferred maintenance.
    fn len(&self) -> usize;

    /// Whether it holds no memory.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Called between timed windows, for peers that take the time from their caller.
    fn tick(&mut self) {}
}

/// Calls back with every compiled peer's type.
pub trait Visitor {
    /// One peer.
    fn visit<P: Peer + 'static>(&mut self);
}

/// Passes a `u64` through: links are uniform already, so peers with a pluggable hasher need none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Identity(u64);

/// Builds [`Identity`] hashers.
pub type BuildIdentity = BuildHasherDefault<Identity>;

impl Hasher for Identity {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.0 ^= u64::from_le_bytes(word);
        }
    }

    fn write_u64(&mut self, link: u64) {
        self.0 = link;
    }
}
