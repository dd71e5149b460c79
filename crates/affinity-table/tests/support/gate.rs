//! Threads that start together.

use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Turns of the loop before a thread gives its processor to one that has yet to arrive: some tens of
/// microseconds.
const SPINS: u32 = 1_000;

/// Opens when everybody has arrived.
///
/// Twice: asleep, since a busy machine lets a thread that wakes up go first; and then spinning, since
/// those that wake up do so microseconds apart, which is longer than a call takes.
pub(crate) struct Gate {
    asleep: Barrier,
    awaited: AtomicUsize,
}

impl Gate {
    pub(crate) fn new(threads: usize) -> Self {
        Gate {
            asleep: Barrier::new(threads),
            awaited: AtomicUsize::new(threads),
        }
    }

    pub(crate) fn pass(&self) {
        self.asleep.wait();
        // AcqRel and Acquire: what anybody did before the gate, everybody sees behind it.
        self.awaited.fetch_sub(1, Ordering::AcqRel);
        let mut spins = 0;
        while self.awaited.load(Ordering::Acquire) > 0 {
            spins += 1;
            if spins % SPINS == 0 {
                std::thread::yield_now();
            } else {
                std::hint::spin_loop();
            }
        }
    }
}
