//! Threads that start together.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Opens when everybody has arrived. Spins, since a thread that is woken up arrives too late to race.
pub(crate) struct Gate {
    awaited: AtomicUsize,
}

impl Gate {
    pub(crate) fn new(threads: usize) -> Self {
        Gate {
            awaited: AtomicUsize::new(threads),
        }
    }

    pub(crate) fn pass(&self) {
        // AcqRel and Acquire: what anybody did before the gate, everybody sees behind it.
        self.awaited.fetch_sub(1, Ordering::AcqRel);
        while self.awaited.load(Ordering::Acquire) > 0 {
            std::thread::yield_now();
        }
    }
}
