//! One work, all its entrants in turn, in short windows: what disturbs the machine disturbs all.

use std::time::Duration;

use benches::allocations;
use benches::entrants::Entrant;
use benches::works::Course;

use crate::rows::Row;

/// How long to measure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// Windows of each entrant; the median counts.
    pub(crate) rounds: usize,
    /// Timed length of a window.
    pub(crate) window: Duration,
}

struct Running {
    name: String,
    course: Box<dyn Course>,
    ops: u64,
    ns: Vec<f64>,
    allocs_per_op: Option<f64>,
    bytes_per_entry: Option<f64>,
}

/// Measures all entrants at `work`.
pub(crate) fn run(work: &str, threads: usize, entrants: &[Entrant], plan: Plan) -> Vec<Row> {
    eprintln!("{work}, {threads} threads: {} entrants", entrants.len());
    let mut works_own_bytes = 0;
    let mut running: Vec<Running> = entrants
        .iter()
        .map(|entrant| prepare(entrant, threads, plan.window, &mut works_own_bytes))
        .collect();
    for round in 0..plan.rounds {
        // Each round begins with another entrant, so that nobody always follows the same neighbour.
        let first = round * 7 % running.len();
        let (late, early) = running.split_at_mut(first);
        for entrant in early.iter_mut().chain(late) {
            // The others' windows have emptied the caches of this one's table.
            entrant.course.run(entrant.ops);
            let time = entrant.course.run(entrant.ops);
            entrant.ns.push(time.as_nanos() as f64 / entrant.ops as f64);
        }
    }
    running
        .into_iter()
        .map(|entrant| entrant.row(work, threads))
        .collect()
}

/// Builds one entrant and finds how many operations fill a window.
fn prepare(
    entrant: &Entrant,
    threads: usize,
    window: Duration,
    works_own_bytes: &mut i64,
) -> Running {
    let (mut course, built) = allocations::of(|| {
        let course = entrant.prepare();
        // Runs deferred maintenance too.
        course.held();
        course
    });
    // Other threads' allocations cannot be seen from here.
    let alone = threads == 1;
    let bytes_per_entry = match course.held() {
        Some(0) => {
            *works_own_bytes = built.held_bytes;
            None
        }
        Some(held) if alone => Some((built.held_bytes - *works_own_bytes) as f64 / held as f64),
        _ => None,
    };
    let mut ops = 64;
    let ops = loop {
        let time = course.run(ops);
        if time * 4 > window {
            break (ops as f64 * window.as_secs_f64() / time.as_secs_f64()) as u64;
        }
        ops *= 2;
    };
    let allocs_per_op = alone.then(|| {
        let ops = ops.min(20_000);
        let ((), run) = allocations::of(|| {
            course.run(ops);
        });
        run.count as f64 / ops as f64
    });
    let ns = Vec::new();
    let name = entrant.name.clone();
    Running {
        name,
        course,
        ops: ops.max(1),
        ns,
        allocs_per_op,
        bytes_per_entry,
    }
}

impl Running {
    fn row(mut self, work: &str, threads: usize) -> Row {
        self.ns.sort_by(f64::total_cmp);
        let ns_per_op = self.ns[self.ns.len() / 2];
        Row {
            work: work.to_owned(),
            peer: self.name,
            threads,
            ns_per_op,
            mops: threads as f64 * 1e3 / ns_per_op,
            hit_rate: self.course.hit_rate(),
            allocs_per_op: self.allocs_per_op,
            bytes_per_entry: self.bytes_per_entry,
        }
    }
}
