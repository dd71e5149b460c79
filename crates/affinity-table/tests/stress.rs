//! The shipped table under real threads: what each thread was promised, the bound at every instant,
//! and exact agreement at rest.
//!
//! Five seconds, or `AFFINITY_STRESS_SECONDS`. Rounds of all scenarios take turns, each with its own
//! seed; a failure prints it. `ci/tsan.sh` runs this program under ThreadSanitizer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::{Duration, Instant};

#[path = "support/counted.rs"]
mod counted;
#[path = "stress/deadlines.rs"]
mod deadlines;
#[path = "stress/everything.rs"]
mod everything;
#[path = "support/gate.rs"]
mod gate;
#[path = "stress/insertions.rs"]
mod insertions;
#[path = "stress/own_keys.rs"]
mod own_keys;
#[path = "stress/promise.rs"]
mod promise;
#[path = "stress/round.rs"]
mod round;

use round::{Round, Seen};

struct Scenario {
    name: &'static str,
    play: fn(&Round) -> Seen,
    rounds: u64,
    seen: Seen,
    failed: bool,
}

impl Scenario {
    fn new(name: &'static str, play: fn(&Round) -> Seen) -> Self {
        Scenario {
            name,
            play,
            rounds: 0,
            seen: Seen::default(),
            failed: false,
        }
    }

    fn play(&mut self, seed: u64) {
        let round = Round::drawn(seed);
        match catch_unwind(AssertUnwindSafe(|| (self.play)(&round))) {
            Ok(seen) => {
                self.rounds += 1;
                self.seen.add(&seen);
            }
            Err(_) => {
                self.failed = true;
                eprintln!("{} failed in {round:?}", self.name);
            }
        }
    }

    /// A scenario that never came to check anything has shown nothing.
    fn passed(&self) -> bool {
        !self.failed && self.seen.promises > 0 && self.seen.samples > 0
    }
}

fn main() -> ExitCode {
    let seconds = match std::env::var("AFFINITY_STRESS_SECONDS") {
        Ok(text) => text.parse().expect("AFFINITY_STRESS_SECONDS: a number"),
        Err(_) => 5.0,
    };
    let mut scenarios = [
        Scenario::new("insertions keep their order", insertions::play),
        Scenario::new("own keys are a table of one's own", own_keys::play),
        Scenario::new("deadlines on a real clock", deadlines::play),
        Scenario::new("everything at once", everything::play),
    ];
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    for seed in 0.. {
        for scenario in scenarios.iter_mut().filter(|scenario| !scenario.failed) {
            scenario.play(seed);
        }
        if Instant::now() >= end {
            break;
        }
    }
    for scenario in &scenarios {
        let verdict = if scenario.passed() { "ok" } else { "FAILED" };
        println!(
            "{}: {} rounds, {} ... {verdict}",
            scenario.name, scenario.rounds, scenario.seen
        );
    }
    let passed = scenarios
        .iter()
        .filter(|scenario| scenario.passed())
        .count();
    let failed = scenarios.len() - passed;
    println!("{passed} passed, {failed} failed");
    ExitCode::from(u8::from(failed > 0))
}
