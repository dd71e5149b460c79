//! How a course becomes a criterion bench. The benches include this file by its path, so that only they
//! depend on criterion.

use std::cell::OnceCell;

use benches::entrants::Entrant;
use benches::works::Course;
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId};

/// Benches one entrant, built only if the filter lets it run, and prints what it kept.
pub(crate) fn bench(group: &mut BenchmarkGroup<'_, WallTime>, id: BenchmarkId, entrant: &Entrant) {
    let mut course: OnceCell<Box<dyn Course>> = OnceCell::new();
    group.bench_function(id, |bencher| {
        course.get_or_init(|| entrant.prepare());
        let course = course.get_mut().expect("just prepared");
        bencher.iter_custom(|ops| course.run(ops));
    });
    if let Some(hit_rate) = course.get().and_then(|course| course.hit_rate()) {
        println!("{:>50} hit rate {:.1} %", entrant.name, hit_rate * 100.0);
    }
}
