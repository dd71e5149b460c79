//! The figures as a table for people.

use comfy_table::presets::ASCII_MARKDOWN;
use comfy_table::{CellAlignment, Table};

use super::Comparison;

/// The figures of all policies, one row each, under a line that says what was replayed.
pub(super) fn render(comparison: &Comparison) -> String {
    let settings = &comparison.settings;
    let mut table = Table::new();
    table.load_style(ASCII_MARKDOWN).set_header([
        "policy",
        "hit",
        "of reachable",
        "max/mean requests",
        "max/mean tokens",
        "probes per recall",
    ]);
    for (policy, outcome) in &comparison.rows {
        table.add_row([
            policy.to_string(),
            percent(outcome.hit_ratio()),
            comparison.share(outcome).map_or(NONE.to_owned(), percent),
            format!("{:.2}", outcome.max_mean_requests()),
            format!("{:.2}", outcome.max_mean_tokens()),
            match outcome.recalls.count {
                0 => NONE.to_owned(),
                _ => format!("{:.1}", outcome.probes_per_recall()),
            },
        ]);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let reachable = match comparison.reachable_tokens {
        0 => "nothing is reachable: no prompt begins like one that is still cached".to_owned(),
        _ => format!(
            "one account alone would hit {}",
            percent(comparison.reachable())
        ),
    };
    format!(
        "{}: {} requests, {} accounts, ttl {} s; {reachable}\n{table}",
        comparison.traffic,
        comparison.requests,
        settings.channels,
        settings.ttl.as_secs_f64(),
    )
}

/// Where there is no figure.
const NONE: &str = "–";

fn percent(ratio: f64) -> String {
    format!("{:.1} %", 100.0 * ratio)
}
