//! dashmap by hand: the map, a deadline in each value, a queue behind a lock. And the map alone, which
//! is what our table cannot undercut as long as it keeps its memories in one.

use std::sync::atomic::{AtomicU64, Ordering};

use ::dashmap::{DashMap, Entry};
use ahash::RandomState;

use crate::by_hand::{Clock, Memory, Queue};
use crate::peer::{BuildIdentity, Peer};

/// What one writes first: eviction pops a link and removes by key, not in one step with insertion.
#[derive(Debug)]
pub struct DashMapByHand {
    map: DashMap<u64, Memory, BuildIdentity>,
    queue: Queue,
    clock: Clock,
}

impl Peer for DashMapByHand {
    const NAME: &'static str = "dashmap by hand";

    fn new(limit: usize) -> Self {
        Self {
            map: DashMap::with_capacity_and_hasher(limit, BuildIdentity::default()),
            queue: Queue::new(limit),
            clock: Clock::start(),
        }
    }

    fn recall(&self, chain: &[u64]) -> Option<u32> {
        let now = self.clock.now();
        chain
            .iter()
            .rev()
            .find_map(|link| self.map.get(link)?.renewed(now))
    }

    fn remember(&self, link: u64, channel: u32) {
        let memory = Memory::new(channel, self.clock.now());
        let new = match self.map.entry(link) {
            Entry::Occupied(mut held) => {
                held.insert(memory);
                false
            }
            Entry::Vacant(place) => {
                place.insert(memory);
                true
            }
        };
        if new && let Some(oldest) = self.queue.enter(link) {
            self.map.remove(&oldest);
        }
    }

    fn len(&self) -> usize {
        self.map.len()
    }
}

/// Our table's map, entries of the same size and hashed alike, with the least around it that still
/// evicts in order: no clock, no deadline, no filter, and a ring that may lose a memory to a race.
#[derive(Debug)]
pub struct DashMapAlone {
    map: DashMap<u64, (u64, u64, u64), RandomState>,
    order: Box<[AtomicU64]>,
    next: AtomicU64,
}

impl Peer for DashMapAlone {
    const NAME: &'static str = "(DashMap alone)";

    fn new(limit: usize) -> Self {
        let shards = 64;
        Self {
            map: DashMap::with_hasher_and_shard_amount(RandomState::new(), shards),
            order: (0..limit).map(|_| AtomicU64::new(0)).collect(),
            next: AtomicU64::new(0),
        }
    }

    fn recall(&self, chain: &[u64]) -> Option<u32> {
        let seen = |link| Some(self.map.get(link)?.0 as u32);
        chain.iter().rev().find_map(seen)
    }

    fn remember(&self, link: u64, channel: u32) {
        if self.map.insert(link, (channel.into(), 0, 0)).is_some() {
            return;
        }
        // Relaxed, and load and store apart: whoever loses a race here leaves a memory behind.
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let place = &self.order[number as usize % self.order.len()];
        let oldest = place.load(Ordering::Relaxed);
        place.store(link, Ordering::Relaxed);
        self.map.remove(&oldest);
    }

    fn len(&self) -> usize {
        self.map.len()
    }
}
