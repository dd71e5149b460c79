//! What does the whole decision cost a request: `route` and `served`, with links at hand?
//!
//! Conversations of 2 to 40 links over 16 channels, 10,000 of them, in shuffled turns with fixed
//! seeds; the limit asked for by the design is 400 ns and no allocation.
//!
//! Conclusion (2 cores, 2.x GHz server CPU): see docs/benchmarks.md.

use affinity_hash::{BoundedLoad, mix13};
use affinity_router::{Channels, Identity, Router};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const CHANNELS: usize = 16;
const TALKS: u64 = 10_000;

fn channels(router: &Router, n: usize) -> Channels {
    Channels::new((0..n).map(|i| router.channel(&format!("acct-{i}"))))
}

/// The links of one conversation's turn; a later turn extends an earlier one.
fn turn(talk: u64, turns: usize, links: &mut Vec<u64>) {
    links.clear();
    links.extend((0..2 * turns as u64).map(|i| mix13(talk << 16 | i)));
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
        let mut links = Vec::new();
        let mut step = 0_u64;
        group.bench_function(name, |b| {
            b.iter(|| {
                // Each conversation comes back with one more turn after all others had theirs.
                let talk = step.wrapping_mul(0x9e37_79b9_7f4a_7c15) % TALKS;
                turn(talk, 1 + (step / TALKS) as usize % 20, &mut links);
                step += 1;
                let decision = router.route(Identity::chain(&links, Some(1), 1 << 16), &channels);
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
