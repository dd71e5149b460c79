//! The absence filter: counters that tell without a lock that a fingerprint is surely not in the map.
//!
//! A counter counts memories, and keeps the exclusive or of their tags: eight more bits of a fingerprint's
//! hash. It counts at least the memories visible under it at every instant (I8), so a count of zero
//! proves absence, and a count of one that is of another tag does too; anything else only sends the
//! reader to the map. Raised before an insertion takes its number, lowered after the memory has left
//! the map. A count that reached its maximum stays there: it can no longer tell how many it stands for.
//! Keys that share a counter cost the shortcut, never the answer.

use crate::sync::{AtomicU16, Cells, Ordering};

/// The bits of a counter that count. Those above hold the tags.
const COUNT: u16 = u8::MAX as u16;

/// A count that reached this is never lowered again.
const SATURATED: u16 = COUNT;

pub(crate) struct Filter {
    /// A power of two of them, at least 2.
    cells: Cells,
    /// Odd. Random per table, so that nobody can aim at a counter.
    multiplier: u64,
    /// 64 - log2 of the number of cells.
    shift: u32,
}

impl Filter {
    /// `cells` must be a power of two of zeroed counters, at least 2 and less than 2^56.
    pub(crate) fn new(cells: Cells, multiplier: u64) -> Self {
        let shift = 64 - cells.len().trailing_zeros();
        Filter {
            cells,
            multiplier,
            shift,
        }
    }

    /// The counter of a fingerprint, and its tag where a counter has it.
    ///
    /// Multiplicative hashing: the high bits of the product depend on every bit of the fingerprint. The
    /// highest are the index, the next eight the tag.
    #[inline]
    fn cell(&self, fingerprint: u64) -> (&AtomicU16, u16) {
        let product = fingerprint.wrapping_mul(self.multiplier);
        let tag = (product >> (self.shift - u8::BITS)) as u8;
        let index = product >> self.shift;
        (&self.cells[index as usize], u16::from(tag) << u8::BITS)
    }

    /// True only if no memory of `fingerprint` is visible.
    #[inline]
    pub(crate) fn surely_absent(&self, fingerprint: u64) -> bool {
        let (cell, tag) = self.cell(fingerprint);
        // Acquire, with the Release of `lower`: who sees what a removal left also sees what the
        // remover had seen, so a later probe cannot find an older state.
        let counter = cell.load(Ordering::Acquire);
        match counter & COUNT {
            0 => true,
            1 => counter & !COUNT != tag,
            _ => false,
        }
    }

    /// As [`surely_absent`](Self::surely_absent), of all of them, looked at in the given order. The
    /// loads do not wait for each other, so a few cost hardly more than one.
    #[inline]
    pub(crate) fn all_surely_absent(&self, fingerprints: impl Iterator<Item = u64>) -> bool {
        let absent = |absent, fingerprint| absent & self.surely_absent(fingerprint);
        fingerprints.fold(true, absent)
    }

    /// Called under the fingerprint's exclusive lock, before the insertion takes its number.
    pub(crate) fn raise(&self, fingerprint: u64) {
        let (cell, tag) = self.cell(fingerprint);
        // Relaxed: ordered before the insertion's `next.fetch_add` (AcqRel), which publishes it.
        let _ = cell.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |counter| {
            (counter & COUNT != SATURATED).then(|| (counter + 1) ^ tag)
        });
    }

    /// Called once per memory that left the map, after it has.
    pub(crate) fn lower(&self, fingerprint: u64) {
        let (cell, tag) = self.cell(fingerprint);
        // Release: see `surely_absent`. A zero cannot occur here (I8); stepping over it keeps a
        // fault from turning into a counter that hides 255 memories.
        let _ = cell.fetch_update(Ordering::Release, Ordering::Relaxed, |counter| {
            let count = counter & COUNT;
            (count != SATURATED && count != 0).then(|| (counter - 1) ^ tag)
        });
    }
}
