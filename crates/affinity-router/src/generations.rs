//! Keeps what was forgotten forgotten, although requests decided before are still under way.
//!
//! - **G1** A decision takes the generation before it reads anything.
//! - **G2** Forgetting first begins a new generation and marks with it what it forgets (a
//!   channel, or the slots of fingerprints), then removes the memories.
//! - **G3** A binding looks at the marks before it writes and again after it; a mark newer than
//!   its decision stops it, or makes it remove what it wrote.
//!
//! Either the removal meets the written memory, or the binding's second look meets the mark: the
//! two sides write one place and then read the other's, so each puts a sequentially consistent
//! fence between ([`Generations::fence`]). Release and acquire alone allow both to read the old
//! value, as the table may answer "absent" from its filter without taking the lock.

use std::sync::atomic::{AtomicU64, Ordering, fence};

/// Fingerprints share slots: two that do are forgotten together, which costs a binding that
/// raced with the forgetting of a stranger, one time in `SLOTS`.
const SLOTS: usize = 256;

pub(crate) struct Generations {
    now: AtomicU64,
    slots: [AtomicU64; SLOTS],
}

impl Generations {
    pub(crate) fn new() -> Self {
        Self {
            now: AtomicU64::new(0),
            slots: [const { AtomicU64::new(0) }; SLOTS],
        }
    }

    /// The generation of a decision made now (G1).
    pub(crate) fn now(&self) -> u64 {
        // Acquire: a decision that sees the generation sees the marks and removals before it.
        self.now.load(Ordering::Acquire)
    }

    /// Begins a generation for a forgetting (G2).
    pub(crate) fn begin(&self) -> u64 {
        self.now.fetch_add(1, Ordering::AcqRel) + 1
    }

    pub(crate) fn mark(&self, fingerprint: u64, generation: u64) {
        raise(self.slot(fingerprint), generation);
    }

    pub(crate) fn is_marked_since(&self, fingerprint: u64, generation: u64) -> bool {
        since(self.slot(fingerprint), generation)
    }

    fn slot(&self, fingerprint: u64) -> &AtomicU64 {
        &self.slots[fingerprint as usize % SLOTS]
    }

    /// Stands between each side's write and its read of the other side's place.
    pub(crate) fn fence() {
        fence(Ordering::SeqCst);
    }
}

/// Marks `mark` with a generation; an older mark never replaces a newer one.
pub(crate) fn raise(mark: &AtomicU64, generation: u64) {
    mark.fetch_max(generation, Ordering::Release);
}

/// Whether `mark` is newer than a decision's generation.
pub(crate) fn since(mark: &AtomicU64, generation: u64) -> bool {
    mark.load(Ordering::Acquire) > generation
}
