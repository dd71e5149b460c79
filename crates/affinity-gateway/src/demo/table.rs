//! The figures as tables for people.

use comfy_table::presets::ASCII_MARKDOWN;
use comfy_table::{CellAlignment, Table};

use super::outcome::Outcome;

/// The policies side by side, then each account's load.
pub(super) fn render(outcomes: &[Outcome]) -> String {
    format!("{}\n\n{}", figures(outcomes), loads(outcomes))
}

fn figures(outcomes: &[Outcome]) -> Table {
    let mut table = table(outcomes, "");
    let mut row = |name: &str, figure: &dyn Fn(&Outcome) -> String| {
        table.add_row(std::iter::once(name.to_owned()).chain(outcomes.iter().map(figure)));
    };
    row("prompt tokens read from cache", &|outcome| {
        percent(outcome.cached_share())
    });
    row("prompt cost, no cache = 100 %", &|outcome| {
        percent(outcome.cost_ratio())
    });
    row("first token, p50", &|outcome| milliseconds(outcome, 50));
    row("first token, p99", &|outcome| milliseconds(outcome, 99));
    row("max/mean requests per account", &|outcome| {
        format!("{:.2}", outcome.max_mean_requests())
    });
    row("requests", &|outcome| outcome.requests().to_string());
    row("fail-overs", &|outcome| outcome.failovers().to_string());
    row("errors that agents saw", &|outcome| {
        outcome.errors.to_string()
    });
    aligned(table)
}

fn loads(outcomes: &[Outcome]) -> Table {
    let mut table = table(outcomes, ": requests, cached");
    let accounts = outcomes.first().map_or(0, |outcome| outcome.loads.len());
    for at in 0..accounts {
        let name = outcomes[0].loads[at].name.clone();
        let cells = outcomes.iter().map(|outcome| {
            let load = &outcome.loads[at];
            let share = load.cached_tokens as f64 / (load.prompt_tokens as f64).max(1.0);
            format!("{:>5}  {:>7}", load.attempts, percent(share))
        });
        table.add_row(std::iter::once(name).chain(cells));
    }
    aligned(table)
}

fn table(outcomes: &[Outcome], of: &str) -> Table {
    let mut table = Table::new();
    let policies = outcomes
        .iter()
        .map(|outcome| format!("{}{of}", outcome.policy));
    table
        .load_style(ASCII_MARKDOWN)
        .set_header(std::iter::once(String::new()).chain(policies));
    table
}

fn aligned(mut table: Table) -> Table {
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn percent(ratio: f64) -> String {
    format!("{:.1} %", 100.0 * ratio)
}

fn milliseconds(outcome: &Outcome, percent: usize) -> String {
    format!("{:.0} ms", outcome.first_token(percent).as_secs_f64() * 1e3)
}

#[cfg(test)]
mod tests {
    use super::super::outcome::tests::outcome;
    use super::*;

    #[test]
    fn every_account_and_figure_has_a_row() {
        let text = render(&[outcome()]);
        for part in [
            "15.0 %", "86.5 %", "200 ms", "400 ms", "1.20", "east", "west",
        ] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
    }
}
