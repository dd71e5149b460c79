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
    owned: Box<[CachePadded<Stripe>]>,
    shared: CachePadded<Stripe>,
}

/// One thread's counts, in the order of the fields of [`Stats`].
#[derive(Default)]
struct Stripe([AtomicU64; 7]);

impl Counters {
    pub(crate) fn new() -> Self {
        let owned = (0..STRIPES).map(|_| CachePadded::default()).collect();
        Counters {
            owned,
            shared: CachePadded::default(),
        }
    }

    /// Adds what one call did.
    #[inline]
    pub(crate) fn add(&self, done: &Stats) {
        let stripe = OWN.try_with(|own| own.0).ok().flatten();
        for (index, count) in counts(done).into_iter().enumerate() {
            if count == 0 {
                continue;
            }
            match stripe {
                Some(stripe) => {
                    let counter = &self.owned[stripe].0[index];
                    // Relaxed, and not one step: nobody else writes here.
                    counter.store(counter.load(Ordering::Relaxed) + count, Ordering::Relaxed);
                }
                None => {
                    self.shared.0[index].fetch_add(count, Ordering::Relaxed);
                }
            }
        }
    }

    /// The sum over all threads: exact for calls that have returned before.
    pub(crate) fn total(&self) -> Stats {
        let stripes = self.owned.iter().chain([&self.shared]);
        let mut sums = [0; 7];
        for stripe in stripes {
            for (sum, counter) in sums.iter_mut().zip(&stripe.0) {
                *sum += counter.load(Ordering::Relaxed);
            }
        }
        let [
            hits,
            misses,
            probes,
            insertions,
            renewals,
            evictions,
            expiries,
        ] = sums;
        Stats {
            hits,
            misses,
            probes,
            insertions,
            renewals,
            evictions,
            expiries,
        }
    }
}

fn counts(stats: &Stats) -> [u64; 7] {
    let &Stats {
        hits,
        misses,
        probes,
        insertions,
        renewals,
        evictions,
        expiries,
    } = stats;
    [
        hits, misses, probes, insertions, renewals, evictions, expiries,
    ]
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
                    counters.add(&Stats {
                        hits: 1,
                        ..Stats::default()
                    });
                    start.wait();
                    for _ in 0..100 {
                        counters.add(&Stats {
                            hits: 1,
                            probes: 3,
                            ..Stats::default()
                        });
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
