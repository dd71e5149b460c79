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
//! fence between. Release and acquire alone allow both to read the old
//! value, as the table may answer "absent" from its filter without taking the lock.

use super::sync::{AtomicU64, Ordering, fence};

pub(crate) struct Generations {
    now: AtomicU64,
    /// Marks of fingerprints, a power of two of them. Two fingerprints that share a slot are
    /// forgotten together: that costs a binding which raced with the forgetting of a stranger,
    /// one time in so many.
    slots: Box<[AtomicU64]>,
}

impl Generations {
    pub(crate) fn new(slots: usize) -> Self {
        let slots = slots.next_power_of_two();
        Self {
            now: AtomicU64::new(0),
            slots: (0..slots).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// The generation of a decision made now (G1).
    pub(crate) fn now(&self) -> u64 {
        // Acquire: a decision that sees the generation sees the marks and removals before it.
        self.now.load(Ordering::Acquire)
    }

    /// Forgets (G2): `mark` marks with the generation that begins, then `remove` removes.
    pub(crate) fn forget<R>(&self, mark: impl FnOnce(u64), remove: impl FnOnce() -> R) -> R {
        mark(self.now.fetch_add(1, Ordering::AcqRel) + 1);
        fence(Ordering::SeqCst);
        remove()
    }

    /// Binds for a decision of the generation `decided` (G3): `write` writes, and `remove` takes
    /// that back. `is_forgotten` looks at the marks of all that the decision was made for.
    pub(crate) fn bind(
        &self,
        decided: u64,
        is_forgotten: impl Fn() -> bool,
        write: impl FnOnce(),
        remove: impl FnOnce(),
    ) {
        // A mark is never older than the generation that its forgetting began before.
        let is_forgotten = || self.now() != decided && is_forgotten();
        if is_forgotten() {
            return;
        }
        write();
        fence(Ordering::SeqCst);
        if is_forgotten() {
            remove();
        }
    }

    pub(crate) fn mark(&self, fingerprint: u64, generation: u64) {
        raise(self.slot(fingerprint), generation);
    }

    pub(crate) fn is_marked_since(&self, fingerprint: u64, generation: u64) -> bool {
        since(self.slot(fingerprint), generation)
    }

    fn slot(&self, fingerprint: u64) -> &AtomicU64 {
        &self.slots[fingerprint as usize & (self.slots.len() - 1)]
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
