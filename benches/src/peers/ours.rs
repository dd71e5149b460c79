//! Our table, with its own clock read and with the caller's.

use affinity_table::Table;

use crate::peer::{Peer, TTL};

/// The table reads its own clock once per call.
#[derive(Debug)]
pub struct Ours(Table<u32>);

impl Peer for Ours {
    const NAME: &'static str = "affinity";

    fn new(limit: usize) -> Self {
        Self(Table::new(limit, TTL))
    }

    fn recall(&self, chain: &[u64]) -> Option<u32> {
        self.0.recall(chain)
    }

    fn remember(&self, link: u64, channel: u32) {
        self.0.remember(&[link], channel);
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

/// The caller gives the time, read once per window here, once per request in a gateway.
#[derive(Debug)]
pub struct OursAt {
    table: Table<u32>,
    clock: quanta::Clock,
    now: quanta::Instant,
}

impl Peer for OursAt {
    const NAME: &'static str = "affinity at(now)";

    fn new(limit: usize) -> Self {
        let clock = quanta::Clock::new();
        Self {
            table: Table::new(limit, TTL),
            now: clock.now(),
            clock,
        }
    }

    fn recall(&self, chain: &[u64]) -> Option<u32> {
        self.table.at(self.now).recall(chain)
    }

    fn remember(&self, link: u64, channel: u32) {
        self.table.at(self.now).remember(&[link], channel);
    }

    fn len(&self) -> usize {
        self.table.len()
    }

    fn tick(&mut self) {
        self.now = self.clock.now();
    }
}
