//! The tables of docs/benchmarks.md as Markdown.

use std::fmt::Write;

use benches::entrants::TableWork;
use benches::threads;
use benches::works::{Body, Take};

use crate::programme::{BODIES, CANDIDATES, SHAPES, order_work};
use crate::rows::{Row, find};
use crate::run::Part;
use crate::{machine, scale, targets};

/// Text between two markers.
#[derive(Debug)]
pub(crate) struct Section {
    pub(crate) name: &'static str,
    pub(crate) text: String,
}

/// The sections of the parts that were measured, in the order of the document.
pub(crate) fn all(rows: &[Row], parts: &[Part]) -> Vec<Section> {
    let common = [
        ("machine", machine::describe()),
        ("targets", targets::table(rows)),
        ("losses", losses(rows)),
        ("scale", scale::table(rows)),
    ];
    let of_part = |part: &Part| match part {
        Part::Table => ("table", tables(rows)),
        Part::Route => ("route", route(rows)),
        Part::Hash => ("hash", hash(rows)),
        Part::Order => ("order", order(rows)),
        Part::Body => ("body", body(rows)),
    };
    common
        .into_iter()
        .chain(parts.iter().map(of_part))
        .map(|(name, text)| Section { name, text })
        .collect()
}

/// Every work at which somebody is faster than ours with its own clock.
fn losses(rows: &[Row]) -> String {
    let mut out = String::from(
        "| work | threads | who is faster | theirs | ours | ours / theirs | their hit rate |\n\
         |---|--:|---|--:|--:|--:|--:|\n",
    );
    let length = out.len();
    for row in rows.iter().filter(|row| !row.is_floor() && !row.is_ours()) {
        let Some(ours) = ours_beside(rows, row) else {
            continue;
        };
        if row.ns_per_op < ours.ns_per_op {
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} | {} ({}) | {:.2} | {} |",
                row.work,
                row.threads,
                row.peer,
                targets::nanoseconds(row.ns_per_op),
                targets::nanoseconds(ours.ns_per_op),
                ours.peer,
                ours.ns_per_op / row.ns_per_op,
                percent(row.hit_rate),
            );
        }
    }
    if out.len() == length {
        "Nobody, in this run.\n".to_owned()
    } else {
        out
    }
}

/// Ours that does what `row` does: the same key or none for a chain, its own clock for a table.
fn ours_beside<'a>(rows: &'a [Row], row: &Row) -> Option<&'a Row> {
    let names: &[&str] = match row.peer.as_str() {
        "siphasher 1-3" => &["affinity keyed"],
        _ => &[
            "affinity",
            "affinity public",
            "affinity public + affinity",
            "affinity Candidates",
        ],
    };
    names
        .iter()
        .find_map(|name| find(rows, &row.work, name, row.threads))
}

/// One table a work of the table.
fn tables(rows: &[Row]) -> String {
    let works = TableWork::TABLE.map(TableWork::name);
    works
        .iter()
        .map(|work| by_threads(rows, work))
        .collect::<Vec<_>>()
        .join("\n")
}

