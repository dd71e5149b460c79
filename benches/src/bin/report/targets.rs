//! What the project set out to reach, and whether this run did.

use benches::works::{Body, Take};

use crate::programme::order_work;
use crate::rows::{Row, find};

/// Which figure of a row counts.
#[derive(Clone, Copy, Debug)]
enum Figure {
    Nanoseconds,
    Bytes,
    Allocations,
}

/// Whom ours is compared with.
#[derive(Clone, Debug)]
enum Against {
    /// The best of these.
    Peers(&'static [&'static str]),
    /// The best of all that keep at least 95 % of the sessions.
    Best,
}

#[derive(Clone, Debug)]
struct Target {
    work: String,
    threads: usize,
    ours: &'static str,
    figure: Figure,
    against: Against,
    /// Ours at most this share of the peer's.
    ratio: Option<f64>,
    /// Ours at most this, in the figure's unit; stated for the machine the targets were set on.
    absolute: Option<f64>,
}

/// One line a target: whom against, measured figures, verdicts. Targets whose works this run did not
/// measure have none.
pub(crate) fn table(rows: &[Row]) -> String {
    let mut out = String::from(
        "| work | ours | measured | beside | measured | ratio | ratio at most | | at most | |\n\
         |---|---|--:|---|--:|--:|--:|---|--:|---|\n",
    );
    for target in all() {
        if let Some(line) = target.line(rows) {
            out.push_str(&line);
        }
    }
    out
}

impl Target {
    fn line(&self, rows: &[Row]) -> Option<String> {
        let ours = self.value(find(rows, &self.work, self.ours, self.threads)?)?;
        let peer = self.peer(rows);
        let threads = if self.threads == 1 {
            ""
        } else {
            &format!(", {} threads", self.threads)
        };
        let show = |value: f64| match self.figure {
            Figure::Nanoseconds => nanoseconds(value),
            Figure::Bytes => format!("{value:.0} B"),
            Figure::Allocations => format!("{value:.2}"),
        };
        let verdict = |met: Option<bool>| match met {
            Some(true) => "met",
            Some(false) => "**missed**",
            None => "",
        };
        let ratio = peer.as_ref().map(|(_, theirs)| ours / theirs);
        let met_ratio = ratio.zip(self.ratio).map(|(is, most)| is <= most);
        let met_absolute = self.absolute.map(|most| ours <= most);
        Some(format!(
            "| {}{threads} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
            self.work,
            self.ours,
            show(ours),
            peer.as_ref().map_or("", |(name, _)| name),
            peer.as_ref()
                .map_or(String::new(), |(_, theirs)| show(*theirs)),
            ratio.map_or(String::new(), |r| format!("{r:.2}")),
            self.ratio.map_or(String::new(), |r| format!("{r:.2}")),
            verdict(met_ratio),
            self.absolute.map_or(String::new(), show),
            verdict(met_absolute),
        ))
    }

    fn peer(&self, rows: &[Row]) -> Option<(String, f64)> {
        let candidates = rows.iter().filter(|row| {
            row.work == self.work
                && row.threads == self.threads
                && match self.against {
                    Against::Peers(names) => names.contains(&row.peer.as_str()),
                    Against::Best => {
                        !row.is_floor() && !row.is_ours() && row.hit_rate.is_none_or(|h| h >= 0.95)
                    }
                }
        });
        let figures = candidates.filter_map(|row| Some((row.peer.clone(), self.value(row)?)));
        figures.min_by(|a, b| a.1.total_cmp(&b.1))
    }

    fn value(&self, row: &Row) -> Option<f64> {
        match self.figure {
            Figure::Nanoseconds => Some(row.ns_per_op),
            Figure::Bytes => row.bytes_per_entry,
            Figure::Allocations => row.allocs_per_op,
        }
    }
}

/// A time, in the unit a reader would choose.
pub(crate) fn nanoseconds(ns: f64) -> String {
    match ns {
        ..99.95 => format!("{ns:.1} ns"),
        ..9_999.5 => format!("{ns:.0} ns"),
        _ => format!("{:.1} µs", ns / 1e3),
    }
}

const MIX: &str = "90/10 mix";
const SEVEN: &str = "7 misses and a hit";
const OWN_CLOCK: &str = "affinity";
const AT_NOW: &str = "affinity at(now)";
const CANDIDATES: &str = "affinity Candidates";

