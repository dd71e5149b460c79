//! The counter that is not the table's: how many insertions may, and how many must, have been made
//! since a memory was.
//!
//! The table is asked nothing. A call that may insert is *announced* before and *completed* after, so
//! the insertions made between two moments lie between two differences of these counts.

use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Default)]
pub(crate) struct Insertions {
    announced: AtomicU64,
    completed: AtomicU64,
}

/// When an insertion was made, as far as can be told from outside.
#[derive(Clone, Copy)]
pub(crate) struct Made {
    /// Completed before the call began: all of these are older.
    completed_before: u64,
    /// How many were announced before this one.
    pub(crate) ticket: u64,
    /// Announced by the time the call had returned: all others are newer.
    pub(crate) announced_after: u64,
}

/// What a recall must have found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Due {
    Hit,
    Miss,
    /// Other threads were in the middle of it.
    Either,
}

impl Insertions {
    /// Runs a call that inserts, or may insert, once.
    pub(crate) fn make(&self, insert: impl FnOnce()) -> Made {
        // SeqCst throughout: the argument compares counts of two variables.
        let completed_before = self.completed.load(Ordering::SeqCst);
        let ticket = self.announced.fetch_add(1, Ordering::SeqCst);
        insert();
        let announced_after = self.announced.load(Ordering::SeqCst);
        self.completed.fetch_add(1, Ordering::SeqCst);
        Made {
            completed_before,
            ticket,
            announced_after,
        }
    }

    /// Runs `recall` and tells what `limit` demands of its result, given that every announced call
    /// was an insertion for sure.
    pub(crate) fn judge<R>(
        &self,
        made: Made,
        limit: usize,
        recall: impl FnOnce() -> R,
    ) -> (R, Due) {
        let completed = self.completed.load(Ordering::SeqCst);
        let result = recall();
        let announced = self.announced.load(Ordering::SeqCst);
        let limit = limit as u64;
        // All but the older ones and this one itself.
        let newer_at_most = announced - made.completed_before - 1;
        let newer_at_least = completed.saturating_sub(made.announced_after);
        let due = if newer_at_most < limit {
            Due::Hit
        } else if newer_at_least >= limit {
            Due::Miss
        } else {
            Due::Either
        };
        (result, due)
    }
}

impl Made {
    /// For a slot that other threads read: the thread's `index`-th insertion, and what `judge` needs
    /// of it to demand a hit. Both below 2³².
    pub(crate) fn published(self, index: u64) -> u64 {
        (self.completed_before << 32) | index
    }

    /// The index, and the insertion as another thread may know it: only ever good for a hit.
    pub(crate) fn from_published(slot: u64) -> (u64, Made) {
        let made = Made {
            completed_before: slot >> 32,
            ticket: u64::MAX,
            announced_after: u64::MAX,
        };
        (slot & u64::from(u32::MAX), made)
    }
}
