//! The measurements as Markdown.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;

use crate::client::Run;

/// The way that requests take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Direct,
    /// A call beside conversations: the gateway looks for its model and reads no more.
    Through,
    /// A conversation without affinity: read, as its dialect, model and stream are in it.
    Off,
    On,
}

impl Way {
    const ALL: [Self; 4] = [Self::Direct, Self::Through, Self::Off, Self::On];

    /// Where its requests go. The upstream answers everything alike.
    pub(crate) const fn path(self) -> &'static str {
        match self {
            Self::Through => "/v1/embeddings",
            _ => "/v1/chat/completions",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Through => "gateway, round robin, bodies passed through",
            Self::Off => "gateway, round robin",
            Self::On => "gateway, affinity",
        }
    }
}

/// One round of one way.
#[derive(Clone, Copy, Debug)]
struct Row {
    p50: f64,
    p99: f64,
    per_second: f64,
    cpu: Option<f64>,
}

impl Row {
    fn cpu(&self) -> f64 {
        self.cpu.unwrap_or(f64::NAN)
    }
}

/// All rounds.
#[derive(Debug)]
pub(crate) struct Report {
    mean_body: usize,
    rows: [Vec<Row>; 4],
}

impl Report {
    pub(crate) fn new(bodies: &[Bytes]) -> Self {
        let bytes: usize = bodies.iter().map(Bytes::len).sum();
        Self {
            mean_body: bytes / bodies.len(),
            rows: Default::default(),
        }
    }

    pub(crate) fn add(&mut self, way: Way, lone: &Run, many: &Run, cpu: Option<Duration>) {
        self.rows[way as usize].push(Row {
            p50: micros(lone.quantile(500)),
            p99: micros(lone.quantile(990)),
            per_second: many.per_second(),
            cpu: cpu.map(|cpu| micros(cpu) / many.times.len() as f64),
        });
    }

    fn median(&self, way: Way, figure: impl Fn(&Row) -> f64) -> f64 {
        median(self.rows[way as usize].iter().map(figure))
    }

    /// The median over rounds of this round's figure against another way's.
    fn against(&self, other: Way, compare: impl Fn(&Row, &Row) -> f64) -> f64 {
        let pairs = self.rows[Way::On as usize]
            .iter()
            .zip(&self.rows[other as usize]);
        median(pairs.map(|(on, other)| compare(on, other)))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rounds = self.rows[0].len();
        writeln!(
            f,
            "{} byte bodies, median of {rounds} rounds\n",
            self.mean_body
        )?;
        writeln!(
            f,
            "| | p50 µs | p99 µs | requests/s | gateway CPU µs/request |"
        )?;
        writeln!(f, "|---|---|---|---|---|")?;
        for way in Way::ALL {
            let (p50, p99) = (
                self.median(way, |row| row.p50),
                self.median(way, |row| row.p99),
            );
            let per_second = self.median(way, |row| row.per_second);
            let cpu = match way {
                Way::Direct => "–".to_owned(),
                _ => format!("{:.1}", self.median(way, Row::cpu)),
            };
            writeln!(
                f,
                "| {} | {p50:.0} | {p99:.0} | {per_second:.0} | {cpu} |",
                way.name()
            )?;
        }
        for (name, other) in [
            ("a direct call", Way::Direct),
            ("bodies passed through", Way::Through),
            ("round robin", Way::Off),
        ] {
            let p50 = self.against(other, |on, other| on.p50 - other.p50);
            let p99 = self.against(other, |on, other| on.p99 - other.p99);
            writeln!(
                f,
                "\naffinity adds to {name}: p50 {p50:+.0} µs, p99 {p99:+.0} µs"
            )?;
            if other == Way::Direct {
                continue;
            }
            let throughput = self.against(other, |on, other| on.per_second / other.per_second);
            let cpu = self.against(other, |on, other| on.cpu() / other.cpu());
            writeln!(
                f,
                "against {name}: throughput {throughput:.3}, gateway CPU per request {cpu:.3}"
            )?;
        }
        Ok(())
    }
}

fn median(figures: impl Iterator<Item = f64>) -> f64 {
    let mut figures: Vec<f64> = figures.collect();
    figures.sort_unstable_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
