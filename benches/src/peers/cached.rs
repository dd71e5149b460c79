//! cached's sharded LRU with expiry renewed by use: the one crate with the full set of features.

use ::cached::ShardedLruTtlCache;

use crate::peer::{BuildIdentity, Peer, TTL};

/// `ShardedLruTtlCache` with `refresh_on_hit`.
#[derive(Debug)]
pub struct CachedLruTtl(ShardedLruTtlCache<u64, u32, BuildIdentity>);

impl Peer for CachedLruTtl {
    const NAME: &'static str = "cached (LRU-TTL)";

    fn new(limit: usize) -> Self {
        let builder = ShardedLruTtlCache::builder()
            .max_size(limit)
            .ttl(TTL)
            .refresh_on_hit(true);
        let cache = builder.hasher(BuildIdentity::default()).build();
        Self(cache.expect("a positive size and lifetime"))
    }

    fn recall(&self, chain: &[u64]) -> Option<u32> {
        chain.iter().rev().find_map(|link| self.0.get(link))
    }

    fn remember(&self, link: u64, channel: u32) {
        self.0.set(link, channel);
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}
