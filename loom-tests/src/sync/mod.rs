//! What the protocol takes from the outside, over loom's types.
//!
//! The shipped files call this `crate::sync`, as they call the table's own.

mod cells;
mod places;
mod seat;
mod shards;
mod watch;

use std::ops::Deref;

pub(crate) use cells::{AtomicU16, Cells, zeroed_cells};
pub(crate) use loom::sync::atomic::{AtomicI64, AtomicU64, Ordering};
pub(crate) use places::Places;
pub(crate) use seat::{inside_a_shard, sit};
pub(crate) use shards::Shards;
pub(crate) use watch::{Cell, Watch};

/// What the shipped one adds is a guess that no result depends on.
pub(crate) type Count = AtomicU64;

/// Cache lines mean nothing here.
pub(crate) struct Padded<T>(T);

impl<T> Padded<T> {
    pub(crate) fn new(value: T) -> Self {
        Padded(value)
    }
}

impl<T> Deref for Padded<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}
