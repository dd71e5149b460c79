//! Runs the scenarios on every faulted copy until one fails, and prints which did as a table.
//!
//! `cargo run -p loom-tests --features mutants --example mutants [-- NAME…]`; exits non-zero when a
//! copy passes them all. ci/mutants.sh does the rest.

use std::panic;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use loom_tests::{FAULTS, Fault, Keeping, Lock, scenarios};

fn main() -> ExitCode {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let faults: Vec<&Fault> = FAULTS
        .iter()
        .filter(|fault| names.is_empty() || names.iter().any(|name| name == fault.name()))
        .collect();
    // A caught fault panics; what it says becomes its row.
    panic::set_hook(Box::new(|_| ()));
    let rows = Mutex::new(vec![None; faults.len()]);
    let next = AtomicUsize::new(0);
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(fault) = faults.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let row = caught(fault);
                    let place = faults.iter().position(|other| other.name() == fault.name());
                    if let (Some(place), Ok(mut rows)) = (place, rows.lock()) {
                        rows[place] = row;
                    }
                }
            });
        }
    });
    let rows = rows.into_inner().unwrap_or_default();
    println!("| fault | what is wrong | caught by | under | it says |\n|---|---|---|---|---|");
    let mut survivors = Vec::new();
    for (fault, row) in faults.iter().zip(&rows) {
        let (name, about) = (fault.name(), fault.about());
        match row {
            Some(row) => println!("| `{name}` | {about} | {row} |"),
            None => survivors.push(name),
        }
    }
    println!(
        "\n{} of {} caught by a model",
        faults.len() - survivors.len(),
        faults.len()
    );
    for survivor in &survivors {
        println!("survivor: {survivor}");
    }
    ExitCode::from(u8::from(!survivors.is_empty()))
}

/// The first scenario that finds the fault, the cheap ones first.
fn caught(fault: &'static Fault) -> Option<String> {
    let mut scenarios = scenarios::all();
    scenarios.sort_by_key(|scenario| scenario.threads());
    for scenario in &scenarios {
        for (lock, keeping) in [
            (Lock::PerThread, Keeping::ProgramOrder),
            (Lock::Loom, Keeping::RealTime),
        ] {
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
