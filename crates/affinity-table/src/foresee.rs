//! Atomics whose read-modify-writes the processor need not wait for.
//!
//! The number of an insertion names a place of the ring, and what comes out of that place names the
//! memory to reclaim. Either is the result of a locked instruction, which waits for every store
//! before it to leave the core; only then could the loads that follow from it begin. A plain load a
//! moment earlier has nearly always seen the very value that comes back. Comparing with it turns the
//! wait into a branch, and beyond a branch that is foreseen the processor goes on with the value from
//! the load. On a full table that takes a third off a `remember` (docs/benchmarks.md).
//!
//! What comes back is what the read-modify-write returned, whatever the load saw: to the protocol
//! these are plain atomics, and its models take them as such.

use std::borrow::Borrow;
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};

/// An atomic, owned or borrowed.
pub(crate) struct Foreseen<A>(pub(crate) A);

impl Foreseen<AtomicU64> {
    pub(crate) fn new(value: u64) -> Self {
        Foreseen(AtomicU64::new(value))
    }
}

impl<A: Borrow<AtomicU64>> Foreseen<A> {
    #[inline]
    pub(crate) fn load(&self, order: Ordering) -> u64 {
        self.0.borrow().load(order)
    }

    #[inline]
    pub(crate) fn fetch_add(&self, value: u64, order: Ordering) -> u64 {
        self.foresee(|atomic| atomic.fetch_add(value, order))
    }

    #[inline]
    pub(crate) fn swap(&self, value: u64, order: Ordering) -> u64 {
        self.foresee(|atomic| atomic.swap(value, order))
    }

    #[inline]
    fn foresee(&self, update: impl FnOnce(&AtomicU64) -> u64) -> u64 {
        let atomic = self.0.borrow();
        // Relaxed: a guess, which decides nothing.
        let foreseen = atomic.load(Ordering::Relaxed);
        let actual = update(atomic);
        if actual == foreseen {
            // The compiler knows them to be equal and would take `actual`.
            black_box(foreseen)
        } else {
            actual
        }
    }
}
