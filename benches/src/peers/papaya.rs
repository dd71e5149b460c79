//! papaya by hand: a lock-free map, a deadline in each value, a queue behind a lock.

use ::papaya::HashMap;

use crate::by_hand::{Clock, Memory, Queue};
use crate::peer::{BuildIdentity, Peer};

/// The map is pinned once per call.
#[derive(Debug)]
pub struct PapayaByHand {
    map: HashMap<u64, Memory, BuildIdentity>,
    queue: Queue,
    clock: Clock,
}

impl Peer for PapayaByHand {
    const NAME: &'static str = "papaya by hand";

    fn new(limit: usize) -> Self {
        Self {
            map: HashMap::with_capacity_and_hasher(limit, BuildIdentity::default()),
            queue: Queue::new(limit),
            clock: Clock::start(),
        }
    }

    fn recall(&self, chain: &[u64]) -> Option<u32> {
        let now = self.clock.now();
        let map = self.map.pin();
        chain
            .iter()
            .rev()
            .find_map(|link| map.get(link)?.renewed(now))
    }

    fn remember(&self, link: u64, channel: u32) {
        let memory = Memory::new(channel, self.clock.now());
        let map = self.map.pin();
        if map.insert(link, memory).is_none()
            && let Some(oldest) = self.queue.enter(link)
        {
            map.remove(&oldest);
        }
    }

    fn len(&self) -> usize {
        self.map.len()
    }
}
