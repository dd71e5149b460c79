//! The shell around one compiled copy of the protocol, after the model of the public table's.
//!
//! build.rs writes this file next to every faulted copy, with its paths leading there.

use std::sync::Arc;

use crate::filter::Filter;
use crate::lifetime::Lifetime;
use crate::protocol::{Memory, Protocol, Written};
use crate::ring::Ring;
use crate::setup::{self, Doomed, Held, Setup, Subject, Wrote};
use crate::sync::Shards;

struct Copy {
    protocol: Protocol<u32>,
    shards: Shards<Memory<u32>>,
}

pub(crate) fn build(setup: Setup) -> Arc<dyn Subject> {
    let shards = Shards::new(setup::map_keys(), setup.lock, setup.threads, setup.watch);
    Arc::new(Copy {
        protocol: Protocol::new(
            setup.limit,
            setup.ttl,
            setup.renewal_step,
            shards.clone(),
            Filter::new(setup.cells, setup.multiplier),
            Ring::new(setup.places, setup.limit),
        ),
        shards,
    })
}

impl Subject for Copy {
    fn remember(
        &self,
        fingerprint: u64,
        channel: u32,
        lifetime: Option<u64>,
        now: u64,
        witness: &mut dyn FnMut(bool),
    ) -> Wrote {
        let lifetime = lifetime.map_or(Lifetime::TABLE, Lifetime::from_nanos);
        match self
            .protocol
            .remember(fingerprint, channel, lifetime, now, witness)
        {
            Written::Nothing => Wrote::Nothing,
            Written::Renewed(previous) => Wrote::Renewed(previous),
            Written::Inserted { .. } => Wrote::Inserted,
        }
    }

    fn recall(&self, chain: &[u64], now: u64, renew: bool) -> (Option<(u32, usize)>, usize) {
        let walk = self.protocol.recall(chain, now, renew);
        (walk.found, walk.probes)
    }

    fn forget(&self, fingerprint: u64, now: u64) -> Option<u32> {
        self.protocol.forget(fingerprint, now, || ())
    }

    fn sweep(&self, doomed: Doomed, now: u64) -> Vec<u64> {
        let protocol = &self.protocol;
        let mut told = Vec::new();
        let tell = |key| told.push(key);
        let current = |memory: &Memory<u32>| protocol.is_current(memory, now);
        let count = match doomed {
            Doomed::Of(channel) => {
                protocol.sweep(|memory| *memory.channel() == channel, current, tell)
            }
            Doomed::All => protocol.sweep(|_| true, current, tell),
            Doomed::Expired => protocol.sweep(|memory| memory.is_expired(now), |_| true, tell),
        };
        assert_eq!(count, told.len(), "a sweep counts what it told of");
        told
    }

    fn len(&self) -> u64 {
        self.protocol.len()
    }

    fn at_rest(&self, times: &[u64]) -> Vec<Held> {
        let mut held = Vec::new();
        self.shards.at_rest(|key, memory| {
            held.push(Held {
                key,
                number: memory.number,
                evicted: self.protocol.is_evicted(memory.number),
                outlives: times.partition_point(|&time| !memory.is_expired(time)),
            });
        });
        held
    }
}
