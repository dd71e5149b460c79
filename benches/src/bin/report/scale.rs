//! Throughput on more cores than this machine has, computed from one-thread times and the cache lines
//! that the protocol moves between cores. docs/benchmarks.md derives the counts.

use std::fmt::Write;

use crate::rows::{Row, find};

/// Cores to compute for.
const CORES: [f64; 3] = [16.0, 64.0, 128.0];

/// Nanoseconds that a cache line takes between two dies or sockets: the order of what is published
/// for current servers (60–150).
const FAR: f64 = 100.0;

/// One kind of call.
struct Call {
    name: &'static str,
    /// One-thread time, and how much of it is the work's own.
    alone: f64,
    /// Cache lines that another core wrote last, each a wait.
    transfers: f64,
    /// How often a call takes the line of `next`, which goes from one core to the other.
    of_next: f64,
}

impl Call {
    /// Million calls a second on `cores`, if a line takes `line` ns to come.
    fn mops(&self, cores: f64, line: f64) -> f64 {
        let each = cores / (self.alone + self.transfers * line);
        let through_next = if self.of_next > 0.0 {
            1.0 / (self.of_next * line)
        } else {
            f64::INFINITY
        };
        each.min(through_next) * 1e3
    }

    /// The cores at which `next` is the limit.
    fn knee(&self, line: f64) -> Option<f64> {
        (self.of_next > 0.0).then(|| (self.alone + self.transfers * line) / (self.of_next * line))
    }
}

pub(crate) fn table(rows: &[Row]) -> String {
    let ns =
        |work: &str, peer: &str, threads| find(rows, work, peer, threads).map(|row| row.ns_per_op);
    let alone = |work: &str| Some(ns(work, "affinity", 1)? - ns(work, "(work alone)", 1)?);
    let counter = "(work + one shared counter)";
    let hot = "one hot fingerprint";
    let (Some(near), Some(hit), Some(misses), Some(insertion)) = (
        ns(hot, counter, 2).or_else(|| ns(hot, counter, 1)),
        alone("recall hit"),
        alone("20 misses"),
        alone("evicting remember"),
    ) else {
        return "The table was not measured.\n".to_owned();
    };
    let call = |name, alone, transfers, of_next| Call {
        name,
        alone,
        transfers,
        of_next,
    };
    let calls = [
        call("recall, hit", hit, 2.0, 0.0),
        call("recall, 20 misses", misses, 0.0, 0.0),
        call("evicting remember", insertion, 11.0, 2.0),
        call(
            "90/10 mix",
            0.9 * hit + 0.1 * insertion,
            0.9 * 3.0 + 0.1 * 11.0,
            0.2,
        ),
    ];
    let mut out = format!(
        "A line takes {near:.0} ns between this machine's two cores (the shared counter's row above), \
         and is taken as {FAR:.0} ns between dies. Computed, in million calls a second:\n\n\
         | call | line | 16 cores | 64 cores | 128 cores | `next` is the limit from |\n\
         |---|--:|--:|--:|--:|--:|\n"
    );
    for call in &calls {
        for line in [near, FAR] {
            let _ = write!(out, "| {} | {line:.0} ns |", call.name);
            for cores in CORES {
                let _ = write!(out, " {:.0} |", call.mops(cores, line));
            }
            let _ = match call.knee(line) {
                Some(cores) => writeln!(out, " {cores:.0} cores |"),
                None => writeln!(out, " never |"),
            };
        }
    }
    out
}
