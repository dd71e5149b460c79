//! Explores every scenario, or those that are named, and prints the rows of the table in
//! docs/table-protocol.md.
//!
//! `cargo run -p loom-tests --example scenarios [-- NAME…]`; `LOOM_MAX_PREEMPTIONS` sets the bound.

use loom_tests::{Scenario, run, scenarios};

fn main() {
    let names: Vec<String> = std::env::args().skip(1).collect();
    // Names none that there is not.
    names.iter().for_each(|name| drop(scenarios::named(name)));
    for group in scenarios::GROUPS {
        let mut shows = Some(group.shows);
        for scenario in group.scenarios() {
            if names.is_empty() || names.iter().any(|name| name == scenario.name()) {
                if let Some(shows) = shows.take() {
                    println!("| **{shows}** | | | |");
                }
                println!("{}", row(&scenario));
            }
        }
    }
}

fn row(scenario: &Scenario) -> String {
    let [looms, weakest] = scenario
        .models()
        .map(|(lock, keeping)| run(scenario, lock, keeping));
    format!(
        "| `{}` {} | {} | {looms} | {weakest} |",
        scenario.name(),
        scenario.limit(),
        scenario.to_string().trim().replace('|', "\\|"),
    )
}
