//! Memory of the last link, on the product's own table.

use affinity_table::Table;
use quanta::{Clock, Instant};

use super::{Arrival, Choose, Recalls};
use crate::accounts::Accounts;
use crate::replay::Settings;

/// The account that served the longest remembered prefix; for a stranger, what `fallback` says.
pub(super) struct Memory<F> {
    table: Table<u32>,
    /// The table's time at the start of the trace.
    start: Instant,
    fallback: F,
}

impl<F> Memory<F> {
    pub(super) fn new(settings: &Settings, fallback: F) -> Self {
        // Time comes from the trace; a mocked clock stands still at the start.
        let (clock, _) = Clock::mock();
        Self {
            start: clock.now(),
            table: Table::builder()
                .limit(settings.limit)
                .ttl(settings.ttl)
                .clock(clock)
                .build(),
            fallback,
        }
    }
}

impl<F: Choose> Choose for Memory<F> {
    fn choose(&mut self, arrival: &Arrival<'_>, accounts: &Accounts) -> usize {
        // Strangers share every link before their first user message: to remember one of those
        // would send everybody after whoever came last.
        if !arrival.keys.user_turn {
            return self.fallback.choose(arrival, accounts);
        }
        let memory = self.table.at(self.start + arrival.at);
        let account = match memory.recall(arrival.chain) {
            Some(account) => account as usize,
            None => self.fallback.choose(arrival, accounts),
        };
        memory.remember(arrival.chain, account as u32);
        account
    }

    fn recalls(&self) -> Recalls {
        let stats = self.table.stats();
        Recalls {
            count: stats.hits + stats.misses,
            probes: stats.probes,
        }
    }
}
