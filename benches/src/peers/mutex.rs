//! One mutex around a map and a queue: the obvious port of what gateways in Go do.

use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;

use crate::by_hand::{Clock, deadline_from};
use crate::peer::Peer;

/// `Mutex<(HashMap, VecDeque)>`, hashed by ahash.
#[derive(Debug)]
pub struct OneMutex {
    state: Mutex<State>,
    clock: Clock,
    limit: usize,
}

#[derive(Debug)]
struct State {
    /// Link to channel and deadline.
    map: HashMap<u64, (u32, u64), ahash::RandomState>,
    order: VecDeque<u64>,
}

impl Peer for OneMutex {
    const NAME: &'static str = "one mutex, map + queue";

    fn new(limit: usize) -> Self {
        let map = HashMap::with_capacity_and_hasher(limit, ahash::RandomState::new());
        let state = State {
            map,
            order: VecDeque::with_capacity(limit + 1),
        };
        Self {
            state: Mutex::new(state),
            clock: Clock::start(),
            limit,
        }
    }

    fn recall(&self, chain: &[u64]) -> Option<u32> {
        let now = self.clock.now();
        let mut state = self.state.lock().expect("no holder panics");
        chain.iter().rev().find_map(|link| {
            let (channel, deadline) = state.map.get_mut(link)?;
            if now >= *deadline {
                return None;
            }
            *deadline = deadline_from(now);
            Some(*channel)
        })
    }

    fn remember(&self, link: u64, channel: u32) {
        let deadline = deadline_from(self.clock.now());
        let mut guard = self.state.lock().expect("no holder panics");
        let state = &mut *guard;
        if state.map.insert(link, (channel, deadline)).is_none() {
            state.order.push_back(link);
            if state.order.len() > self.limit {
                let oldest = state.order.pop_front().expect("longer than the limit");
                state.map.remove(&oldest);
            }
        }
    }

    fn len(&self) -> usize {
        self.state.lock().expect("no holder panics").map.len()
    }
}
