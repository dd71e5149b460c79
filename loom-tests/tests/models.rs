//! Every scenario on the protocol as shipped, under each of its locks: a test each.
//!
//! Each runs in a process of its own. loom maps a stack for every thread of every interleaving and
//! unmaps it again; were the tests threads of one process, every such call would interrupt the
//! processors of all others.

use std::cmp::Reverse;
use std::env;
use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Failed, Trial};
use loom_tests::{Lock, Scenario, run, scenarios};

/// Set in a process that is to explore by itself.
const ALONE: &str = "LOOM_TESTS_ALONE";

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut scenarios = scenarios::all();
    // The longest first, so that no processor is left with one of them at the end.
    scenarios.sort_by_key(|scenario| Reverse(scenario.threads()));
    let tells = arguments.nocapture;
    let trials = scenarios
        .iter()
        .flat_map(|scenario| trials(scenario, tells))
        .collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// A test for each of its locks, which prints the number of interleavings if it `tells`.
fn trials(scenario: &Scenario, tells: bool) -> [Trial; 2] {
    scenario.models().map(|(lock, keeping)| {
        let under = match lock {
            Lock::Loom => "looms_lock",
            Lock::PerThread => "the_weakest_lock",
        };
        let name = format!("{}::under_{under}", scenario.name());
        let scenario = scenario.clone();
        if env::var_os(ALONE).is_some() {
            return Trial::test(name, move || {
                run(&scenario, lock, keeping);
                Ok(())
            });
        }
        let test = name.clone();
        Trial::test(name, move || in_a_process_of_its_own(&test, tells))
    })
}

fn in_a_process_of_its_own(test: &str, tells: bool) -> Result<(), Failed> {
    let output = Command::new(env::current_exe()?)
        .args([test, "--exact", "--test-threads=1"])
        .env(ALONE, "1")
        .output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        return Err(format!("{said}{}", String::from_utf8_lossy(&output.stderr)).into());
    }
    let count = said.lines().find(|line| line.ends_with("interleavings"));
    let count = count.ok_or("it explored nothing")?;
    if tells {
        // After the test's own name.
        println!("{}", count.rsplit("... ").next().unwrap_or(count));
    }
    Ok(())
}
