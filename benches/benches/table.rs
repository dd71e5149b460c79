//! Question: what does the table cost per call beside what a user would pick instead, alone and on
//! every thread, and who keeps the sessions?
//!
//! Each work runs with all its peers one after the other; the report
//! (`cargo run --release -p benches --bin report`) runs them in turn, in short windows, and is what
//! docs/benchmarks.md quotes. Hit rates are printed with the times: a fast cache that loses sessions
//! has lost.

use std::time::Duration;

use benches::entrants::{self, TableWork};
use benches::threads;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

#[path = "../src/bench.rs"]
mod bench;
#[path = "../src/plan.rs"]
mod plan;

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
    config = plan::plan(Duration::from_millis(400));
    targets = table
}
criterion_main!(benches);

// Conclusion: caches that admit by frequency (moka's default, mini-moka) keep 1-15 % of the sessions at
// capacity and are out, whatever their speed; eviction by insertion order keeps all. Next to dashmap or
// scc by hand ours pays for the atomic eviction and the seeded hasher and saves the precise clock read:
// next to dashmap by hand it leads in recalls and in the mix, with the caller's time and with its own,
// which costs a few nanoseconds more. In evicting insertions it is behind on one thread and ahead of
// all but scc's cache on two. Next to the caches with a lifetime it is 1.3 (cached) to 5 times (moka)
// ahead.
// Figures: docs/benchmarks.md, "The table".
