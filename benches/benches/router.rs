//! What does the whole decision cost a request: `route` and `served`, with links at hand?
//!
//! A thousand conversations over 16 channels come back in shuffled order with one more turn, of
//! 2 to 40 links, so that each look-up steps over two links that are new and hits the third. The
//! aim is 400 ns without allocation (which a test of the router's holds).
//!
//! Conclusion: see docs/benchmarks.md.

use affinity_hash::{BoundedLoad, mix13};
use affinity_router::{Channels, Identity, Router};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const CHANNELS: usize = 16;
const TALKS: u64 = 1000;
const TURNS: u64 = 20;

fn channels(router: &Router, n: usize) -> Channels {
    Channels::new((0..n).map(|i| router.channel(&format!("acct-{i}"))))
}

/// The links of every conversation's last turn; earlier turns are the beginnings of it.
fn talks() -> Vec<Vec<u64>> {
    let links = |talk: u64| (0..2 * TURNS).map(|i| mix13(talk << 16 | i)).collect();
    (0..TALKS).map(links).collect()
}

fn bench(c: &mut Criterion) {
    let mut group = c.benchmark_group("router");
    group.throughput(Throughput::Elements(1));
    let bound = BoundedLoad::default();
    for (name, builder) in [
        ("route+served", Router::builder()),
        (
            "route+served, bounded load",
            Router::builder().bounded_load(bound),
        ),
    ] {
        let router = builder.build();
        let channels = channels(&router, CHANNELS);
        let talks = talks();
        let mut step = 0_u64;
        group.bench_function(name, |b| {
            b.iter(|| {
                let talk = step.wrapping_mul(0x9e37_79b9_7f4a_7c15) % TALKS;
                let turns = 1 + step / TALKS % TURNS;
                step += 1;
                let links = &talks[talk as usize][..2 * turns as usize];
                let decision = router.route(Identity::chain(links, Some(1), 1 << 16), &channels);
                decision.served(decision.order()[0]);
            });
        });
    }
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

criterion_group!(benches, bench);
criterion_main!(benches);
