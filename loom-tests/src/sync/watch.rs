//! The invariants that hold while calls are in flight, asserted at every change of the map.

use std::sync::atomic::{AtomicU64, Ordering};

use super::Cells;

/// The bits of a counter that count.
const COUNT: u16 = 0xFF;

/// How the filter maps fingerprints to counters and tags, said once more by whoever set it up.
#[derive(Clone, Copy)]
pub(crate) struct Cell {
    pub(crate) multiplier: u64,
    pub(crate) shift: u32,
}

impl Cell {
    pub(crate) fn of(self, key: u64) -> usize {
        (key.wrapping_mul(self.multiplier) >> self.shift) as usize
    }

    fn tag(self, key: u64) -> u64 {
        key.wrapping_mul(self.multiplier) << (64 - self.shift) >> 56
    }
}

/// Counts beside the model: std atomics, which loom neither orders nor explores.
pub(crate) struct Watch {
    limit: u64,
    /// Memories in the map at this step.
    held: AtomicU64,
    /// Calls between the decision to insert and their return.
    inserting: AtomicU64,
    cells: Cells,
    cell: Cell,
    /// Memories in the map, by counter of the filter.
    under: Box<[AtomicU64]>,
    /// The exclusive or of their tags.
    tags: Box<[AtomicU64]>,
}

impl Watch {
    pub(crate) fn new(limit: u64, cells: Cells, cell: Cell) -> Self {
        let zeros = || cells.iter().map(|_| AtomicU64::new(0)).collect();
        Watch {
            limit,
            held: AtomicU64::new(0),
            inserting: AtomicU64::new(0),
            under: zeros(),
            tags: zeros(),
            cells,
            cell,
        }
    }

    /// A call has decided to insert, under the lock.
    pub(crate) fn insertion_begins(&self) {
        self.inserting.fetch_add(1, Ordering::Relaxed);
    }

    /// That call is about to return.
    pub(crate) fn insertion_ends(&self) {
        self.inserting.fetch_sub(1, Ordering::Relaxed);
    }

    /// A memory of `key` has entered the map; its lock is still held.
    pub(super) fn entered(&self, key: u64) {
        let held = self.held.fetch_add(1, Ordering::Relaxed) + 1;
        self.under[self.cell.of(key)].fetch_add(1, Ordering::Relaxed);
        self.change_tags(key);
        let inserting = self.inserting.load(Ordering::Relaxed);
        assert!(
            held <= self.limit + inserting,
            "I9: {held} memories in the map at limit {} with {inserting} insertions in flight",
            self.limit
        );
        self.check_filter(key);
    }

    /// The memory of `key` is about to leave the map; its lock is held.
    pub(super) fn leaving(&self, key: u64) {
        self.check_filter(key);
        self.held.fetch_sub(1, Ordering::Relaxed);
        self.under[self.cell.of(key)].fetch_sub(1, Ordering::Relaxed);
        self.change_tags(key);
    }

    fn change_tags(&self, key: u64) {
        self.tags[self.cell.of(key)].fetch_xor(self.cell.tag(key), Ordering::Relaxed);
    }

    /// I8, at this step.
    fn check_filter(&self, key: u64) {
        let cell = self.cell.of(key);
        let under = self.under[cell].load(Ordering::Relaxed);
        let count = self.cells[cell].latest() & COUNT;
        assert!(
            u64::from(count) >= under,
            "I8: a counter at {count} over {under} memories"
        );
    }

    /// I8 at rest: every counter equals its memories and their tags, over `base` or saturated.
    pub(crate) fn check_filter_at_rest(&self, base: u16) {
        for (at, cell) in self.cells.iter().enumerate() {
            let under = self.under[at].load(Ordering::Relaxed);
            let tags = self.tags[at].load(Ordering::Relaxed);
            let (count, tagged) = (cell.latest() & COUNT, cell.latest() >> COUNT.count_ones());
            assert!(
                count == COUNT || u64::from(count) == u64::from(base) + under,
                "I8: at rest a counter at {count} over {under} memories"
            );
            assert!(
                count == COUNT || u64::from(tagged) == tags,
                "I8: at rest a counter of tags {tagged:#x} over memories of {tags:#x}"
            );
        }
    }
}
