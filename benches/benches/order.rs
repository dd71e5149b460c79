//! Question: what do the first, the first three and all of the order cost, from one candidate to ten
//! thousand, beside the crates for rendezvous hashing and a hash ring?

use std::time::Duration;

use benches::entrants;
use benches::works::Take;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

#[path = "../src/bench.rs"]
mod bench;
#[path = "../src/plan.rs"]
mod plan;

fn order(criterion: &mut Criterion) {
    let works = [
        ("pick", Take::Pick, false),
        ("first three", Take::FirstThree, false),
        ("order", Take::All, false),
        ("weighted pick", Take::Pick, true),
    ];
    let sizes: &[usize] = if benches::quick() {
        &[4, 16, 64, 1000]
    } else {
        &[1, 4, 8, 16, 64, 256, 1000, 10_000]
    };
    for (name, take, weighted) in works {
        let mut group = criterion.benchmark_group(name);
        for &n in sizes {
            for entrant in entrants::orders_of(n, weighted, take) {
                bench::bench(&mut group, BenchmarkId::new(&entrant.name, n), &entrant);
            }
        }
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = plan::plan(Duration::from_millis(300));
    targets = order
}
criterion_main!(benches);

// Conclusion: ours is ahead of every crate in the full order at every size, and in the pick up to 16
// candidates. A ring wins the bare pick from 64 candidates on, the first three from 8 and the weighted
// pick from 4: it searches where rendezvous hashing looks at each. Figures: docs/benchmarks.md, "The
// order".
