//! dashmap by hand: the map, a deadline in each value, a queue behind a lock.

use ::dashmap::{DashMap, Entry};

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
