//! The daily mix: sessions recall their last fingerprint and, after a turn, remember a new one.
//!
//! 90,000 sessions share a table of 100,000. A recall asks for the fingerprint that a session (Zipf
//! 0.99) remembered last. A remember gives the session that has waited longest its new
//! fingerprint; the old one stays until eviction takes it. So every recalled fingerprint has fewer
//! than 100,000 newer insertions: eviction by insertion order must hit 100 %, and a cache that
//! refuses or drops new fingerprints shows what it loses.

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::{Course, LIMIT, Tally, hit_rate};
use crate::peer::Peer;
use crate::rng::{Rng, Zipf, mix};
use crate::threads;

const SESSIONS: usize = 90_000;
/// Recalls are drawn beforehand and used again from the start: 256 kB a thread.
const PLAN: usize = 1 << 16;
/// A plan entry that means "remember".
const REMEMBER: u32 = u32::MAX;
/// Operations between two barriers, all threads together. Bounds by how many insertions one thread
/// can run ahead of another, which eats into the 10,000 memories of slack.
const BETWEEN_BARRIERS: u64 = 40_000;

/// Which share of the operations remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// 90 % recall, 10 % remember.
    Tenth,
    /// Only remembers, each of which evicts.
    All,
}

/// The mix on one peer.
#[derive(Debug)]
pub struct Mix<P> {
    peer: P,
    /// Each session's last fingerprint.
    sessions: Vec<AtomicU64>,
    lanes: Vec<Lane>,
}

/// What one thread does.
#[derive(Debug)]
struct Lane {
    plan: Vec<u32>,
    at: usize,
    /// The session of this lane that has waited longest.
    oldest: usize,
    /// Sessions `t`, `t + step`, … are renewed by lane `t`.
    step: usize,
    /// Makes fingerprints that no other lane makes.
    serial: u64,
    tally: Tally,
}

impl<P: Peer> Mix<P> {
    /// A peer with a memory for each session, brought to its steady state.
    pub fn new(threads: usize, share: Share) -> Self {
        let zipf = Zipf::new(SESSIONS, 0.99);
        let lanes = (0..threads)
            .map(|lane| Lane::new(lane, threads, share, &zipf))
            .collect();
        let sessions = (0..SESSIONS).map(|_| AtomicU64::new(0)).collect();
        let mut mix = Self {
            peer: P::new(LIMIT),
            sessions,
            lanes,
        };
        mix.warm(share);
        mix
    }

    /// Fills the table and replaces every session's fingerprint at least once.
    fn warm(&mut self, share: Share) {
        for (session, place) in self.sessions.iter().enumerate() {
            let link = mix(session as u64 | 1 << 63);
            self.peer.remember(link, channel(link));
            place.store(link, Ordering::Relaxed);
        }
        let per_remember = match share {
            Share::Tenth => 10,
            Share::All => 1,
        };
        let ops = SESSIONS as u64 * per_remember * 11 / 10;
        self.run(ops / self.lanes.len() as u64);
        self.lanes
            .iter_mut()
            .for_each(|lane| lane.tally = Tally::default());
    }
}

impl<P: Peer> Course for Mix<P> {
    fn run(&mut self, ops: u64) -> Duration {
        self.peer.tick();
        let (peer, sessions) = (&self.peer, &self.sessions);
        let most = (BETWEEN_BARRIERS / self.lanes.len() as u64).max(1);
        let mut left = ops;
        let mut time = Duration::ZERO;
        while left > 0 {
            let ops = left.min(most);
            time += threads::slowest(&mut self.lanes, |lane| lane.run(peer, sessions, ops));
            left -= ops;
        }
        time
    }

    fn hit_rate(&self) -> Option<f64> {
        hit_rate(self.lanes.iter().map(|lane| lane.tally))
    }

    fn held(&self) -> Option<usize> {
        Some(self.peer.len())
    }
}

impl Lane {
    fn new(lane: usize, lanes: usize, share: Share, zipf: &Zipf) -> Self {
        let mut rng = Rng::new(lane as u64);
        let mut operation = || match share {
            Share::Tenth if rng.below(10) > 0 => {
                // Popular sessions are spread over the array, and the same ones for each thread.
                (mix(zipf.draw(&mut rng) as u64) % SESSIONS as u64) as u32
            }
            _ => REMEMBER,
        };
        Self {
            plan: (0..PLAN).map(|_| operation()).collect(),
            at: 0,
            oldest: lane,
            step: lanes,
            serial: (lane as u64) << 48,
            tally: Tally::default(),
        }
    }

    fn run<P: Peer>(&mut self, peer: &P, sessions: &[AtomicU64], ops: u64) {
        let mut at = self.at;
        for _ in 0..ops {
            let operation = self.plan[at];
            at = (at + 1) % PLAN;
            if operation == REMEMBER {
                self.serial += 1;
                let link = mix(self.serial);
                peer.remember(link, channel(link));
                sessions[self.oldest].store(link, Ordering::Release);
                self.oldest += self.step;
                if self.oldest >= sessions.len() {
                    self.oldest -= sessions.len();
                }
            } else {
                let link = sessions[operation as usize].load(Ordering::Acquire);
                let recalled = black_box(peer.recall(black_box(&[link])));
                debug_assert!(recalled.is_none_or(|c| c == channel(link)));
                self.tally.recalls += 1;
                self.tally.hits += u64::from(recalled.is_some());
            }
        }
        self.at = at;
    }
}

/// The channel that serves a link, so that answers can be checked.
fn channel(link: u64) -> u32 {
    link as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peers::{DashMapByHand, Ours};

    #[test]
    fn insertion_order_hits_every_time() {
        let mut ours = Mix::<Ours>::new(2, Share::Tenth);
        ours.run(50_000);
        assert_eq!(ours.hit_rate(), Some(1.0));
        let mut dashmap = Mix::<DashMapByHand>::new(1, Share::Tenth);
        dashmap.run(50_000);
        assert_eq!(dashmap.hit_rate(), Some(1.0));
    }
}
