//! Each policy on traffic small enough to work out by hand.

use std::time::Duration;

use affinity_sim::{
    Outcome, Policy, ReadOptions, Settings, Trace, Workload, reachable, read, replay,
};

/// A request: its second, and its messages behind the system prompt that all requests share. Every
/// message is one block of 512 tokens, and the first is the user's.
type Sent<'a> = (u64, &'a [u64]);

/// The requests as Mooncake lines: that format has whole blocks and times of its own.
fn traffic(sent: &[Sent<'_>]) -> Trace {
    let mut lines = String::new();
    for &(at, messages) in sent {
        let ids: Vec<String> = [&[0], messages]
            .concat()
            .iter()
            .map(u64::to_string)
            .collect();
        lines += &format!(
            "{{\"timestamp\":{},\"input_length\":{},\"output_length\":0,\"hash_ids\":[{}]}}\n",
            at * 1000,
            512 * ids.len(),
            ids.join(",")
        );
    }
    let reading = read(lines.as_bytes(), &ReadOptions::default());
    reading.expect("the traffic is well-formed").trace
}

fn on(channels: usize) -> Settings {
    Settings {
        channels,
        ..Settings::default()
    }
}

fn outcome(policy: Policy, sent: &[Sent<'_>], settings: Settings) -> Outcome {
    replay(&traffic(sent), policy, &settings, || ())
}

/// Blocks read from a cache.
fn hits(policy: Policy, sent: &[Sent<'_>], channels: usize) -> u64 {
    outcome(policy, sent, on(channels)).hit_tokens / 512
}

/// Requests of each account.
fn spread(policy: Policy, sent: &[Sent<'_>], settings: Settings) -> Vec<u64> {
    let loads = outcome(policy, sent, settings).loads;
    loads.iter().map(|load| load.requests).collect()
}

/// Requests of each account that has any.
fn used(policy: Policy, sent: &[Sent<'_>], channels: usize) -> Vec<u64> {
    let mut requests = spread(policy, sent, on(channels));
    requests.retain(|&requests| requests > 0);
    requests
}

/// Three turns of a conversation.
const ONE: [Sent<'_>; 3] = [(0, &[1]), (10, &[1, 2]), (20, &[1, 2, 3])];

/// Two conversations that take turns.
const TWO: [Sent<'_>; 4] = [(0, &[1]), (1, &[5]), (10, &[1, 2]), (11, &[5, 6])];

#[test]
fn one_account_reaches_every_earlier_block() {
    let settings = Settings::default();
    assert_eq!(reachable(&traffic(&ONE), settings.ttl, || ()), 5 * 512);
    assert_eq!(reachable(&traffic(&TWO), settings.ttl, || ()), 5 * 512);
    for policy in Policy::ALL {
        assert_eq!(hits(policy, &ONE, 1), 5, "{policy}");
    }
}

#[test]
fn round_robin_takes_the_accounts_in_turn() {
    assert_eq!(hits(Policy::RoundRobin, &ONE, 3), 0);
    assert_eq!(hits(Policy::RoundRobin, &ONE, 2), 2);
    assert_eq!(spread(Policy::RoundRobin, &TWO, on(3)), [2, 1, 1]);
}

#[test]
fn random_is_the_same_for_the_same_seed() {
    let sent: Vec<Sent<'_>> = (0..200).map(|at| (at, &[1][..])).collect();
    let seeded = |seed| Settings { seed, ..on(8) };
    let first = spread(Policy::Random, &sent, seeded(1));
    assert_eq!(first, spread(Policy::Random, &sent, seeded(1)));
    assert_ne!(first, spread(Policy::Random, &sent, seeded(2)));
    assert!(first.iter().all(|&requests| requests > 0));
}

#[test]
fn least_loaded_looks_at_requests_in_flight_then_at_requests_served() {
    // An empty answer takes half a second.
    let sent: [Sent<'_>; 5] = [(0, &[1]), (0, &[2]), (0, &[3]), (5, &[4]), (10, &[5])];
    assert_eq!(spread(Policy::LeastLoaded, &sent, on(2)), [3, 2]);
    assert_eq!(spread(Policy::LeastLoaded, &sent[..4], on(4)), [1, 1, 1, 1]);
}

#[test]
fn whole_prompt_meets_only_its_equal() {
    let sent: [Sent<'_>; 3] = [(0, &[1]), (1, &[1]), (2, &[1])];
    assert_eq!(used(Policy::WholePrompt, &sent, 16), [3]);
    let turns: Vec<Vec<u64>> = (1..=50).map(|turn| (1..=turn).collect()).collect();
    let sent: Vec<Sent<'_>> = turns.iter().map(|turn| (0, &turn[..])).collect();
    assert!(used(Policy::WholePrompt, &sent, 16).len() > 8);
}

#[test]
fn first_entry_sends_everybody_to_one_account() {
    assert_eq!(used(Policy::FirstEntry, &TWO, 16), [4]);
    let outcome = outcome(Policy::FirstEntry, &TWO, on(16));
    assert_eq!(outcome.max_mean_requests(), 16.0);
    assert_eq!(outcome.max_mean_tokens(), 16.0);
}

#[test]
fn session_and_opener_keep_a_conversation_together() {
    for policy in [Policy::Session, Policy::Opener] {
        assert_eq!(hits(policy, &ONE, 16), 5, "{policy}");
        assert_eq!(used(policy, &ONE, 16), [3], "{policy}");
    }
}

#[test]
fn opener_keeps_together_what_only_begins_alike() {
    let forks: [Sent<'_>; 3] = [(0, &[1, 2]), (0, &[1, 3]), (0, &[1, 4])];
    assert_eq!(used(Policy::Opener, &forks, 16), [3]);
    assert_eq!(used(Policy::MemoryOpener, &forks, 16), [3]);
}

#[test]
fn strangers_spread_over_the_accounts_by_opener() {
    let openers: Vec<[u64; 1]> = (1..=1000).map(|opener| [opener]).collect();
    let sent: Vec<Sent<'_>> = openers.iter().map(|opener| (0, &opener[..])).collect();
    for policy in [Policy::Opener, Policy::MemoryOpener] {
        let requests = used(policy, &sent, 10);
        assert_eq!(requests.len(), 10);
        assert!(requests.iter().all(|requests| (60..150).contains(requests)));
    }
}

#[test]
fn memory_follows_the_account_that_served_last() {
    assert_eq!(spread(Policy::MemoryRoundRobin, &TWO, on(4)), [2, 2, 0, 0]);
    assert_eq!(hits(Policy::MemoryRoundRobin, &TWO, 4), 4);
    assert_eq!(hits(Policy::MemoryOpener, &ONE, 16), 5);
}

#[test]
fn memory_is_gone_at_exactly_its_ttl() {
    let apart = |seconds| [(0, &[1][..]), (seconds, &[1][..])];
    assert_eq!(spread(Policy::MemoryRoundRobin, &apart(299), on(2)), [2, 0]);
    assert_eq!(spread(Policy::MemoryRoundRobin, &apart(300), on(2)), [1, 1]);
}

#[test]
fn memory_beyond_the_limit_is_gone() {
    let sent: [Sent<'_>; 3] = [(0, &[1]), (1, &[5]), (2, &[1, 2])];
    let limited = |limit| Settings { limit, ..on(3) };
    assert_eq!(
        spread(Policy::MemoryRoundRobin, &sent, limited(2)),
        [2, 1, 0]
    );
    assert_eq!(
        spread(Policy::MemoryRoundRobin, &sent, limited(1)),
        [1, 1, 1]
    );
    let nothing = spread(Policy::MemoryOpener, &TWO, Settings { limit: 0, ..on(16) });
    assert_eq!(nothing, spread(Policy::Opener, &TWO, on(16)));
}

#[test]
fn prompt_without_a_user_turn_is_not_remembered() {
    let sent: [Sent<'_>; 3] = [(0, &[]), (1, &[]), (2, &[1])];
    let settings = on(3);
    assert_eq!(spread(Policy::MemoryRoundRobin, &sent, settings), [1, 1, 1]);
    assert_eq!(
        outcome(Policy::MemoryRoundRobin, &sent, settings)
            .recalls
            .count,
        1
    );
}

#[test]
fn probes_are_the_links_a_recall_looks_at() {
    // A miss looks at both links, each later turn at its last link and the one that answers.
    let ours = outcome(Policy::MemoryOpener, &ONE, on(16));
    assert_eq!((ours.recalls.count, ours.recalls.probes), (3, 6));
    assert_eq!(ours.probes_per_recall(), 2.0);
    assert_eq!(
        outcome(Policy::Session, &ONE, on(16)).probes_per_recall(),
        0.0
    );
}

#[test]
fn prefix_tree_follows_a_match_of_more_than_half() {
    assert_eq!(spread(Policy::PrefixTree, &ONE, on(2)), [3, 0]);
    // The shared system prompt is exactly half of a stranger's first request.
    assert_eq!(spread(Policy::PrefixTree, &TWO, on(2)), [2, 2]);
}

#[test]
fn prefix_tree_out_of_balance_takes_the_least_loaded() {
    let sent: Vec<Sent<'_>> = (0..66).map(|_| (0, &[1][..])).collect();
    assert_eq!(spread(Policy::PrefixTree, &sent[..65], on(2)), [65, 0]);
    assert_eq!(spread(Policy::PrefixTree, &sent, on(2)), [65, 1]);
}

#[test]
fn oracle_follows_the_longest_live_prefix_to_one_account() {
    assert_eq!(spread(Policy::Oracle, &TWO, on(3)), [4, 0, 0]);
    let late: [Sent<'_>; 2] = [(0, &[1]), (300, &[1])];
    assert_eq!(
        spread(Policy::Oracle, &late, on(3)),
        [1, 1, 0],
        "nothing is live"
    );
}

#[test]
fn no_policy_reaches_more_than_one_account_would() {
    let workload = Workload {
        sessions: 60,
        ..Workload::default()
    };
    let trace = workload.generate();
    let settings = Settings::default();
    let reachable = reachable(&trace, settings.ttl, || ());
    for policy in Policy::ALL {
        let mut steps = 0;
        let outcome = replay(&trace, policy, &settings, || steps += 1);
        assert!(outcome.share_of(reachable) <= 1.0, "{policy}");
        assert!(outcome.hit_ratio() < 1.0);
        let requests: u64 = outcome.loads.iter().map(|load| load.requests).sum();
        let tokens: u64 = outcome.loads.iter().map(|load| load.prompt_tokens).sum();
        assert_eq!(
            (requests, tokens),
            (trace.len() as u64, trace.prompt_tokens())
        );
        assert_eq!(steps, trace.len());
    }
}

#[test]
fn ttl_zero_reaches_nothing_and_loses_nothing() {
    let settings = Settings {
        ttl: Duration::ZERO,
        ..on(4)
    };
    let ours = outcome(Policy::MemoryOpener, &ONE, settings);
    assert_eq!((ours.hit_tokens, ours.share_of(0)), (0, 1.0));
    let forever = Settings {
        ttl: Duration::MAX,
        limit: usize::MAX,
        ..on(4)
    };
    assert_eq!(
        outcome(Policy::MemoryRoundRobin, &ONE, forever).hit_tokens,
        5 * 512
    );
}

#[test]
fn names_are_read_back() {
    for policy in Policy::ALL {
        assert_eq!(policy.name().parse(), Ok(policy));
    }
    assert!("Random".parse::<Policy>().is_err());
}

#[test]
#[should_panic(expected = "at least one channel")]
fn replay_without_channels_is_the_callers_bug() {
    let _ = outcome(Policy::Random, &ONE, on(0));
}
