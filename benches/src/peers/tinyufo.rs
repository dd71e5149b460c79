//! TinyUFO: S3-FIFO with TinyLFU, no expiry of its own, so the deadline rides in the value.

use std::fmt;
use std::sync::Arc;

use ::tinyufo::TinyUfo;

use crate::by_hand::{Clock, Memory};
use crate::peer::Peer;

/// `force_put` skips the admission filter where the crate allows it.
pub struct TinyUfoCache {
    cache: TinyUfo<u64, Arc<Memory>>,
    clock: Clock,
    limit: usize,
}

impl fmt::Debug for TinyUfoCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TinyUfoCache").finish_non_exhaustive()
    }
}

impl Peer for TinyUfoCache {
    const NAME: &'static str = "TinyUFO";

    fn new(limit: usize) -> Self {
        Self {
            cache: TinyUfo::new(limit, limit),
            clock: Clock::start(),
            limit,
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
        let memory = Arc::new(Memory::new(channel, self.clock.now()));
        drop(self.cache.force_put(link, memory, 1));
    }

    /// The crate tells no length; every work fills it.
    fn len(&self) -> usize {
        self.limit
    }
}
