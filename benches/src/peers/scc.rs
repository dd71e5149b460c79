//! scc: its `HashMap` with a queue by hand, and its `HashCache`, which evicts inside a bucket.

use ::scc::hash_map::Entry;
use ::scc::{HashCache, HashMap};

use crate::by_hand::{Clock, Memory, Queue};
use crate::peer::{BuildIdentity, Peer};

/// The map, a deadline in each value, a queue behind a lock.
#[derive(Debug)]
pub struct SccHashMap {
    map: HashMap<u64, Memory, BuildIdentity>,
    queue: Queue,
    clock: Clock,
}

impl Peer for SccHashMap {
    const NAME: &'static str = "scc HashMap by hand";

    fn new(limit: usize) -> Self {
        Self {
            map: HashMap::with_capacity_and_hasher(limit, BuildIdentity::default()),
            queue: Queue::new(limit),
            clock: Clock::start(),
        }
    }

    fn recall(&self, chain: &[u64]) -> Option<u32> {
        let now = self.clock.now();
        let probe = |link| self.map.read_sync(link, |_, memory| memory.renewed(now))?;
        chain.iter().rev().find_map(probe)
    }

    fn remember(&self, link: u64, channel: u32) {
        let memory = Memory::new(channel, self.clock.now());
        let new = match self.map.entry_sync(link) {
            Entry::Occupied(mut held) => {
                held.insert(memory);
                false
            }
            Entry::Vacant(place) => {
                place.insert_entry(memory);
                true
            }
        };
        if new && let Some(oldest) = self.queue.enter(link) {
            self.map.remove_sync(&oldest);
        }
    }

    fn len(&self) -> usize {
        self.map.len()
    }
}

/// 32-way associative: cheap and small, in no order.
#[derive(Debug)]
pub struct SccHashCache {
    cache: HashCache<u64, Memory, BuildIdentity>,
    clock: Clock,
}

impl Peer for SccHashCache {
    const NAME: &'static str = "scc HashCache";

    fn new(limit: usize) -> Self {
        let cache = HashCache::with_capacity_and_hasher(limit, limit, BuildIdentity::default());
        Self {
            cache,
            clock: Clock::start(),
        }
    }

    fn recall(&self, chain: &[u64]) -> Option<u32> {
        let now = self.clock.now();
        let probe = |link| {
            self.cache
                .read_sync(link, |_, memory| memory.renewed(now))?
        };
        chain.iter().rev().find_map(probe)
    }

    fn remember(&self, link: u64, channel: u32) {
        self.cache
            .entry_sync(link)
            .put_entry(Memory::new(channel, self.clock.now()));
    }

    fn len(&self) -> usize {
        self.cache.len()
    }
}
