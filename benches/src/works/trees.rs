//! One turn by smg's prefix trees (`kv-index`), which keep the text itself and match it.
//!
//! The same turn as in [`Turn`](super::Turn): 18 entries are in the tree, 20 come. The text in one
//! piece, or as tokens of four bytes, is made outside the measured time; so is filling the tree.
//! The trees have no bound in time and none on insertion, so each generation gets a new tree. Fewer
//! sessions, since each takes its whole text.

use std::hint::black_box;
use std::time::Duration;

use kv_index::{StringTree, TokenTree};

use super::Course;
use super::bodies::{Bodies, Shape};
use crate::threads;

/// Turns between two preparations.
const BATCH: usize = 32;
/// Bytes of text that one generation puts into the tree.
const TEXT: usize = 32 << 20;

/// A prefix tree and what it matches.
pub trait Tree {
    /// The name in tables and plots.
    const NAME: &'static str;
    /// A request as the tree takes it.
    type Request;

    /// An empty tree.
    fn new() -> Self;
    /// A request of these entries.
    fn request<'a>(entries: impl Iterator<Item = &'a [u8]>) -> Self::Request;
    /// Matches, then inserts. Returns the share of the request that matched.
    fn turn(&self, request: &Self::Request) -> f64;
}

impl Tree for StringTree {
    const NAME: &'static str = "kv-index StringTree";
    type Request = String;

    fn new() -> Self {
        Self::new()
    }

    fn request<'a>(entries: impl Iterator<Item = &'a [u8]>) -> String {
        let bytes = entries.flatten().copied().collect();
        String::from_utf8(bytes).expect("the pool is ASCII")
    }

    fn turn(&self, request: &String) -> f64 {
        let matched = self.match_and_insert(request, "account-1");
        matched.matched_char_count as f64 / request.len() as f64
    }
}

impl Tree for TokenTree {
    const NAME: &'static str = "kv-index TokenTree";
    type Request = Vec<u32>;

    fn new() -> Self {
        Self::new()
    }

    fn request<'a>(entries: impl Iterator<Item = &'a [u8]>) -> Vec<u32> {
        let tokens = entries.flat_map(|entry| entry.as_chunks::<4>().0);
        tokens.map(|bytes| u32::from_le_bytes(*bytes)).collect()
    }

    fn turn(&self, request: &Vec<u32>) -> f64 {
        let matched = self.match_and_insert(request, "account-1");
        matched.matched_token_count as f64 / request.len() as f64
    }
}

/// Turns on one tree.
pub struct TreeTurn<T: Tree> {
    tree: T,
    bodies: Bodies,
    sessions: usize,
    generation: u64,
    done: usize,
    turns: u64,
    hits: u64,
}

impl<T: Tree> std::fmt::Debug for TreeTurn<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TreeTurn")
            .field("tree", &T::NAME)
            .finish_non_exhaustive()
    }
}

impl<T: Tree> TreeTurn<T> {
    /// A tree with every session's first 9 turns.
    pub fn new(shape: Shape) -> Self {
        let mut turn = Self {
            tree: T::new(),
            bodies: Bodies::new(shape),
            sessions: TEXT / (shape.entries * shape.bytes),
            generation: 0,
            done: 0,
            turns: 0,
            hits: 0,
        };
        turn.next_generation();
        turn
    }

    fn next_generation(&mut self) {
        self.generation += 1;
        self.done = 0;
        self.tree = T::new();
        let earlier = self.bodies.shape().entries - 2;
        for session in 0..self.sessions {
            let entries = self.bodies.entries(self.conversation(session));
            self.tree.turn(&T::request(entries.take(earlier)));
        }
    }

    fn conversation(&self, session: usize) -> u64 {
        self.generation << 24 | session as u64
    }
}

impl<T: Tree> Course for TreeTurn<T> {
    fn run(&mut self, ops: u64) -> Duration {
        let mut left = ops as usize;
        let mut time = Duration::ZERO;
        while left > 0 {
            if self.done == self.sessions {
                self.next_generation();
            }
            let turns = left.min(BATCH).min(self.sessions - self.done);
            let requests: Vec<_> = (self.done..self.done + turns)
                .map(|session| T::request(self.bodies.entries(self.conversation(session))))
                .collect();
            let earlier = (self.bodies.shape().entries - 2) as f64;
            let enough = 0.99 * earlier / self.bodies.shape().entries as f64;
            let (tree, hits) = (&self.tree, &mut self.hits);
            time += threads::alone(|| {
                for request in &requests {
                    *hits += u64::from(black_box(tree.turn(black_box(request))) >= enough);
                }
            });
            self.turns += turns as u64;
            self.done += turns;
            left -= turns;
        }
        time
    }

    fn hit_rate(&self) -> Option<f64> {
        Some(self.hits as f64 / self.turns.max(1) as f64)
    }
}
