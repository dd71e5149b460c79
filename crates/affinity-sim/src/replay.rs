//! Replaying a trace under one policy.

use std::time::Duration;

use crate::accounts::{Accounts, Load};
use crate::policy::{Arrival, Choose, Policy, Recalls};
use crate::trace::Trace;

/// What a trace is replayed against.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Number of accounts, at least 1.
    pub channels: usize,
    /// How long an account keeps a block after its last use, and the table a memory.
    pub ttl: Duration,
    /// Places in the table.
    pub limit: usize,
    /// Seeds the random policy.
    pub seed: u64,
}

impl Default for Settings {
    /// 16 accounts, 5 minutes, 100,000 places.
    fn default() -> Self {
        Self {
            channels: 16,
            ttl: Duration::from_secs(300),
            limit: 100_000,
            seed: 1,
        }
    }
}

/// What came of a replay.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Prompt tokens of all requests.
    pub prompt_tokens: u64,
    /// Those of them that were read from a cache.
    pub hit_tokens: u64,
    /// What each account was given.
    pub loads: Vec<Load>,
    /// What looking for memories cost; none for policies that remember nothing.
    pub recalls: Recalls,
}

impl Outcome {
    /// Share of the prompt tokens that were read from a cache, 0 to 1; 0 without tokens.
    #[must_use]
    pub fn hit_ratio(&self) -> f64 {
        ratio(self.hit_tokens, self.prompt_tokens).unwrap_or(0.0)
    }

    /// Hit tokens as a share of `reachable`, those of one account with all the traffic; 1 when
    /// nothing was reachable.
    #[must_use]
    pub fn share_of(&self, reachable: u64) -> f64 {
        ratio(self.hit_tokens, reachable).unwrap_or(1.0)
    }

    /// Requests of the most loaded account over the mean; 1 is even, the number of accounts is all
    /// on one.
    #[must_use]
    pub fn max_mean_requests(&self) -> f64 {
        max_mean(self.loads.iter().map(|load| load.requests))
    }

    /// The same of prompt tokens.
    #[must_use]
    pub fn max_mean_tokens(&self) -> f64 {
        max_mean(self.loads.iter().map(|load| load.prompt_tokens))
    }

    /// Links that a recall looked at, on average; 0 without recalls.
    #[must_use]
    pub fn probes_per_recall(&self) -> f64 {
        ratio(self.recalls.probes, self.recalls.count).unwrap_or(0.0)
    }
}

fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

fn max_mean(loads: impl ExactSizeIterator<Item = u64> + Clone) -> f64 {
    let accounts = loads.len() as u64;
    let total: u64 = loads.clone().sum();
    ratio(loads.max().unwrap_or(0) * accounts, total).unwrap_or(1.0)
}

/// Replays the trace under a policy; `progress` hears of every request.
///
/// # Panics
/// When `settings.channels` is 0 or above `u32::MAX`.
#[must_use]
pub fn replay(
    trace: &Trace,
    policy: Policy,
    settings: &Settings,
    progress: impl FnMut(),
) -> Outcome {
    assert!(
        (1..=u32::MAX as usize).contains(&settings.channels),
        "a replay needs at least one channel, and at most 2^32 - 1"
    );
    run(trace, &mut *policy.chooser(settings), settings, progress)
}

/// Hit tokens of the same traffic on a single account: what all accounts together could reach.
#[must_use]
pub fn reachable(trace: &Trace, ttl: Duration, progress: impl FnMut()) -> u64 {
    let settings = Settings {
        channels: 1,
        ttl,
        ..Settings::default()
    };
    replay(trace, Policy::RoundRobin, &settings, progress).hit_tokens
}

fn run(
    trace: &Trace,
    policy: &mut dyn Choose,
    settings: &Settings,
    mut progress: impl FnMut(),
) -> Outcome {
    let mut accounts = Accounts::new(settings.channels, settings.ttl);
    let mut path = Vec::new();
    let mut chain = Vec::new();
    let mut hit_tokens = 0;
    for request in trace.requests() {
        trace.path_into(request, &mut path);
        chain.clear();
        chain.extend(path.iter().map(|block| block.link));
        let arrival = Arrival {
            at: request.at,
            service: request.service,
            prompt_tokens: request.prompt_tokens,
            path: &path,
            chain: &chain,
            keys: &request.keys,
        };
        accounts.advance(request.at);
        let account = policy.choose(&arrival, &accounts);
        hit_tokens += accounts.serve(account, &arrival);
        progress();
    }
    Outcome {
        prompt_tokens: trace.prompt_tokens(),
        hit_tokens,
        loads: accounts.loads().to_vec(),
        recalls: policy.recalls(),
    }
}
