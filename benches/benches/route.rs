//! Question: what does one turn of a conversation cost, from prehashed links and from bytes, and how
//! does that grow with the live sessions?

use std::time::Duration;

use benches::entrants::{self, TableWork};
use benches::threads;
use benches::works::{LARGE, SMALL};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

#[path = "../src/bench.rs"]
mod bench;
#[path = "../src/plan.rs"]
mod plan;

fn prehashed(criterion: &mut Criterion) {
    let mut works: Vec<_> = threads::counts().into_iter().map(|n| (10_000, n)).collect();
    works.push((100_000, 1));
    // Filling nine million memories a dozen times is not quick.
    if !benches::quick() {
        works.push((1_000_000, 1));
    }
    for (sessions, threads) in works {
        let work = TableWork::Turn(sessions);
        let mut group = criterion.benchmark_group(work.name());
        group.throughput(Throughput::Elements(threads as u64));
        for entrant in entrants::tables(work, threads) {
            bench::bench(
                &mut group,
                BenchmarkId::new(&entrant.name, threads),
                &entrant,
            );
        }
        group.finish();
    }
}

fn from_bytes(criterion: &mut Criterion) {
    for (name, shape) in [
        ("turn, 16 kB of bytes", SMALL),
        ("turn, 400 kB of bytes", LARGE),
    ] {
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Bytes((shape.entries * shape.bytes) as u64));
        for entrant in entrants::turns_from_bytes(shape, 1) {
            bench::bench(&mut group, BenchmarkId::new(&entrant.name, 1), &entrant);
        }
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = plan::plan(Duration::from_millis(150));
    targets = prehashed, from_bytes
}
criterion_main!(benches);

// Conclusion: from bytes, the hash is most of the turn, so the table that stores fingerprints is worth
// more than any tuning of it: trees that keep the text are 2-10 times behind. Prehashed, a turn is
// cache misses: the growth with the sessions is that of the memory touched, and ours touches more
// (filter, slot and ring for the new memory and the old): 1.1-1.3 times the best peer, with the caller's
// time and with its own. The map alone, with nothing around it, is already as slow as the best peer.
// Figures: docs/benchmarks.md, "One turn".
