//! The figures as JSON for programs.

use serde::Serialize;

use super::outcome::Outcome;

#[derive(Serialize)]
struct Report {
    policies: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    name: &'static str,
    requests: u64,
    cached_share: f64,
    cost_ratio: f64,
    ttft_p50_ms: f64,
    ttft_p99_ms: f64,
    max_mean_requests: f64,
    failovers: u64,
    errors: u64,
}

/// The figures as one JSON object, ending in a newline.
pub(super) fn render(outcomes: &[Outcome]) -> serde_json::Result<String> {
    let rows = outcomes.iter().map(|outcome| Row {
        name: outcome.policy,
        requests: outcome.requests(),
        cached_share: outcome.cached_share(),
        cost_ratio: outcome.cost_ratio(),
        ttft_p50_ms: outcome.first_token(50).as_secs_f64() * 1e3,
        ttft_p99_ms: outcome.first_token(99).as_secs_f64() * 1e3,
        max_mean_requests: outcome.max_mean_requests(),
        failovers: outcome.failovers(),
        errors: outcome.errors,
    });
    let report = Report {
        policies: rows.collect(),
    };
    Ok(serde_json::to_string_pretty(&report)? + "\n")
}

#[cfg(test)]
mod tests {
    use super::super::outcome::tests::outcome;
    use super::*;

    #[test]
    fn a_policy_has_the_nine_documented_fields() {
        let report: serde_json::Value =
            serde_json::from_str(&render(&[outcome()]).unwrap()).unwrap();
        let row = &report["policies"][0];
        assert_eq!(row["name"], "affinity");
        assert_eq!(row["ttft_p99_ms"], 400.0);
        let mut fields: Vec<_> = row
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        fields.sort_unstable();
        assert_eq!(
            fields,
            [
                "cached_share",
                "cost_ratio",
                "errors",
                "failovers",
                "max_mean_requests",
                "name",
                "requests",
                "ttft_p50_ms",
                "ttft_p99_ms",
            ]
        );
    }
}
