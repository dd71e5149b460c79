//! Question: what does the table cost per call beside what a user would pick instead, alone and on
//! every thread, and who keeps the sessions?
//!
//! Each work runs with all its peers one after the other; the report
//! (`cargo run --release -p benches --bin report`) runs them in turn, in short windows, and is what
//! docs/benchmarks.md quotes. Hit rates are printed with the times: a fast cache that loses sessions
//! has lost.

use benches::entrants::{self, TableWork};
use benches::threads;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

#[path = "../src/bench.rs"]
mod bench;

fn table(criterion: &mut Criterion) {
    for work in TableWork::TABLE {
        for threads in threads::counts() {
            let mut group = criterion.benchmark_group(work.name().replace('/', "-"));
            group.throughput(Throughput::Elements(threads as u64));
            for entrant in entrants::tables(work, threads) {
                let id = BenchmarkId::new(&entrant.name, threads);
                bench::bench(&mut group, id, &entrant);
            }
            group.finish();
        }
    }
}

criterion_group! {
    name = benches;
    config = bench::plan();
    targets = table
}
criterion_main!(benches);

// Conclusion: see docs/benchmarks.md, "The table".
