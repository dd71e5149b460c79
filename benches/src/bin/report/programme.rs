//! Which works, on how many threads, for how long.

use std::time::Duration;

use benches::entrants::{self, TableWork};
use benches::threads;
use benches::works::{Body, LARGE, MANY, SMALL, Shape, Take};

use crate::contest::{self, Plan};
use crate::rows::Row;
use crate::run::Part;

/// How much time to spend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    Quick,
    Full,
}

impl Effort {
    fn plan(self, rounds: usize, window_ms: u64) -> Plan {
        match self {
            Self::Full => Plan {
                rounds,
                window: Duration::from_millis(window_ms),
            },
            Self::Quick => Plan {
                rounds: rounds.min(3),
                window: Duration::from_millis(window_ms.min(3)),
            },
        }
    }
}

/// Candidates in the order works.
pub(crate) const CANDIDATES: [usize; 8] = [1, 4, 8, 16, 64, 256, 1000, 10_000];

/// The shapes in the chain works, with their names.
pub(crate) const SHAPES: [(&str, Shape); 3] = [
    ("chain 20×800 B", SMALL),
    ("chain 100×4 KiB", LARGE),
    ("chain 2000×64 B", MANY),
];

/// The shapes in the turn works, with their names.
pub(crate) const BODIES: [(&str, Shape); 2] = [
    ("turn, 16 kB of bytes", SMALL),
    ("turn, 400 kB of bytes", LARGE),
];

/// The name of an order work.
pub(crate) fn order_work(take: Take, weighted: bool, n: usize) -> String {
    let weighted = if weighted { "weighted " } else { "" };
    let take = match take {
        Take::Pick => "pick",
        Take::FirstThree => "first three",
        Take::All => "order",
    };
    format!("{weighted}{take}, N = {n}")
}

/// Measures one part.
pub(crate) fn run(part: Part, effort: Effort) -> Vec<Row> {
    match part {
        Part::Table => table(effort),
        Part::Route => route(effort),
        Part::Hash => hash(effort),
        Part::Order => order(effort),
        Part::Body => body(effort),
    }
}

fn table(effort: Effort) -> Vec<Row> {
    let plan = effort.plan(15, 6);
    let mut rows = Vec::new();
    for work in TableWork::TABLE {
        for threads in threads::counts() {
            let entrants = entrants::tables(work, threads);
            rows.extend(contest::run(&work.name(), threads, &entrants, plan));
        }
    }
    rows
}

fn route(effort: Effort) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut prehashed = |sessions, threads, plan| {
        let work = TableWork::Turn(sessions);
        let entrants = entrants::tables(work, threads);
        rows.extend(contest::run(&work.name(), threads, &entrants, plan));
    };
    for threads in threads::counts() {
        prehashed(10_000, threads, effort.plan(11, 3));
    }
    prehashed(100_000, 1, effort.plan(7, 5));
    if effort == Effort::Full {
        for threads in threads::counts().into_iter().skip(1) {
            prehashed(100_000, threads, effort.plan(7, 5));
        }
        prehashed(1_000_000, 1, effort.plan(9, 15));
    }
    for (name, shape) in BODIES {
        for threads in threads::counts() {
            let entrants = entrants::turns_from_bytes(shape, threads);
            rows.extend(contest::run(name, threads, &entrants, effort.plan(11, 5)));
        }
    }
    rows
}

fn hash(effort: Effort) -> Vec<Row> {
    let plan = effort.plan(25, 4);
    let chains =
        |&(name, shape): &(&str, Shape)| contest::run(name, 1, &entrants::chains_of(shape), plan);
    SHAPES.iter().flat_map(chains).collect()
}

fn order(effort: Effort) -> Vec<Row> {
    let plan = effort.plan(15, 2);
    let mut rows = Vec::new();
    for (take, weighted) in [
        (Take::Pick, false),
        (Take::FirstThree, false),
        (Take::All, false),
        (Take::Pick, true),
    ] {
        for n in CANDIDATES {
            let entrants = entrants::orders_of(n, weighted, take);
            rows.extend(contest::run(
                &order_work(take, weighted, n),
                1,
                &entrants,
                plan,
            ));
        }
    }
    rows
}

fn body(effort: Effort) -> Vec<Row> {
    let plan = effort.plan(25, 8);
    let read = |body: Body| contest::run(body.name(), 1, &entrants::readers_of(body), plan);
    Body::ALL.into_iter().flat_map(read).collect()
}
