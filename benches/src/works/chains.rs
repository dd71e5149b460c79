//! The chain of one request after another.

use std::hint::black_box;
use std::time::Duration;

use super::Course;
use super::bodies::{Bodies, Shape};
use crate::chains::ChainHash;
use crate::threads;

/// Requests hashed before the first is hashed again: their bytes stay in the second-level cache, as
/// those of a request that was just read.
const REQUESTS: u64 = 4;

/// Chains of one shape by one hash.
#[derive(Debug)]
pub struct Chains<H> {
    hash: H,
    bodies: Bodies,
    request: u64,
}

impl<H: ChainHash> Chains<H> {
    /// Panics unless every entry changes every later link.
    pub fn new(shape: Shape) -> Self {
        let mut chains = Self {
            hash: H::new(),
            bodies: Bodies::new(shape),
            request: 0,
        };
        let mut distinct = chains.hash.chain(chains.bodies.entries(0)).to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        // Reading alone gives equal entries equal sums.
        let reads_only = H::NAME.starts_with('(');
        assert!(reads_only || distinct.len() == shape.entries, "{}", H::NAME);
        chains
    }
}

impl<H: ChainHash> Course for Chains<H> {
    fn run(&mut self, ops: u64) -> Duration {
        threads::alone(|| {
            for _ in 0..ops {
                self.request = (self.request + 1) % REQUESTS;
                black_box(self.hash.chain(self.bodies.entries(self.request)));
            }
        })
    }
}