fn route(rows: &[Row]) -> String {
    let prehashed = [10_000, 100_000, 1_000_000].map(|n| TableWork::Turn(n).name());
    let bodies = BODIES.map(|(name, _)| name.to_owned());
    let works = prehashed.iter().chain(&bodies);
    works
        .map(|work| by_threads(rows, work))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Peers down, thread counts across.
fn by_threads(rows: &[Row], work: &str) -> String {
    let alone: Vec<_> = rows
        .iter()
        .filter(|row| row.work == work && row.threads == 1)
        .collect();
    if alone.is_empty() {
        return String::new();
    }
    let mut counts = threads::counts();
    counts.retain(|&n| rows.iter().any(|row| row.work == work && row.threads == n));
    let ours = alone
        .iter()
        .find(|row| row.peer.ends_with("affinity"))
        .map(|row| row.ns_per_op);
    let mut out = format!("**{work}**\n\n| peer |");
    for n in &counts {
        let _ = write!(
            out,
            " {n} thread{}, ns/op | Mop/s |",
            if *n == 1 { "" } else { "s" }
        );
    }
    out.push_str(" times ours | hit rate | allocs/op | bytes/memory |\n|---|");
    out.push_str(&"--:|--:|".repeat(counts.len()));
    out.push_str("--:|--:|--:|--:|\n");
    for row in alone {
        let _ = write!(out, "| {} |", row.peer);
        for &n in &counts {
            match find(rows, work, &row.peer, n) {
                Some(row) => {
                    let _ = write!(out, " {:.1} | {:.1} |", row.ns_per_op, row.mops);
                }
                None => out.push_str(" | |"),
            }
        }
        let times = ours
            .filter(|_| !row.is_floor())
            .map(|ours| row.ns_per_op / ours);
        let no_table = row.is_floor();
        let _ = writeln!(
            out,
            " {} | {} | {} | {} |",
            times.map_or(String::new(), |t| format!("{t:.2}")),
            if no_table {
                String::new()
            } else {
                percent(row.hit_rate)
            },
            row.allocs_per_op
                .map_or(String::new(), |a| format!("{a:.2}")),
            row.bytes_per_entry
                .map_or(String::new(), |b| format!("{b:.0}")),
        );
    }
    out
}

fn hash(rows: &[Row]) -> String {
    let works: Vec<_> = SHAPES.iter().map(|(name, _)| (*name).to_owned()).collect();
    let mut out = across(rows, &works, &works);
    out.push_str("\nThe same in GB/s:\n\n");
    let gigabytes = |row: &Row| {
        let (_, shape) = SHAPES.iter().find(|(name, _)| *name == row.work)?;
        Some(format!(
            "{:.1}",
            (shape.entries * shape.bytes) as f64 / row.ns_per_op
        ))
    };
    out.push_str(&across_with(rows, &works, &works, &gigabytes));
    out
}

fn body(rows: &[Row]) -> String {
    let works = Body::ALL.map(|body| body.name().to_owned());
    let sizes = Body::ALL.map(|body| body.json().len() as f64);
    let gigabytes = |row: &Row| {
        let at = works.iter().position(|work| *work == row.work)?;
        Some(format!("{:.2}", sizes[at] / row.ns_per_op))
    };
    format!(
        "{}\nThe same in GB/s:\n\n{}",
        across(rows, &works, &works),
        across_with(rows, &works, &works, &gigabytes)
    )
}

fn order(rows: &[Row]) -> String {
    let heads: Vec<_> = CANDIDATES.iter().map(|n| format!("N = {n}")).collect();
    let table = |title: &str, take, weighted| {
        let works: Vec<_> = CANDIDATES
            .iter()
            .map(|&n| order_work(take, weighted, n))
            .collect();
        format!("**{title}**\n\n{}", across(rows, &works, &heads))
    };
    [
        table("Pick", Take::Pick, false),
        table("First three", Take::FirstThree, false),
        table("Full order", Take::All, false),
        table("Weighted pick, weights 1, 2, 4, 8", Take::Pick, true),
    ]
    .join("\n")
}

/// Peers down, works across, times in the cells.
fn across(rows: &[Row], works: &[String], heads: &[String]) -> String {
    across_with(rows, works, heads, &|row| {
        Some(targets::nanoseconds(row.ns_per_op))
    })
}

fn across_with(
    rows: &[Row],
    works: &[String],
    heads: &[String],
    cell: &dyn Fn(&Row) -> Option<String>,
) -> String {
    let mut out = format!("| peer | {} | allocs/op |\n|---|", heads.join(" | "));
    out.push_str(&"--:|".repeat(works.len() + 1));
    out.push('\n');
    for row in rows.iter().filter(|row| row.work == works[0]) {
        let _ = write!(out, "| {} |", row.peer);
        let mut most: f64 = 0.0;
        for work in works {
            let row = find(rows, work, &row.peer, 1);
            let _ = write!(out, " {} |", row.and_then(cell).unwrap_or_default());
            most = most.max(row.and_then(|row| row.allocs_per_op).unwrap_or(0.0));
        }
        let _ = writeln!(out, " {most:.2} |");
    }
    out
}

fn percent(share: Option<f64>) -> String {
    share.map_or(String::new(), |share| format!("{:.1} %", share * 100.0))
}
