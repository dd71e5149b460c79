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

// Last conclusion (three quick runs with peers to their end, on one core of a shared Sapphire Rapids). Beside
// `serde_json Value`: 2.6 to 2.9 times its throughput on 20 x 800 B, 2.6 to 3.1 on 100 x 4 KiB (5.0 to 5.7
// GiB/s while nobody disturbs), 3.3 on 2000 x 64 B, 2.7 on the agent, 3.3 to 3.6 on JSON in strings; nothing is
// allocated. The aim of 3 everywhere is missed where escapes come at irregular distances (a mispredicted
// branch each) and, on fast caches, where text is long. Beside `sonic_rs Value`, which parses and hashes
// nothing: ours is 1.5 times as fast on the agent, 1.8 to 2.2 on JSON in strings and on 100 x 4 KiB, even on 20 x
// 800 B (0.9 to 1.0), and 0.4 times as fast on 2000 x 64 B: there sonic-rs only points into the body, while
// we make an entry of every message.
