//! Counters that no two threads write.
//!
//! A thread owns one of 64 stripes as long as it lives and counts there with a plain load and store.
//! Threads beyond the 64th share one more stripe and pay for an atomic addition. Either way nothing
//! is lost, and a hit writes no cache line that another thread writes.

use std::sync::atomic::{AtomicU64, Ordering};

use crossbeam_utils::CachePadded;

/// What a table has done since it was built. See [`Table::stats`](crate::Table::stats).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Calls of `recall` and `lookup` that found a current memory, and renewed it.
    pub hits: u64,
    /// Calls of `recall` and `lookup` that found none.
    pub misses: u64,
    /// Links that those calls looked at: `probes / (hits + misses)` is the mean depth of a walk.
    pub probes: u64,
    /// Calls of `remember` that made a new memory.
    pub insertions: u64,
    /// Calls of `remember` that found a current memory, and rebound and renewed it.
    pub renewals: u64,
    /// Memories that went because `limit` newer insertions had been made.
    pub evictions: u64,
    /// Memories that went because they had expired: purged, or replaced by a new insertion.
    pub expiries: u64,
}

/// Stripes with an owner: as many as a `u64` has bits.
const STRIPES: usize = 64;

/// Which stripes have an owner now, one bit each.
static OWNED: AtomicU64 = AtomicU64::new(0);

thread_local! {
    static OWN: Claim = Claim::new();
}

/// A thread's claim on a stripe, in all tables alike; `None` when all had an owner.
struct Claim(Option<usize>);

impl Claim {
    fn new() -> Self {
        let free = |owned: u64| (owned != u64::MAX).then(|| owned | (owned + 1));
        // Acquire, with the Release in `drop`: a new owner goes on from the last one's counts.
        let before = OWNED
            .fetch_update(Ordering::Acquire, Ordering::Relaxed, free)
            .ok();
        Claim(before.map(|owned| owned.trailing_ones() as usize))
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if let Some(stripe) = self.0 {
            OWNED.fetch_and(!(1 << stripe), Ordering::Release);
        }
    }
}

/// The counters of one table.
pub(crate) struct Counters {
    owned: Box<[CachePadded<Counts>; STRIPES]>,
    shared: Box<CachePadded<Counts>>,
}

/// One stripe; the fields are those of [`Stats`].
#[derive(Default)]
pub(crate) struct Counts {
    pub(crate) hits: AtomicU64,
    pub(crate) misses: AtomicU64,
    pub(crate) probes: AtomicU64,
    pub(crate) insertions: AtomicU64,
    pub(crate) renewals: AtomicU64,
    pub(crate) evictions: AtomicU64,
    pub(crate) expiries: AtomicU64,
}

/// The calling thread's way to count.
pub(crate) struct Tally<'c> {
    counts: &'c Counts,
    exclusive: bool,
}

impl Counters {
    pub(crate) fn new() -> Self {
        Counters {
            owned: Box::new(std::array::from_fn(|_| CachePadded::default())),
            shared: Box::default(),
        }
    }

    #[inline]
    pub(crate) fn tally(&self) -> Tally<'_> {
        // A thread that is being torn down counts with those that own no stripe.
        let own = OWN.try_with(|own| own.0).ok().flatten();
        match own.and_then(|stripe| self.owned.get(stripe)) {
            Some(counts) => Tally {
                counts,
                exclusive: true,
            },
            None => Tally {
                counts: &self.shared,
                exclusive: false,
            },
        }
    }

    /// The sum over all threads: exact for calls that have returned before.
    pub(crate) fn total(&self) -> Stats {
        let sum = |counter: fn(&Counts) -> &AtomicU64| {
            let stripes = self.owned.iter().chain([&*self.shared]);
            stripes
                .map(|counts| counter(counts).load(Ordering::Relaxed))
                .sum()
        };
        Stats {
            hits: sum(|counts| &counts.hits),
            misses: sum(|counts| &counts.misses),
            probes: sum(|counts| &counts.probes),
            insertions: sum(|counts| &counts.insertions),
            renewals: sum(|counts| &counts.renewals),
            evictions: sum(|counts| &counts.evictions),
            expiries: sum(|counts| &counts.expiries),
        }
    }
}

impl Tally<'_> {
    #[inline]
    pub(crate) fn add(&self, count: u64, counter: impl FnOnce(&Counts) -> &AtomicU64) {
        let counter = counter(self.counts);
        // Relaxed: counts, which order nothing.
        if self.exclusive {
            // Two steps, since nobody else writes here.
            counter.store(
                counter.load(Ordering::Relaxed).wrapping_add(count),
                Ordering::Relaxed,
            );
        } else {
            counter.fetch_add(count, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Barrier};

    #[test]
    fn no_count_is_lost_with_more_threads_than_stripes() {
        let counters = Arc::new(Counters::new());
        let threads = 2 * STRIPES;
        let start = Arc::new(Barrier::new(threads));
        let handles: Vec<_> = (0..threads)
            .map(|_| {
                let (counters, start) = (Arc::clone(&counters), Arc::clone(&start));
                std::thread::spawn(move || {
                    counters.tally().add(1, |counts| &counts.hits);
                    start.wait();
                    for _ in 0..100 {
                        counters.tally().add(1, |counts| &counts.hits);
                        counters.tally().add(3, |counts| &counts.probes);
                    }
                })
            })
            .collect();
        for handle in handles {
            handle.join().expect("a counting thread");
        }
        let threads = threads as u64;
        let expected = Stats {
            hits: threads * 101,
            probes: threads * 300,
            ..Stats::default()
        };
        assert_eq!(counters.total(), expected);
    }
}
