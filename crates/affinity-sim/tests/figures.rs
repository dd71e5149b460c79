//! The measured figures, on the real traces where they are at hand.
//!
//! The figures of an independent simulator, 16 accounts and 300 s. docs/traces.md has the whole
//! table, and where this one differs.

use std::fs::File;
use std::io::{BufRead, BufReader};

use affinity_sim::{Policy, ReadOptions, Settings, Trace, reachable, read, replay};

const TRACES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/traces");

/// The trace's first `lines` lines; `None` where there are no traces.
fn trace(name: &str, lines: usize) -> Option<Trace> {
    let Ok(file) = File::open(format!("{TRACES}/{name}")) else {
        eprintln!("skipped: no {name} in {TRACES}");
        return None;
    };
    let mut head = Vec::new();
    let mut file = BufReader::new(file);
    for _ in 0..lines {
        if file
            .read_until(b'\n', &mut head)
            .expect("the trace is readable")
            == 0
        {
            break;
        }
    }
    let options = ReadOptions {
        strict: true,
        ..ReadOptions::default()
    };
    Some(
        read(head.as_slice(), &options)
            .expect("the trace is well-formed")
            .trace,
    )
}

/// Share of the reachable hits, and max/mean tokens.
fn figures(trace: &Trace, policy: Policy) -> (f64, f64) {
    let settings = Settings::default();
    let reachable = reachable(trace, settings.ttl, || ());
    let outcome = replay(trace, policy, &settings, || ());
    (outcome.share_of(reachable), outcome.max_mean_tokens())
}

#[track_caller]
fn assert_near(actual: f64, expected: f64) {
    assert!(
        (actual - expected).abs() <= 0.02,
        "{actual} is not near {expected}"
    );
}

/// Ours keeps at least 99 % and no account gets more than `load` times the mean.
#[track_caller]
fn assert_ours(trace: &Trace, load: f64) {
    let (share, max_mean) = figures(trace, Policy::MemoryOpener);
    assert!(share >= 0.99, "share {share}");
    assert!(max_mean <= load, "max/mean tokens {max_mean}");
}

#[test]
fn mooncake_keeps_all_hits_with_an_even_load() {
    let Some(trace) = trace("mooncake-conversation.jsonl", usize::MAX) else {
        return;
    };
    assert_eq!(trace.len(), 12_031);
    assert_ours(&trace, 1.3);
    assert_near(figures(&trace, Policy::RoundRobin).0, 0.228);
}

/// A quarter of the sessions in debug, whose prompts of a thousand blocks take time there.
#[test]
fn claude_code_sessions_keep_their_hits() {
    let sessions = if cfg!(debug_assertions) { 15 } else { 60 };
    let Some(trace) = trace("claude-code-60-sessions.jsonl", sessions) else {
        return;
    };
    if sessions == 60 {
        assert_eq!(trace.len(), 3_969);
        assert_ours(&trace, 2.3);
        assert_near(figures(&trace, Policy::RoundRobin).0, 0.29);
    } else {
        assert_ours(&trace, 16.0);
    }
}

#[test]
fn tau_bench_dialogues_keep_their_hits() {
    let Some(trace) = trace("tau-bench-airline.json", usize::MAX) else {
        return;
    };
    assert_eq!(trace.len(), 2_454);
    assert_ours(&trace, 1.9);
    assert_near(figures(&trace, Policy::RoundRobin).0, 0.67);
}

#[test]
fn mini_swe_agents_keep_their_hits() {
    let Some(trace) = trace("miniswe-blocks.jsonl", usize::MAX) else {
        return;
    };
    assert_eq!(trace.len(), 402);
    assert_ours(&trace, 5.1);
}
