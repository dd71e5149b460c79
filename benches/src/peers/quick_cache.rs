//! quick_cache: S3-FIFO-like, no expiry of its own, so the deadline rides in the value.

use std::sync::Arc;

use ::quick_cache::UnitWeighter;
use ::quick_cache::sync::{Cache, DefaultLifecycle};

use crate::by_hand::{Clock, Memory};
use crate::peer::{BuildIdentity, Peer};

/// Values behind an `Arc`, so that a hit can renew without re-inserting.
#[derive(Debug)]
pub struct QuickCache {
    cache: Cache<u64, Arc<Memory>, UnitWeighter, BuildIdentity>,
    clock: Clock,
}

impl Peer for QuickCache {
    const NAME: &'static str = "quick_cache";

    fn new(limit: usize) -> Self {
        let cache = Cache::with(
            limit,
            limit as u64,
            UnitWeighter,
            BuildIdentity::default(),
            DefaultLifecycle::default(),
        );
        Self {
            cache,
            clock: Clock::start(),
        }
    }

    fn recall(&self, chain: &[u64]) -> Option<u32> {
        let now = self.clock.now();
        chain
            .iter()
            .rev()
            .find_map(|link| self.cache.get(link)?.renewed(now))
    }

    fn remember(&self, link: u64, channel: u32) {
        self.cache
            .insert(link, Arc::new(Memory::new(channel, self.clock.now())));
    }

    fn len(&self) -> usize {
        self.cache.len()
    }
}
