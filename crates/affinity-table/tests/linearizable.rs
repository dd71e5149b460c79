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

fn all_legal(clocked: Clocked) {
    let _turn = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut raced = 0;
    for threads in 2..=4 {
        let plans = plans(threads);
        let histories = record(&plans, clocked, Shipped::new);
        for (plan, history) in plans.iter().zip(&histories) {
            assert!(
                is_legal(plan, history),
                "no legal order: {plan:?}\n{history:#?}"
            );
        }
        raced += histories
            .iter()
            .filter(|history| history.overlaps())
            .count();
    }
    if clocked == Clocked::Ticks {
        let all = 3 * HISTORIES;
        eprintln!("{raced} of {all} histories with calls at the same time");
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        assert!(raced > 0 || processors == 1, "the threads took turns");
    }
}

#[test]
fn every_history_has_a_legal_order_that_keeps_real_time() {
    all_legal(Clocked::Ticks);
}

/// Without the clock's own synchronisation, which might hide what the table's lacks.
#[test]
fn every_history_has_a_legal_order_that_keeps_each_threads_own() {
    all_legal(Clocked::No);
}

/// The recording and the search together find a fault in threads as real as the table's.
#[test]
fn a_table_that_forgets_in_two_steps_is_caught() {
    let _turn = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let plans = plans(2);
    let histories = record(&plans, Clocked::Ticks, two_steps::TwoSteps::new);
    let illegal = plans
        .iter()
        .zip(&histories)
        .filter(|(plan, history)| !is_legal(plan, history))
        .count();
    eprintln!("{illegal} of {HISTORIES} histories without a legal order");
    assert!(illegal > 0);
}
