//! Who the current thread of a model is, and whether it holds a shard's lock.

use std::cell::Cell;

loom::thread_local! {
    static SEAT: Cell<usize> = Cell::new(0);
    static INSIDE: Cell<bool> = Cell::new(false);
}

/// Gives the current thread its number, from 0. The main thread never runs beside the others and
/// shares number 0 with the first.
pub(crate) fn sit(seat: usize) {
    SEAT.with(|own| own.set(seat));
}

pub(super) fn seat() -> usize {
    SEAT.with(Cell::get)
}

/// Said by a shard's lock when it is taken and given back.
pub(super) fn set_inside(inside: bool) {
    INSIDE.with(|own| own.set(inside));
}

/// True while the current thread runs under a shard's lock.
pub(crate) fn inside_a_shard() -> bool {
    INSIDE.with(Cell::get)
}

/// I10: the map and the ring are never called from under a shard's lock.
pub(super) fn assert_outside() {
    assert!(
        !inside_a_shard(),
        "I10: a map or ring call under a shard's lock"
    );
}
