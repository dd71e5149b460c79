//! Question: how far is the chain, public and keyed, from only reading the bytes, and from the hashes
//! that a user would chain by hand?

use std::time::Duration;

use affinity_hash::{Chain, Scope};
use benches::chains::{ChainHash, Public, ReadFloor};
use benches::entrants;
use benches::works::{LARGE, MANY, SMALL};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

#[path = "../src/bench.rs"]
mod bench;
#[path = "../src/plan.rs"]
mod plan;

fn entry(criterion: &mut Criterion) {
    for bytes in [8, 64, 800, 4096, 65_536] {
        let text = vec![b'x'; bytes];
        let mut group = criterion.benchmark_group("one entry");
        group.throughput(Throughput::Bytes(bytes as u64));
        group.bench_function(BenchmarkId::new(Public::NAME, bytes), |bencher| {
            bencher.iter(|| Chain::new(Scope::public()).push(std::hint::black_box(&text)));
        });
        group.bench_function(BenchmarkId::new(ReadFloor::NAME, bytes), |bencher| {
            let mut floor = ReadFloor::new();
            bencher.iter(|| floor.chain([std::hint::black_box(&text[..])].into_iter())[0]);
        });
        group.finish();
    }
}

fn chain(criterion: &mut Criterion) {
    for (name, shape) in [
        ("chain 20x800", SMALL),
        ("chain 100x4096", LARGE),
        ("chain 2000x64", MANY),
    ] {
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Bytes((shape.entries * shape.bytes) as u64));
        for entrant in entrants::chains_of(shape) {
            bench::bench(
                &mut group,
                BenchmarkId::from_parameter(&entrant.name),
                &entrant,
            );
        }
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = plan::plan(Duration::from_millis(400));
    targets = entry, chain
}
criterion_main!(benches);

// Conclusion: the public chain runs at the speed of its entry hash, about twice the time of reading the
// bytes from the second-level cache and ahead of it from memory; XXH3 with AVX2 wins above 4 KiB an
// entry. The keyed chain costs what SipHash costs, 3-4 times the public one. Figures:
// docs/benchmarks.md, "The chain".
