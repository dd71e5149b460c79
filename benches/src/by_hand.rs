//! What a user writes around a plain map: a memory with a deadline, a clock, a queue for eviction.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crate::peer::TTL;

/// Nanoseconds from `Instant`, 8 bytes instead of 16 in every memory.
#[derive(Debug)]
pub struct Clock(Instant);

impl Clock {
    /// A clock that starts at 0 now.
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// Nanoseconds since the start. One `Instant::now()`.
    pub fn now(&self) -> u64 {
        self.0.elapsed().as_nanos() as u64
    }
}

/// A channel with a deadline that a reader can renew.
#[derive(Debug)]
pub struct Memory {
    channel: u32,
    deadline: AtomicU64,
}

impl Memory {
    /// A memory that lives for [`TTL`] from `now`.
    pub fn new(channel: u32, now: u64) -> Self {
        Self {
            channel,
            deadline: AtomicU64::new(deadline_from(now)),
        }
    }

    /// The channel, renewed, unless the deadline has passed.
    pub fn renewed(&self, now: u64) -> Option<u32> {
        if now >= self.deadline.load(Ordering::Relaxed) {
            return None;
        }
        self.deadline.store(deadline_from(now), Ordering::Relaxed);
        Some(self.channel)
    }
}

/// The deadline of a memory used at `now`.
pub fn deadline_from(now: u64) -> u64 {
    now + TTL.as_nanos() as u64
}

/// Insertion order, behind one lock. An insertion into a full table tells whom it evicts.
#[derive(Debug)]
pub struct Queue {
    order: Mutex<VecDeque<u64>>,
    limit: usize,
}

impl Queue {
    /// A queue for `limit` links, allocated at once.
    pub fn new(limit: usize) -> Self {
        Self {
            order: Mutex::new(VecDeque::with_capacity(limit + 1)),
            limit,
        }
    }

    /// Enters a new link; returns the link to evict once the table is full.
    pub fn enter(&self, link: u64) -> Option<u64> {
        let mut order = self.order.lock().expect("no holder panics");
        order.push_back(link);
        if order.len() > self.limit {
            order.pop_front()
        } else {
            None
        }
    }
}
