//! Ordering the candidates by one session key after another.

use std::hint::black_box;
use std::time::Duration;

use super::Course;
use crate::orders::{self, Order};
use crate::threads;

/// Keys used before the first is used again.
const KEYS: usize = 1024;

/// How much of the order is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Take {
    /// The first.
    Pick,
    /// The first three: what fail-over reads.
    FirstThree,
    /// All.
    All,
}

/// Orders by one peer.
#[derive(Debug)]
pub struct Orders<O> {
    order: O,
    take: Take,
    keys: Vec<String>,
    at: usize,
    out: Vec<usize>,
}

impl<O: Order> Orders<O> {
    /// `n` candidates, of equal weight or with weights 1, 2, 4, 8 in turn.
    pub fn new(n: usize, weighted: bool, take: Take) -> Self {
        let weights = if weighted {
            orders::four_weights(n)
        } else {
            orders::equal_weights(n)
        };
        let order = O::new(&orders::identities(n), &weights);
        Self {
            order,
            take,
            keys: orders::keys(KEYS),
            at: 0,
            out: Vec::with_capacity(n),
        }
    }
}

impl<O: Order> Course for Orders<O> {
    fn run(&mut self, ops: u64) -> Duration {
        threads::alone(|| {
            for _ in 0..ops {
                self.at = (self.at + 1) % KEYS;
                let key = black_box(self.keys[self.at].as_str());
                match self.take {
                    Take::Pick => {
                        black_box(self.order.pick(key));
                    }
                    Take::FirstThree => self.order.first3(key, &mut self.out),
                    Take::All => self.order.order(key, &mut self.out),
                }
                black_box(&self.out);
            }
        })
    }
}
