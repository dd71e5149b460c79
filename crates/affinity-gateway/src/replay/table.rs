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
            percent(comparison.share(outcome)),
            format!("{:.2}", outcome.max_mean_requests()),
            format!("{:.2}", outcome.max_mean_tokens()),
            match outcome.recalls.count {
                0 => "–".to_owned(),
                _ => format!("{:.1}", outcome.probes_per_recall()),
            },
        ]);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    format!(
        "{}: {} requests, {} accounts, ttl {} s; one account alone would hit {}\n{table}",
        comparison.traffic,
        comparison.requests,
        settings.channels,
        settings.ttl.as_secs_f64(),
        percent(comparison.reachable()),
    )
}

fn percent(ratio: f64) -> String {
    format!("{:.1} %", 100.0 * ratio)
}
