//! What was forgotten stays forgotten: the router's generations in every interleaving.
//!
//! `generations.rs` is compiled from `affinity-router` as it is, over loom's types. Each model has
//! a twin in which a fault is planted, and which must fail.

// Once over each set of atomics.
#![allow(clippy::duplicate_mod)]

mod sound;
mod unfenced;

use sound::models::{self, Shared};

#[test]
fn a_decision_made_before_brings_nothing_back() {
    models::decided_before(Shared::forget);
}

#[test]
fn nor_does_it_when_it_was_forgotten_twice() {
    models::forgotten_twice(Shared::forget);
}

#[test]
fn a_decision_made_meanwhile_binds_only_if_it_saw_the_forgetting_begin() {
    models::decided_meanwhile(Shared::forget);
}

#[test]
#[should_panic(expected = "came back")]
fn without_fences_it_would_bring_it_back() {
    unfenced::models::decided_before(unfenced::models::Shared::forget);
}

#[test]
#[should_panic(expected = "came back")]
fn without_fences_one_made_meanwhile_would_too() {
    unfenced::models::decided_meanwhile(unfenced::models::Shared::forget);
}

#[test]
#[should_panic(expected = "came back")]
fn if_the_mark_came_after_the_removal_it_would() {
    models::decided_before(Shared::forget_backwards);
}

#[test]
#[should_panic(expected = "came back")]
fn and_one_made_meanwhile_would() {
    models::decided_meanwhile(Shared::forget_backwards);
}
