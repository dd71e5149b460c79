//! The figures as JSON for programs.

use serde::Serialize;

use super::Comparison;

#[derive(Serialize)]
struct Report<'a> {
    trace: &'a str,
    requests: usize,
    channels: usize,
    ttl_s: f64,
    reachable: f64,
    policies: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    name: &'static str,
    hit: f64,
    /// `null` when nothing is reachable.
    share: Option<f64>,
    max_mean_requests: f64,
    max_mean_tokens: f64,
    /// 0 for a policy that recalls nothing.
    probes_per_recall: f64,
}

/// The figures as one JSON object, ending in a newline.
pub(super) fn render(comparison: &Comparison) -> serde_json::Result<String> {
    let rows = comparison.rows.iter().map(|(policy, outcome)| Row {
        name: policy.name(),
        hit: outcome.hit_ratio(),
        share: comparison.share(outcome),
        max_mean_requests: outcome.max_mean_requests(),
        max_mean_tokens: outcome.max_mean_tokens(),
        probes_per_recall: outcome.probes_per_recall(),
    });
    let report = Report {
        trace: &comparison.traffic,
        requests: comparison.requests,
        channels: comparison.settings.channels,
        ttl_s: comparison.settings.ttl.as_secs_f64(),
        reachable: comparison.reachable(),
        policies: rows.collect(),
    };
    Ok(serde_json::to_string_pretty(&report)? + "\n")
}
