//! The absence filter: counters that tell without a lock that a fingerprint is surely not in the map.
//!
//! A counter is at least the number of memories visible under it at every instant (I8), so a zero
//! proves absence, and anything else only sends the reader to the map. Raised before an insertion
//! takes its number, lowered after the memory has left the map. A counter that reached its maximum
//! stays there: it can no longer tell how many it stands for. Keys that share a counter cost the
//! shortcut, never the answer.

use crate::sync::{AtomicU8, Cells, Ordering};

/// A counter that reached this is never lowered again.
const SATURATED: u8 = u8::MAX;

pub(crate) struct Filter {
    /// A power of two of them, at least 2.
    cells: Cells,
    /// Odd. Random per table, so that nobody can aim at a counter.
    multiplier: u64,
    /// 64 - log2 of the number of cells.
    shift: u32,
}

impl Filter {
    /// `cells` must be a power of two of zeroed counters, at least 2.
    pub(crate) fn new(cells: Cells, multiplier: u64) -> Self {
        let shift = 64 - cells.len().trailing_zeros();
        Filter {
            cells,
            multiplier,
            shift,
        }
    }

    /// Multiplicative hashing: the high bits of the product depend on every bit of the fingerprint.
    fn cell(&self, fingerprint: u64) -> &AtomicU8 {
        let index = fingerprint.wrapping_mul(self.multiplier) >> self.shift;
        &self.cells[index as usize]
    }

    /// True only if no memory of `fingerprint` is visible.
    #[inline]
    pub(crate) fn surely_absent(&self, fingerprint: u64) -> bool {
        // Acquire, with the Release of `lower`: who sees a removal's zero also sees what the
        // remover had seen, so a later probe cannot find an older state.
        self.cell(fingerprint).load(Ordering::Acquire) == 0
    }

    /// As [`surely_absent`](Self::surely_absent), of all of them, looked at in the given order. The
    /// loads do not wait for each other, so a few cost hardly more than one.
    #[inline]
    pub(crate) fn all_surely_absent(&self, fingerprints: impl Iterator<Item = u64>) -> bool {
        let seen = |seen, fingerprint| seen | self.cell(fingerprint).load(Ordering::Acquire);
        fingerprints.fold(0, seen) == 0
    }

    /// Called under the fingerprint's exclusive lock, before the insertion takes its number.
    pub(crate) fn raise(&self, fingerprint: u64) {
        // Relaxed: ordered before the insertion's `next.fetch_add` (AcqRel), which publishes it.
        let _ =
            self.cell(fingerprint)
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| {
                    (count != SATURATED).then(|| count + 1)
                });
    }

    /// Called once per memory that left the map, after it has.
    pub(crate) fn lower(&self, fingerprint: u64) {
        // Release: see `surely_absent`. A zero cannot occur here (I8); stepping over it keeps a
        // fault from turning into a counter that hides 255 memories.
        let _ =
            self.cell(fingerprint)
                .fetch_update(Ordering::Release, Ordering::Relaxed, |count| {
                    (count != SATURATED && count != 0).then(|| count - 1)
                });
    }
}
