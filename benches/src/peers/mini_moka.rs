//! mini-moka: TinyLFU only.

use ::mini_moka::sync::{Cache, ConcurrentCacheExt};

use crate::peer::{BuildIdentity, Peer, TTL};

/// With idle expiry and no hashing.
#[derive(Debug)]
pub struct MiniMoka(Cache<u64, u32, BuildIdentity>);

impl Peer for MiniMoka {
    const NAME: &'static str = "mini-moka";

    fn new(limit: usize) -> Self {
        let builder = Cache::builder()
            .max_capacity(limit as u64)
            .time_to_idle(TTL);
        Self(builder.build_with_hasher(BuildIdentity::default()))
    }

    fn recall(&self, chain: &[u64]) -> Option<u32> {
        chain.iter().rev().find_map(|link| self.0.get(link))
    }

    fn remember(&self, link: u64, channel: u32) {
        self.0.insert(link, channel);
    }

    fn len(&self) -> usize {
        self.0.sync();
        self.0.entry_count() as usize
    }
}
