//! Question: what does it cost to get from a body to its links, beside what a gateway pays today
//! before it hashes anything: one parse into `serde_json::Value`, or (with `peers`) sonic-rs?

use std::time::Duration;

use benches::entrants;
use benches::works::Body;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

#[path = "../src/bench.rs"]
mod bench;
#[path = "../src/plan.rs"]
mod plan;

fn bodies(criterion: &mut Criterion) {
    for body in Body::ALL {
        let mut group = criterion.benchmark_group(body.name());
        group.throughput(Throughput::Bytes(body.json().len() as u64));
        for entrant in entrants::readers_of(body) {
            let id = BenchmarkId::from_parameter(&entrant.name);
            bench::bench(&mut group, id, &entrant);
        }
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = plan::plan(Duration::from_secs(1));
    targets = bodies
}
criterion_main!(benches);

// Conclusion (report of 1 December 2026, idle machine). Beside `serde_json Value`: 3.0
// times its throughput on 20 x 800 B, 2.7 on 100 x 4 KiB (6.3 GB/s), 4.3 on 2000 x 64 B, 2.8 on the agent and
// on JSON in strings; nothing is allocated. The aim of 3 everywhere is missed where text is long, since a
// parser only copies it while we hash it too, and where escapes come at irregular distances. Beside
// `sonic_rs Value`, which parses and hashes nothing: ours is 1.6 times as fast on the agent, 1.9 to 2.0 on JSON
// in strings and on 100 x 4 KiB, 0.85 times on 20 x 800 B, and 0.4 times on 2000 x 64 B: there sonic-rs only
// points into the body, while we make an entry of every message. Compiled for this very processor it is up
// to 1.4 times as fast beside ours.
// Figures and where the time goes: docs/benchmarks.md, "Reading a body".
