//! moka, with its default policy (TinyLFU, SipHash) and tuned (LRU, no hashing).

use std::hash::RandomState;

use ::moka::policy::EvictionPolicy;
use ::moka::sync::Cache;

use crate::peer::{BuildIdentity, Peer, TTL};

/// As the README builds it, with idle expiry.
#[derive(Debug)]
pub struct MokaDefault(Cache<u64, u32, RandomState>);

impl Peer for MokaDefault {
    const NAME: &'static str = "moka (default)";

    fn new(limit: usize) -> Self {
        Self(
            Cache::builder()
                .max_capacity(limit as u64)
                .time_to_idle(TTL)
                .build(),
        )
    }

    fn recall(&self, chain: &[u64]) -> Option<u32> {
        chain.iter().rev().find_map(|link| self.0.get(link))
    }

    fn remember(&self, link: u64, channel: u32) {
        self.0.insert(link, channel);
    }

    fn len(&self) -> usize {
        self.0.run_pending_tasks();
        self.0.entry_count() as usize
    }
}

/// LRU, so that a new fingerprint is never refused.
#[derive(Debug)]
pub struct MokaLru(Cache<u64, u32, BuildIdentity>);

impl Peer for MokaLru {
    const NAME: &'static str = "moka (LRU)";

    fn new(limit: usize) -> Self {
        let builder = Cache::builder()
            .max_capacity(limit as u64)
            .time_to_idle(TTL)
            .eviction_policy(EvictionPolicy::lru());
        Self(builder.build_with_hasher(BuildIdentity::default()))
    }

    fn recall(&self, chain: &[u64]) -> Option<u32> {
        chain.iter().rev().find_map(|link| self.0.get(link))
    }

    fn remember(&self, link: u64, channel: u32) {
        self.0.insert(link, channel);
    }

    fn len(&self) -> usize {
        self.0.run_pending_tasks();
        self.0.entry_count() as usize
    }
}
