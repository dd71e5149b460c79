//! The simulated accounts: their caches, and what each has been given.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use crate::policy::Arrival;
use crate::prompt_cache::PromptCache;

/// What one account was given over a whole replay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// Requests it served.
    pub requests: u64,
    /// Prompt tokens of those requests, cached or not.
    pub prompt_tokens: u64,
}

/// Accounts that serve every request at once: an answer takes time, the cache is warm on arrival.
#[derive(Debug)]
pub(crate) struct Accounts {
    caches: Vec<PromptCache>,
    loads: Vec<Load>,
    in_flight: Vec<u32>,
    /// When the requests in flight end, and on which account.
    ends: BinaryHeap<Reverse<(Duration, usize)>>,
}

impl Accounts {
    pub(crate) fn new(channels: usize, ttl: Duration) -> Self {
        Self {
            caches: (0..channels).map(|_| PromptCache::new(ttl)).collect(),
            loads: vec![Load::default(); channels],
            in_flight: vec![0; channels],
            ends: BinaryHeap::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.caches.len()
    }

    /// The cache of each account.
    pub(crate) fn caches(&self) -> &[PromptCache] {
        &self.caches
    }

    /// What each account was given.
    pub(crate) fn loads(&self) -> &[Load] {
        &self.loads
    }

    /// Requests in flight on each account.
    pub(crate) fn in_flight(&self) -> &[u32] {
        &self.in_flight
    }

    /// The account with the fewest requests in flight; among equals the one that served the
    /// fewest requests, then the first.
    pub(crate) fn least_loaded(&self) -> usize {
        (0..self.len())
            .min_by_key(|&account| (self.in_flight[account], self.loads[account].requests))
            .unwrap_or(0)
    }

    /// Ends the requests that are over by `now`.
    pub(crate) fn advance(&mut self, now: Duration) {
        while let Some(&Reverse((end, account))) = self.ends.peek()
            && end <= now
        {
            self.ends.pop();
            self.in_flight[account] -= 1;
        }
    }

    /// Serves a request on `account` and returns its hit tokens.
    pub(crate) fn serve(&mut self, account: usize, arrival: &Arrival<'_>) -> u64 {
        let load = &mut self.loads[account];
        load.requests += 1;
        load.prompt_tokens += arrival.prompt_tokens;
        self.in_flight[account] += 1;
        self.ends
            .push(Reverse((arrival.at + arrival.service, account)));
        self.caches[account].serve(arrival.path, arrival.at)
    }
}
