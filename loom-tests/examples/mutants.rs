//! Runs the scenarios on every copy of `mutants.diff` until one fails, and prints which did as a table.
//!
//! `cargo run -p loom-tests --features mutants --example mutants [-- NAME…]`; exits non-zero when a
//! copy passes them all. The copies of `faults.diff` have their tests. ci/mutants.sh does the rest.

use std::panic;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use loom_tests::{FAULTS, Fault, scenarios};

/// The faults that tests/faults.rs looks after.
const TESTED: &str = include_str!("../faults.diff");

fn main() -> ExitCode {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let mutants: Vec<&Fault> = FAULTS
        .iter()
        .filter(|fault| !TESTED.contains(&format!("== {}: ", fault.name())))
        .filter(|fault| names.is_empty() || names.iter().any(|name| name == fault.name()))
        .collect();
    // A caught fault panics; what it says becomes its row.
    panic::set_hook(Box::new(|_| ()));
    println!("| fault | what is wrong | caught by | under | it says |\n|---|---|---|---|---|");
    let next = AtomicUsize::new(0);
    let survivors = AtomicUsize::new(0);
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(mutant) = mutants.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (name, about) = (mutant.name(), mutant.about());
                    match caught(mutant) {
                        Some(row) => println!("| `{name}` | {about} | {row} |"),
                        None => {
                            survivors.fetch_add(1, Ordering::Relaxed);
                            println!("survivor: {name}");
                        }
                    }
                }
            });
        }
    });
    let (all, survivors) = (mutants.len(), survivors.into_inner());
    println!("{} of {all} caught by a model", all - survivors);
    ExitCode::from(u8::from(survivors > 0))
}

/// The first scenario that finds the fault, the cheap ones first.
fn caught(fault: &'static Fault) -> Option<String> {
    let mut scenarios = scenarios::all();
    scenarios.sort_by_key(|scenario| scenario.threads());
    for scenario in &scenarios {
        for (lock, keeping) in scenario.models().into_iter().rev() {
            let model = scenario.clone();
            let explored = thread::spawn(move || fault.run(&model, lock, keeping)).join();
            if let Err(panic) = explored {
                let says = panic
                    .downcast_ref::<String>()
                    .map(String::as_str)
                    .or_else(|| panic.downcast_ref::<&str>().copied())
                    .unwrap_or_default();
                let says = says.split(": ").take(2).collect::<Vec<_>>().join(": ");
                let name = scenario.name();
                return Some(format!(
                    "{name} | {lock:?}, {keeping:?} | {}",
                    says.lines().next()?
                ));
            }
        }
    }
    None
}
