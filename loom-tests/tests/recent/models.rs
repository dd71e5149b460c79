//! The models, over whichever copy of the file stands beside them.

use std::sync::Arc;

use loom::sync::atomic::{AtomicU64, Ordering};
use loom::thread;

use super::recent::Recent;

/// Readings of the precise clock to a tick of the coarse one.
const TICK: u64 = 2;

struct Shared {
    recent: Recent,
    /// Moves on with each reading. Relaxed: it orders nothing, like a time stamp, but a
    /// read-modify-write never returns an old value.
    time: AtomicU64,
}

impl Shared {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            recent: Recent::new(),
            time: AtomicU64::new(TICK),
        })
    }

    fn present(&self) -> u64 {
        self.time.fetch_add(0, Ordering::Relaxed)
    }

    fn precise(&self) -> u64 {
        self.time.fetch_add(1, Ordering::Relaxed)
    }

    fn read(&self, times: usize) {
        let mut last = 0;
        for _ in 0..times {
            let tick = self.present() / TICK * TICK;
            let own = self.recent.read(tick, || self.precise());
            assert!(own >= tick, "too old: {own} in tick {tick}");
            assert!(own >= last, "fell: {own} after {last}");
            assert!(own <= self.present(), "ahead: {own}");
            last = own;
        }
    }
}

fn race(threads: usize, times: usize) -> impl Fn() + Sync + Send + 'static {
    move || {
        let shared = Shared::new();
        let others: Vec<_> = (1..threads)
            .map(|_| {
                let shared = Arc::clone(&shared);
                thread::spawn(move || shared.read(times))
            })
            .collect();
        shared.read(times);
        for other in others {
            other.join().unwrap();
        }
    }
}

pub(crate) fn two_threads() {
    check(5, race(2, 2));
}

pub(crate) fn three_threads() {
    check(2, race(3, 2));
}

/// Bounded: each reading of a clock is a step, and all orders of them are too many.
fn check(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(model);
}
