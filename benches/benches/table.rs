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
// scc by hand ours pays for the atomic eviction and the seeded hasher, and saves the precise clock read and,
// on absent links, the map: it leads in the mix (0.78 of the best that keeps all on one thread), in recalls
// that hit (0.69) and in walks over misses (0.5 and less). In evicting insertions it is up to 1.6 times
// behind scc's cache on one thread and 2.7 times on two, and next to the other hand-made ones 1.1 times
// behind and 0.7 ahead. Next to the caches with a lifetime it is 2.2 (cached) to 8 times (moka) ahead.
// Figures: docs/benchmarks.md, "The table".
