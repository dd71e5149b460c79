//! A reading of the time that serves for a tick is never too old: the table's `recent.rs` in every
//! interleaving.
//!
//! The file is compiled as it is, over loom's types. The model has twins in which a fault is
//! planted, and which must fail.

// Once over each set of atomics.
#![allow(clippy::duplicate_mod)]

mod falling;
mod sound;
mod unordered;

#[test]
fn time_is_of_the_present_tick_and_never_falls() {
    sound::models::two_threads();
}

#[test]
fn nor_does_it_on_three_threads() {
    sound::models::three_threads();
}

#[test]
#[should_panic(expected = "too old")]
fn if_nothing_ordered_the_two_numbers_it_would_be_too_old() {
    unordered::models::two_threads();
}

#[test]
#[should_panic(expected = "too old")]
fn if_a_thread_that_was_held_up_could_lower_them_it_would() {
    falling::models::two_threads();
}
