//! foyer-memory: the one cache crate with true insertion-order eviction.

use std::fmt;

use foyer_memory::{Cache, CacheBuilder, CacheProperties, FifoConfig};

use crate::by_hand::{Clock, Memory};
use crate::peer::{BuildIdentity, Peer};

/// FIFO; the deadline rides in the value.
pub struct FoyerFifo {
    cache: Cache<u64, Memory, BuildIdentity, CacheProperties>,
    clock: Clock,
}

impl fmt::Debug for FoyerFifo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FoyerFifo").finish_non_exhaustive()
    }
}

impl Peer for FoyerFifo {
    const NAME: &'static str = "foyer-memory (FIFO)";

    fn new(limit: usize) -> Self {
        let cache = CacheBuilder::new(limit)
            .with_eviction_config(FifoConfig::default())
            .with_hash_builder(BuildIdentity::default())
            .build();
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
            .find_map(|link| self.cache.get(link)?.value().renewed(now))
    }

    fn remember(&self, link: u64, channel: u32) {
        self.cache
            .insert(link, Memory::new(channel, self.clock.now()));
    }

    fn len(&self) -> usize {
        self.cache.entries()
    }
}