fn all() -> Vec<Target> {
    let mut targets = Vec::new();
    let chains = [
        ("chain 20×800 B", [450.0, 2600.0], [0.45 / 0.26, 2.6 / 2.4]),
        ("chain 100×4 KiB", [9e3, 62e3], [9.0 / 6.0, 62.0 / 59.0]),
        ("chain 2000×64 B", [10e3, 28e3], [10.0 / 8.4, 1.0]),
    ];
    for (work, absolute, ratio) in chains {
        targets.push(time(
            work,
            "affinity public",
            &["(read only)"],
            ratio[0],
            absolute[0],
        ));
        targets.push(time(
            work,
            "affinity keyed",
            &["siphasher 1-3"],
            ratio[1],
            absolute[1],
        ));
    }
    for (n, most) in [(4, 6.0), (8, 10.0), (16, 19.0), (64, 70.0), (1000, 1100.0)] {
        let work = order_work(Take::Pick, false, n);
        targets.push(Target {
            absolute: Some(most),
            ..target(work, CANDIDATES)
        });
    }
    let orders = [
        (8, 40.0, Some(40.0 / 70.0)),
        (16, 70.0, None),
        (64, 350.0, Some(350.0 / 665.0)),
        (1000, 8000.0, Some(8000.0 / 12400.0)),
    ];
    for (n, most, ratio) in orders {
        let work = order_work(Take::All, false, n);
        targets.push(Target {
            absolute: Some(most),
            ratio,
            ..target(work, CANDIDATES)
        });
    }
    let float = &["float -w/ln(u) by hand"];
    let weighted = order_work(Take::Pick, true, 64);
    targets.push(time(&weighted, CANDIDATES, float, 200.0 / 321.0, 200.0));

    let by_hand = &["dashmap by hand", "scc HashMap by hand"];
    targets.push(ratio(MIX, 1, OWN_CLOCK, by_hand, 0.75));
    targets.push(ratio(MIX, 1, AT_NOW, by_hand, 0.5));
    for threads in [1, 2] {
        for ours in [OWN_CLOCK, AT_NOW] {
            targets.push(ratio(SEVEN, threads, ours, &["dashmap by hand"], 0.45));
        }
    }
    for ours in [OWN_CLOCK, AT_NOW] {
        targets.push(Target {
            threads: 2,
            ratio: Some(1.0),
            ..target(MIX.to_owned(), ours)
        });
        targets.push(ratio(MIX, 1, ours, &["moka (LRU)"], 1.0 / 20.0));
        targets.push(ratio(MIX, 1, ours, &["cached (LRU-TTL)"], 1.0 / 2.5));
    }
    for (sessions, most) in [("10k", 0.6), ("100k", 0.5), ("1M", 0.5)] {
        for ours in [OWN_CLOCK, AT_NOW] {
            let work = format!("turn, prehashed, {sessions} sessions");
            targets.push(Target {
                ratio: Some(most),
                ..target(work, ours)
            });
        }
    }
    for ours in [
        "affinity public + affinity",
        "affinity public + affinity at(now)",
    ] {
        let peers = &[
            "xxh3 (xxhash-rust) + dashmap by hand",
            "xxh3 (twox-hash) + dashmap by hand",
        ];
        targets.push(time("turn, 16 kB of bytes", ours, peers, 0.75, 750.0));
    }
    let bytes = Target {
        figure: Figure::Bytes,
        absolute: Some(64.0),
        ..target(MIX.into(), OWN_CLOCK)
    };
    targets.push(Target {
        against: Against::Peers(&["dashmap by hand"]),
        ..bytes
    });

    for body in Body::ALL {
        let parser = &["serde_json Value"];
        // 2 GB/s, set for the long chat only.
        let absolute = (body == Body::Long).then(|| body.json().len() as f64 / 2.0);
        targets.push(Target {
            absolute,
            ..ratio(body.name(), 1, OWN_CLOCK, parser, 1.0 / 3.0)
        });
    }

    let none = |work: String, ours| Target {
        figure: Figure::Allocations,
        against: Against::Peers(&[]),
        absolute: Some(0.0),
        ..target(work, ours)
    };
    targets.extend([
        none("recall hit".into(), OWN_CLOCK),
        none("evicting remember".into(), OWN_CLOCK),
        none(order_work(Take::All, false, 64), CANDIDATES),
        none(order_work(Take::Pick, false, 64), CANDIDATES),
        none("chain 20×800 B".into(), "affinity public"),
    ]);
    targets.extend(Body::ALL.map(|body| none(body.name().into(), OWN_CLOCK)));
    targets
}

fn target(work: String, ours: &'static str) -> Target {
    Target {
        work,
        threads: 1,
        ours,
        figure: Figure::Nanoseconds,
        against: Against::Best,
        ratio: None,
        absolute: None,
    }
}

fn ratio(
    work: &str,
    threads: usize,
    ours: &'static str,
    peers: &'static [&'static str],
    most: f64,
) -> Target {
    let against = Against::Peers(peers);
    Target {
        threads,
        against,
        ratio: Some(most),
        ..target(work.to_owned(), ours)
    }
}

fn time(
    work: &str,
    ours: &'static str,
    peers: &'static [&'static str],
    most: f64,
    absolute: f64,
) -> Target {
    Target {
        absolute: Some(absolute),
        ..ratio(work, 1, ours, peers, most)
    }
}
