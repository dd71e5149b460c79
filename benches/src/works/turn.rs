//! One turn of a conversation: recall its chain, serve, remember its new end.
//!
//! Each session is at turn 10 of 10: 20 entries, of which the last two are new. So a turn is two
//! misses, a hit, and a remember that evicts: the nine earlier turns' ends fill the table exactly.
//! Sessions are visited in a fixed scrambled order, and when all have had their turn, a new
//! generation of conversations fills the table again, outside the measured time. The first generation
//! has its turns untimed.
//!
//! The chain comes prehashed, or from bytes through a [`ChainHash`].

use std::hint::black_box;
use std::time::Duration;

use super::bodies::{Bodies, Shape};
use super::{Course, Tally, hit_rate};
use crate::chains::ChainHash;
use crate::peer::Peer;
use crate::rng::mix;
use crate::threads;

/// The links of a prehashed conversation: a function of session, generation and position.
fn links(conversation: u64, links: &mut Vec<u64>, len: usize) {
    links.clear();
    links.extend((0..len as u64).map(|entry| mix(conversation << 8 | entry)));
}

/// Turns on one peer.
#[derive(Debug)]
pub struct Turn<P, H> {
    peer: P,
    sessions: usize,
    generation: u64,
    /// Turns of this generation done by each lane.
    done: usize,
    /// `None`: prehashed.
    bodies: Option<Bodies>,
    lanes: Vec<Lane<H>>,
}

#[derive(Debug)]
struct Lane<H> {
    /// Sessions `lane`, `lane + lanes`, … of the visiting order.
    lane: usize,
    hash: H,
    links: Vec<u64>,
    tally: Tally,
}

/// Entries of the chain at turn 10.
const ENTRIES: usize = 20;
/// Turns remembered before.
const EARLIER: usize = 9;

impl<P: Peer, H: ChainHash> Turn<P, H> {
    /// Turns over `sessions` conversations; from bytes of `shape`, or prehashed if there is none.
    pub fn new(threads: usize, sessions: usize, shape: Option<Shape>) -> Self {
        let lane = |lane| Lane {
            lane,
            hash: H::new(),
            links: Vec::with_capacity(128),
            tally: Tally::default(),
        };
        let mut turn = Self {
            peer: P::new(sessions * EARLIER),
            sessions,
            generation: 0,
            done: 0,
            bodies: shape.map(Bodies::new),
            lanes: (0..threads).map(lane).collect(),
        };
        turn.next_generation();
        // The table turns over once before anything is timed: maps that grow with their contents do
        // the last of their growing when eviction begins.
        turn.run(sessions as u64 / threads as u64);
        turn.lanes
            .iter_mut()
            .for_each(|lane| lane.tally = Tally::default());
        turn
    }

    fn entries(&self) -> usize {
        self.bodies
            .as_ref()
            .map_or(ENTRIES, |bodies| bodies.shape().entries)
    }

    /// Remembers turns 1 to 9 of every session's next conversation, oldest turn first.
    fn next_generation(&mut self) {
        self.generation += 1;
        self.done = 0;
        let entries = self.entries();
        if self.bodies.is_none() {
            // Turn by turn without keeping the links of all sessions.
            for turn in 1..=EARLIER {
                for session in 0..self.sessions {
                    let conversation = conversation(self.generation, session);
                    let link = mix(conversation << 8 | (end_of(turn, entries) as u64));
                    self.peer.remember(link, session as u32);
                }
            }
            return;
        }
        let (bodies, generation) = (self.bodies.as_ref(), self.generation);
        let lane = &mut self.lanes[0];
        let ends: Vec<[u64; EARLIER]> = (0..self.sessions)
            .map(|session| {
                let links = lane.chain(bodies, conversation(generation, session), entries);
                std::array::from_fn(|turn| links[end_of(turn + 1, entries)])
            })
            .collect();
        for turn in 0..EARLIER {
            for (session, ends) in ends.iter().enumerate() {
                self.peer.remember(ends[turn], session as u32);
            }
        }
    }
}

impl<P: Peer, H: ChainHash> Course for Turn<P, H> {
    fn run(&mut self, ops: u64) -> Duration {
        let per_lane = self.sessions / self.lanes.len();
        let mut left = ops as usize;
        let mut time = Duration::ZERO;
        while left > 0 {
            if self.done == per_lane {
                self.next_generation();
            }
            self.peer.tick();
            let turns = left.min(per_lane - self.done);
            let (from, lanes, sessions) = (self.done, self.lanes.len(), self.sessions);
            let (peer, bodies, generation) = (&self.peer, self.bodies.as_ref(), self.generation);
            let entries = self.entries();
            time += threads::slowest(&mut self.lanes, |lane| {
                for turn in from..from + turns {
                    let visit = turn * lanes + lane.lane;
                    let session = scrambled(visit, sessions);
                    lane.turn(
                        peer,
                        bodies,
                        conversation(generation, session),
                        entries,
                        session,
                    );
                }
            });
            self.done += turns;
            left -= turns;
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

impl<H: ChainHash> Lane<H> {
    fn chain(&mut self, bodies: Option<&Bodies>, conversation: u64, entries: usize) -> &[u64] {
        match bodies {
            Some(bodies) => self.hash.chain(bodies.entries(conversation)),
            None => {
                links(conversation, &mut self.links, entries);
                &self.links
            }
        }
    }

    fn turn<P: Peer>(
        &mut self,
        peer: &P,
        bodies: Option<&Bodies>,
        conversation: u64,
        entries: usize,
        session: usize,
    ) {
        let links = self.chain(bodies, conversation, entries);
        let recalled = black_box(peer.recall(black_box(links)));
        peer.remember(links[entries - 1], session as u32);
        self.tally.recalls += 1;
        self.tally.hits += u64::from(recalled == Some(session as u32));
    }
}

/// The index of the link that `turn` (from 1) remembered: turn 9 ends two entries before turn 10.
fn end_of(turn: usize, entries: usize) -> usize {
    entries - 1 - 2 * (EARLIER + 1 - turn)
}

fn conversation(generation: u64, session: usize) -> u64 {
    generation << 24 | session as u64
}

/// A fixed scrambling of `0..sessions`; `sessions` has no factor but 2 and 5.
fn scrambled(visit: usize, sessions: usize) -> usize {
    visit * 7_368_787 % sessions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chains::Prehashed;
    use crate::peers::Ours;

    #[test]
    fn every_turn_hits_across_generations() {
        let mut turns = Turn::<Ours, Prehashed>::new(2, 1000, None);
        turns.run(1800);
        assert_eq!(turns.hit_rate(), Some(1.0));
    }

    #[test]
    fn the_ninth_turn_ends_two_entries_before_the_last() {
        assert_eq!((end_of(1, 20), end_of(9, 20), end_of(9, 100)), (1, 17, 97));
    }
}
