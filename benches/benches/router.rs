//! What does the whole decision cost a request: `route` and `served`, with links at hand? And of
//! what does it consist?
//!
//! A thousand conversations over 16 channels come back in shuffled order with one more turn, of
//! 2 to 40 links. With room for half of the memories that they make, each look-up steps over two
//! links that are new and hits the third, and each binding is an insertion that evicts; with room
//! for all, each hits its own last link and renews it. The aim is 400 ns without allocation
//! (which a test of the router's holds). The parts are what the router calls, on the same work:
//! the table's look-up and binding, each with its reading of the clock, and the order.
//!
//! Conclusion: of 229 to 240 ns with insertions and 204 to 214 ns with renewals, the table takes 92 to 100
//! and 71 to 81 with its two readings of the clock, the order 60, and the router itself the rest (2 vCPUs,
//! real-time priority on one of them, two of three runs, 1 December 2026). While the core's other
//! hyper-thread is busy all of it takes up to 1.8 times as long, as in the third run (392 and 338). When
//! the table read a precise clock in each call, it took 158 and 135 of 284 and 250.

use affinity_hash::{BoundedLoad, Candidates, mix13};
use affinity_router::{Channels, Identity, Router};
use affinity_table::Table;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;

#[path = "../src/plan.rs"]
mod plan;

const CHANNELS: usize = 16;
const TALKS: u64 = 1000;
const TURNS: u64 = 20;
/// Half of the memories that all turns make.
const HALF: usize = (TALKS * TURNS / 2) as usize;
const ALL: usize = 100_000;

fn names(n: usize) -> impl Iterator<Item = String> {
    (0..n).map(|i| format!("acct-{i}"))
}

fn channels(router: &Router, n: usize) -> Channels {
    Channels::new(names(n).map(|name| router.channel(&name)))
}

/// The requests, one after another, round and round.
struct Requests {
    /// The links of every conversation's last turn; earlier turns are the beginnings of it.
    talks: Vec<Vec<u64>>,
    step: u64,
}

impl Requests {
    fn new() -> Self {
        let links = |talk: u64| (0..2 * TURNS).map(|i| mix13(talk << 16 | i)).collect();
        Self {
            talks: (0..TALKS).map(links).collect(),
            step: 0,
        }
    }

    fn next(&mut self) -> &[u64] {
        let talk = self.step.wrapping_mul(0x9e37_79b9_7f4a_7c15) % TALKS;
        let turns = 1 + self.step / TALKS % TURNS;
        self.step += 1;
        &self.talks[talk as usize][..2 * turns as usize]
    }
}

fn bench(c: &mut Criterion) {
    let mut group = c.benchmark_group("router");
    group.throughput(Throughput::Elements(1));
    let bound = BoundedLoad::default();
    for (name, builder) in [
        ("insertions", Router::builder().limit(HALF)),
        ("renewals", Router::builder().limit(ALL)),
        (
            "insertions, bounded load",
            Router::builder().limit(HALF).bounded_load(bound),
        ),
    ] {
        let router = builder.build();
        let channels = channels(&router, CHANNELS);
        let mut requests = Requests::new();
        group.bench_function(format!("route+served, {name}"), |b| {
            b.iter(|| {
                let links = requests.next();
                let decision = router.route(Identity::chain(links, Some(1), 1 << 16), &channels);
                decision.served(decision.order()[0]);
            });
        });
    }
    for (name, limit) in [("insertions", HALF), ("renewals", ALL)] {
        let table = Table::new(limit, Duration::from_secs(300));
        let mut requests = Requests::new();
        group.bench_function(format!("of it recall+remember, {name}"), |b| {
            b.iter(|| {
                let links = requests.next();
                let channel = table.recall(links).unwrap_or(3_u32);
                table.remember(links, channel);
            });
        });
    }
    let candidates = Candidates::new(names(CHANNELS));
    let mut requests = Requests::new();
    group.bench_function("of it order", |b| {
        let mut order = [0; CHANNELS];
        b.iter(|| {
            candidates.order_slice(requests.next()[1], &mut order);
            black_box(&order);
        });
    });
    let router = Router::builder().build();
    for n in [4, CHANNELS, 64] {
        let channels = channels(&router, n);
        let mut session = 0_u64;
        group.bench_function(format!("session, {n} channels"), |b| {
            b.iter(|| {
                session = (session + 1) % TALKS;
                let decision = router.route(Identity::session(mix13(session)), &channels);
                decision.served(decision.order()[0]);
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = plan::plan(Duration::from_secs(2));
    targets = bench
}
criterion_main!(benches);
