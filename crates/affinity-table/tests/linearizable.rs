//! Recorded histories of real threads, each searched for a legal order of the sequential
//! specification. Thousands of short ones: a fault needs few calls, but the right few at once.

#[path = "support/gate.rs"]
mod gate;
#[path = "linearizable/plan.rs"]
mod plan;
#[path = "linearizable/record.rs"]
mod record;
#[path = "linearizable/search.rs"]
mod search;
#[path = "linearizable/spec.rs"]
mod spec;
#[path = "linearizable/two_steps.rs"]
mod two_steps;

use std::sync::{Mutex, PoisonError};

use plan::Plan;
use record::{Clocked, History, Shipped, record};
use search::is_linearizable;
use spec::Spec;

/// Histories for each number of threads.
const HISTORIES: u64 = 1_000;

/// How often all is recorded until threads have met. On a busy machine they may share one processor for
/// as long as a recording takes.
const RECORDINGS: usize = 50;

/// The tests take turns, so that their threads meet each other and not those of the other tests.
static ALONE: Mutex<()> = Mutex::new(());

fn plans(threads: usize) -> Vec<Plan> {
    (0..HISTORIES)
        .map(|seed| Plan::drawn(seed, threads))
        .collect()
}

fn is_legal(plan: &Plan, history: &History) -> bool {
    is_linearizable(&Spec::new(plan.limit), history)
}

/// Records all plans on the shipped table. Panics at a history without a legal order; returns how many
/// had calls at the same time.
fn all_legal(clocked: Clocked) -> usize {
    let of_threads = |threads| {
        let plans = plans(threads);
        let histories = record(&plans, clocked, Shipped::new);
        for (plan, history) in plans.iter().zip(&histories) {
            assert!(
                is_legal(plan, history),
                "no legal order: {plan:?}\n{history:#?}"
            );
        }
        histories
            .iter()
            .filter(|history| history.overlaps())
            .count()
    };
    (2..=4).map(of_threads).sum()
}

fn one_processor() -> bool {
    std::thread::available_parallelism().is_ok_and(|processors| processors.get() == 1)
}

/// Does it again until it finds some; how many.
fn until_some(mut record: impl FnMut() -> usize) -> usize {
    let _turn = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let recordings = if one_processor() { 1 } else { RECORDINGS };
    let found = (0..recordings).map(|_| record()).find(|&found| found > 0);
    found.unwrap_or(0)
}

#[test]
fn every_history_has_a_legal_order_that_keeps_real_time() {
    let raced = until_some(|| all_legal(Clocked::Ticks));
    eprintln!(
        "{raced} of {} histories with calls at the same time",
        3 * HISTORIES
    );
    assert!(raced > 0 || one_processor(), "the threads took turns");
}

/// Without the clock's own synchronisation, which might hide what the table's lacks.
#[test]
fn every_history_has_a_legal_order_that_keeps_each_threads_own() {
    let _turn = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    all_legal(Clocked::No);
}

/// The recording and the search together find a fault in threads as real as the table's.
#[test]
fn a_table_that_forgets_in_two_steps_is_caught() {
    let plans = plans(2);
    let illegal = until_some(|| {
        let histories = record(&plans, Clocked::Ticks, two_steps::TwoSteps::new);
        plans
            .iter()
            .zip(&histories)
            .filter(|(plan, history)| !is_legal(plan, history))
            .count()
    });
    eprintln!("{illegal} of {HISTORIES} histories without a legal order");
    assert!(illegal > 0);
}
