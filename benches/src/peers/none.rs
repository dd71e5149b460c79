//! No table: what the work itself costs, alone, with a clock read per call, and with one cache line
//! that all threads write.

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::by_hand::Clock;
use crate::peer::Peer;

/// Answers at once.
#[derive(Debug)]
pub struct NoTable;

impl Peer for NoTable {
    const NAME: &'static str = "(work alone)";

    fn new(_limit: usize) -> Self {
        Self
    }

    fn recall(&self, chain: &[u64]) -> Option<u32> {
        black_box(chain).last().map(|&link| link as u32)
    }

    fn remember(&self, link: u64, channel: u32) {
        black_box((link, channel));
    }

    fn len(&self) -> usize {
        0
    }
}

/// Reads `Instant::now()` once per call, as every peer must that is not given the time.
#[derive(Debug)]
pub struct ClockOnly(Clock);

impl Peer for ClockOnly {
    const NAME: &'static str = "(work + clock read)";

    fn new(_limit: usize) -> Self {
        Self(Clock::start())
    }

    fn recall(&self, chain: &[u64]) -> Option<u32> {
        black_box(self.0.now());
        black_box(chain).last().map(|&link| link as u32)
    }

    fn remember(&self, link: u64, channel: u32) {
        black_box((link, channel, self.0.now()));
    }

    fn len(&self) -> usize {
        0
    }
}

/// Counts every call in one counter: what a cache line costs that all threads write.
#[derive(Debug)]
pub struct SharedCounter(AtomicU64);

impl Peer for SharedCounter {
    const NAME: &'static str = "(work + one shared counter)";

    fn new(_limit: usize) -> Self {
        Self(AtomicU64::new(0))
    }

    fn recall(&self, chain: &[u64]) -> Option<u32> {
        black_box(self.0.fetch_add(1, Ordering::Relaxed));
        black_box(chain).last().map(|&link| link as u32)
    }

    fn remember(&self, link: u64, channel: u32) {
        black_box((link, channel, self.0.fetch_add(1, Ordering::Relaxed)));
    }

    fn len(&self) -> usize {
        0
    }
}
