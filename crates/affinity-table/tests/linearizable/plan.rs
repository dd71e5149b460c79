//! What the threads of one history are to do, drawn from a seed.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// Milliseconds. Memories that do not have a lifetime of their own.
pub(crate) const TTL: u64 = 10;

/// One call, and the caller's time in milliseconds.
#[derive(Clone, Debug)]
pub(crate) enum Call {
    Remember {
        key: u64,
        channel: u32,
        ttl: u64,
        now: u64,
    },
    Recall {
        chain: Vec<u64>,
        now: u64,
    },
    Peek {
        key: u64,
        now: u64,
    },
    Forget {
        key: u64,
        now: u64,
    },
}

#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) limit: u64,
    /// Keys are 1 up to this.
    pub(crate) keys: u64,
    /// Calls before the race.
    pub(crate) setup: Vec<Call>,
    pub(crate) threads: Vec<Vec<Call>>,
}

impl Plan {
    /// Small enough to be searched, and for the threads to be in each other's way.
    pub(crate) fn drawn(seed: u64, threads: usize) -> Self {
        let mut rng = SmallRng::seed_from_u64(seed);
        let limit = rng.random_range(1..=3);
        let keys = limit + 1;
        // In every second history time stands still, so that eviction alone decides.
        let timely = seed.is_multiple_of(2);
        let mut channel = 0;
        let mut calls = |count: usize| -> Vec<Call> {
            (0..count)
                .map(|_| Call::drawn(&mut rng, keys, timely, &mut channel))
                .collect()
        };
        Plan {
            limit,
            keys,
            setup: calls(3),
            threads: (0..threads).map(|_| calls(12 / threads)).collect(),
        }
    }
}

impl Call {
    /// Every channel is remembered once, so that a recall tells whose it is.
    fn drawn(rng: &mut SmallRng, keys: u64, timely: bool, channel: &mut u32) -> Self {
        let now = if timely {
            [0, 0, 5, 12][rng.random_range(0..4)]
        } else {
            0
        };
        let key = rng.random_range(1..=keys);
        let other = rng.random_range(1..=keys);
        let chain = if rng.random_ratio(1, 3) {
            vec![other, key]
        } else {
            vec![key]
        };
        match rng.random_range(0..20) {
            0..9 => {
                *channel += 1;
                let ttl = if rng.random_ratio(1, 5) { 2 * TTL } else { TTL };
                Call::Remember {
                    key,
                    channel: *channel,
                    ttl,
                    now,
                }
            }
            9..15 => Call::Recall { chain, now },
            15..17 => Call::Peek { key, now },
            _ => Call::Forget { key, now },
        }
    }
}
