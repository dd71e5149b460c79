//! What came out under one policy.

use std::time::Duration;

use affinity_sim::http::agents::{Api, Tokens};

use super::prices::cost;

/// One answer that an agent heard.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    /// When it was complete, counted from the start of the policy.
    pub(super) at: Duration,
    pub(super) api: Api,
    pub(super) tokens: Tokens,
    /// From sending the request to the first byte of the answer.
    pub(super) first_token: Duration,
}

/// What one account did.
#[derive(Clone, Debug)]
pub(super) struct Load {
    pub(super) name: String,
    /// Requests that reached it, refused ones included.
    pub(super) attempts: u64,
    pub(super) prompt_tokens: u64,
    pub(super) cached_tokens: u64,
}

/// Everything measured under one policy.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub(super) policy: &'static str,
    /// In order of [`Sample::at`].
    pub(super) samples: Vec<Sample>,
    /// Requests that failed for the agent.
    pub(super) errors: u64,
    pub(super) loads: Vec<Load>,
}

impl Outcome {
    pub(super) fn requests(&self) -> u64 {
        self.samples.len() as u64 + self.errors
    }

    /// Share of prompt tokens read from a cache.
    pub(super) fn cached_share(&self) -> f64 {
        share(&self.samples)
    }

    /// Cost of all prompts against their cost without any cache.
    pub(super) fn cost_ratio(&self) -> f64 {
        let costs = self
            .samples
            .iter()
            .map(|sample| cost(sample.api, &sample.tokens));
        let prompts = self.samples.iter().map(|sample| sample.tokens.prompt);
        costs.sum::<f64>() / (prompts.sum::<u64>() as f64).max(1.0)
    }

    /// The time to the first token that so many percent of the answers kept, by nearest rank.
    pub(super) fn first_token(&self, percent: usize) -> Duration {
        let mut times: Vec<_> = self
            .samples
            .iter()
            .map(|sample| sample.first_token)
            .collect();
        times.sort_unstable();
        let rank = (times.len() * percent).div_ceil(100).max(1);
        times.get(rank - 1).copied().unwrap_or_default()
    }

    /// Requests at the most loaded account against the average.
    pub(super) fn max_mean_requests(&self) -> f64 {
        let attempts = self.loads.iter().map(|load| load.attempts);
        let most = attempts.clone().max().unwrap_or(0);
        let all: u64 = attempts.sum();
        most as f64 * self.loads.len() as f64 / (all as f64).max(1.0)
    }

    /// Attempts beyond the first one of each request.
    pub(super) fn failovers(&self) -> u64 {
        let attempts: u64 = self.loads.iter().map(|load| load.attempts).sum();
        attempts.saturating_sub(self.requests())
    }
}

/// Share of the samples' prompt tokens read from a cache.
pub(super) fn share(samples: &[Sample]) -> f64 {
    let cached: u64 = samples.iter().map(|sample| sample.tokens.cached).sum();
    let prompt: u64 = samples.iter().map(|sample| sample.tokens.prompt).sum();
    cached as f64 / (prompt as f64).max(1.0)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Four answers of 100 tokens with 0, 10, 20 and 30 of them cached, after 1 to 4 s; two
    /// accounts with 3 and 2 attempts.
    pub(in super::super) fn outcome() -> Outcome {
        let sample = |at: u64| Sample {
            at: Duration::from_secs(at + 1),
            api: Api::Chat,
            tokens: Tokens {
                prompt: 100,
                cached: 10 * at,
                written: 0,
            },
            first_token: Duration::from_millis(100 * (at + 1)),
        };
        let load = |name: &str, attempts| Load {
            name: name.into(),
            attempts,
            prompt_tokens: 200,
            cached_tokens: 30,
        };
        Outcome {
            policy: "affinity",
            samples: (0..4).map(sample).collect(),
            errors: 0,
            loads: vec![load("east", 3), load("west", 2)],
        }
    }

    #[test]
    fn figures_are_those_of_the_samples() {
        let outcome = outcome();
        assert_eq!(outcome.requests(), 4);
        assert!((outcome.cached_share() - 0.15).abs() < 1e-9);
        assert!((outcome.cost_ratio() - 0.865).abs() < 1e-9);
        assert!((outcome.max_mean_requests() - 1.2).abs() < 1e-9);
        assert_eq!(outcome.failovers(), 1);
    }

    #[test]
    fn percentiles_are_nearest_ranks() {
        let outcome = outcome();
        assert_eq!(outcome.first_token(50), Duration::from_millis(200));
        assert_eq!(outcome.first_token(99), Duration::from_millis(400));
    }

    #[test]
    fn nothing_heard_is_no_division_by_zero() {
        let nothing = Outcome {
            policy: "affinity",
            samples: vec![],
            errors: 3,
            loads: vec![],
        };
        assert_eq!((nothing.cached_share(), nothing.cost_ratio()), (0.0, 0.0));
        assert_eq!((nothing.max_mean_requests(), nothing.failovers()), (0.0, 0));
        assert_eq!(nothing.first_token(99), Duration::ZERO);
    }
}
