//! Explores a model, and refuses every way of exploring less than it says.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use loom::model::Builder;

/// Preemptions explored per execution unless the environment asks for more. Every planted
/// fault is found at 3, but not every one at 2.
const PREEMPTIONS: usize = 3;
/// Below this, known faults pass.
const FEWEST_PREEMPTIONS: usize = 2;
/// From here on there is no bound; loom itself cannot count further.
const UNBOUNDED: usize = 255;
/// Operations of one execution: far above any model's, so that only a loop without end gets here.
const BRANCHES: usize = 10_000;

/// Runs `model` in every interleaving within the preemption bound, prints how many there were under
/// `name`, and returns that.
///
/// `LOOM_MAX_PREEMPTIONS` sets the bound, 3 by default; 255 and above is none.
///
/// # Panics
/// When an interleaving panics. When `LOOM_MAX_DURATION` or `LOOM_MAX_PERMUTATIONS` is set: they end a
/// run early, and it counts as passed. When the bound is below 2. When there was one interleaving
/// only: then the threads share nothing that loom sees.
pub fn check(name: &str, model: impl Fn() + Send + Sync + 'static) -> usize {
    for early_end in ["LOOM_MAX_DURATION", "LOOM_MAX_PERMUTATIONS"] {
        assert!(
            std::env::var_os(early_end).is_none(),
            "{early_end} ends a run early and lets it pass: unset it"
        );
    }
    let mut builder = Builder::new();
    let bound = builder.preemption_bound.unwrap_or(PREEMPTIONS);
    assert!(
        bound >= FEWEST_PREEMPTIONS,
        "LOOM_MAX_PREEMPTIONS is {bound}: below {FEWEST_PREEMPTIONS}, known faults pass"
    );
    builder.preemption_bound = (bound < UNBOUNDED).then_some(bound);
    builder.max_branches = BRANCHES;

    let runs = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&runs);
    builder.check(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        model();
    });
    let runs = runs.load(Ordering::Relaxed);
    assert!(runs > 1, "{name}: one interleaving only");
    println!("{name}: {runs} interleavings");
    runs
}
