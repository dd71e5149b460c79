//! Recalls alone, by how much of the chain is missing: a hit, 7 misses and a hit, 20 misses, one
//! hot fingerprint.
//!
//! 90,000 memories in a table of 100,000, nothing inserted meanwhile.

use std::hint::black_box;
use std::time::Duration;

use super::{Course, LIMIT, Tally, hit_rate};
use crate::peer::Peer;
use crate::rng::{Rng, Zipf, mix};
use crate::threads;

const LIVE: usize = 90_000;
/// Chains prepared, walked in a fixed order and then again.
const CHAINS: usize = 8192;

/// The shape of the chains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalkKind {
    /// One link with a memory, Zipf 0.99 over all of them.
    Hit,
    /// A link with a memory and 7 newer ones without.
    SevenMissesAndHit,
    /// 20 links, none with a memory.
    TwentyMisses,
    /// One link with a memory, the same for every thread.
    Hot,
}

/// Walks of one kind on one peer.
#[derive(Debug)]
pub struct Walk<P> {
    peer: P,
    kind: WalkKind,
    lanes: Vec<Lane>,
}

#[derive(Debug)]
struct Lane {
    /// Chains one after the other, each `len` links.
    links: Vec<u64>,
    len: usize,
    at: usize,
    tally: Tally,
}

impl<P: Peer> Walk<P> {
    /// A filled peer and the chains of each thread.
    pub fn new(threads: usize, kind: WalkKind) -> Self {
        let zipf = Zipf::new(LIVE, 0.99);
        let lanes = (0..threads)
            .map(|lane| Lane::new(lane, kind, &zipf))
            .collect();
        let peer = P::new(LIMIT);
        for live in 0..LIVE {
            peer.remember(live_link(live), live as u32);
        }
        let mut walk = Self { peer, kind, lanes };
        walk.warm();
        walk
    }

    /// One pass over every chain. Panics if a peer that lost nothing answers wrongly.
    fn warm(&mut self) {
        self.run(CHAINS as u64);
        let hit_rate = self.hit_rate();
        match self.kind {
            // The work alone, without a table.
            _ if self.peer.is_empty() => {}
            WalkKind::TwentyMisses => assert_eq!(hit_rate, Some(0.0), "{}", P::NAME),
            _ if self.peer.len() == LIVE => assert_eq!(hit_rate, Some(1.0), "{}", P::NAME),
            _ => {}
        }
    }
}

impl<P: Peer> Course for Walk<P> {
    fn run(&mut self, ops: u64) -> Duration {
        self.peer.tick();
        let peer = &self.peer;
        threads::slowest(&mut self.lanes, |lane| lane.run(peer, ops))
    }

    fn hit_rate(&self) -> Option<f64> {
        hit_rate(self.lanes.iter().map(|lane| lane.tally))
    }

    fn held(&self) -> Option<usize> {
        Some(self.peer.len())
    }
}

impl Lane {
    fn new(lane: usize, kind: WalkKind, zipf: &Zipf) -> Self {
        let mut rng = Rng::new(lane as u64);
        let mut chain = |links: &mut Vec<u64>| match kind {
            WalkKind::Hit => links.push(live_link(zipf.draw(&mut rng))),
            WalkKind::Hot => links.push(live_link(0)),
            WalkKind::SevenMissesAndHit => {
                links.push(live_link(rng.below(LIVE)));
                links.extend((0..7).map(|_| rng.next_u64()));
            }
            WalkKind::TwentyMisses => links.extend((0..20).map(|_| rng.next_u64())),
        };
        let mut links = Vec::new();
        (0..CHAINS).for_each(|_| chain(&mut links));
        Self {
            len: links.len() / CHAINS,
            links,
            at: 0,
            tally: Tally::default(),
        }
    }

    fn run<P: Peer>(&mut self, peer: &P, ops: u64) {
        let mut hits = 0;
        for _ in 0..ops {
            let chain = &self.links[self.at..self.at + self.len];
            self.at += self.len;
            if self.at == self.links.len() {
                self.at = 0;
            }
            hits += u64::from(black_box(peer.recall(black_box(chain))).is_some());
        }
        self.tally.hits += hits;
        self.tally.recalls += ops;
    }
}

fn live_link(live: usize) -> u64 {
    mix(live as u64 | 1 << 62)
}
