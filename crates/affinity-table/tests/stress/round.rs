//! One round of a scenario: its draw, its threads, and the sampler beside them.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use crate::gate::Gate;

/// What a round draws from its seed. `Debug` is all that it takes to play it again.
#[derive(Debug)]
pub(crate) struct Round {
    pub(crate) seed: u64,
    /// 2 to 8.
    pub(crate) threads: usize,
    /// 1 to 64.
    pub(crate) limit: usize,
    /// 2 to 16.
    pub(crate) shards: usize,
}

impl Round {
    pub(crate) fn drawn(seed: u64) -> Self {
        let mut rng = SmallRng::seed_from_u64(seed);
        Round {
            seed,
            threads: rng.random_range(2..=8),
            // Small limits as often as large ones.
            limit: 1 << rng.random_range(0..=6),
            shards: 1 << rng.random_range(1..=4),
        }
    }

    /// The random numbers of one of the round's threads.
    pub(crate) fn rng(&self, thread: usize) -> SmallRng {
        SmallRng::seed_from_u64((self.seed << 8) | (thread as u64 + 1))
    }

    /// How many of `alive` channels are beyond `limit` memories and one for each inserting call, which
    /// is what the protocol allows the map (I9).
    ///
    /// A thread may besides hold up to `in_hand` channels that are not in the map, which cannot be
    /// told from outside.
    pub(crate) fn beyond(&self, alive: u64, in_hand: u64) -> u64 {
        let threads = self.threads as u64;
        let beyond = alive.saturating_sub(self.limit as u64 + threads);
        assert!(beyond <= in_hand * threads, "{beyond} memories too many");
        beyond
    }

    /// Runs `work` on every thread of the round, all starting together, and `sample` on this one as
    /// long as any of them runs. Returns what the threads return, and how many samples were taken.
    pub(crate) fn race<R: Send>(
        &self,
        work: impl Fn(usize) -> R + Sync,
        mut sample: impl FnMut(),
    ) -> (Vec<R>, u64) {
        let gate = Gate::new(self.threads);
        let running = AtomicUsize::new(self.threads);
        let (work, gate, running) = (&work, &gate, &running);
        let mut samples = 0;
        let results = thread::scope(|scope| {
            let threads: Vec<_> = (0..self.threads)
                .map(|thread| {
                    scope.spawn(move || {
                        let _leaving = Leaving(running);
                        gate.pass();
                        work(thread)
                    })
                })
                .collect();
            while running.load(Ordering::Relaxed) > 0 {
                sample();
                samples += 1;
                thread::yield_now();
            }
            threads
                .into_iter()
                .map(|thread| thread.join().expect("a thread of the round failed"))
                .collect()
        });
        (results, samples)
    }
}

/// Takes a thread off the count of running ones, also when it fails.
struct Leaving<'a>(&'a AtomicUsize);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What rounds have checked.
#[derive(Default)]
pub(crate) struct Seen {
    /// Calls of the table.
    pub(crate) calls: u64,
    /// Results that had to be what they were.
    pub(crate) promises: u64,
    /// Looks at the bound while threads were running.
    pub(crate) samples: u64,
    /// The most channels alive at a time beyond the physical bound, limit + threads.
    pub(crate) beyond: u64,
}

impl Seen {
    pub(crate) fn add(&mut self, other: &Seen) {
        self.calls += other.calls;
        self.promises += other.promises;
        self.samples += other.samples;
        self.beyond = self.beyond.max(other.beyond);
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} calls, {} promises, {} samples, at most limit + threads + {} channels alive",
            self.calls, self.promises, self.samples, self.beyond
        )
    }
}
