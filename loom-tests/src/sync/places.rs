//! The ring's memory as plain loom atomics.

use std::sync::Arc;

use super::{AtomicU64, Ordering, seat};

/// `limit` places, shared with the check of the invariants at rest.
#[derive(Clone)]
pub(crate) struct Places(Arc<[AtomicU64]>);

impl Places {
    pub(crate) fn new(limit: u64) -> Self {
        Places((0..limit).map(|_| AtomicU64::new(0)).collect())
    }

    pub(crate) fn at(&self, index: u64) -> &AtomicU64 {
        seat::assert_outside();
        &self.0[index as usize]
    }

    /// What the place at `index` holds, once all threads have been joined.
    pub(crate) fn at_rest(&self, index: u64) -> u64 {
        self.at(index).load(Ordering::Relaxed)
    }
}
