//! The approximate prefix tree of cache-aware routers (SGLang's and those built on it).

use ahash::{AHashMap, AHashSet};

use super::{Arrival, Choose};
use crate::accounts::Accounts;

/// Share of the prompt that must match for the match to decide.
const MATCH: f64 = 0.5;

/// Requests in flight between the most and the least loaded account that are too many…
const ABSOLUTE: u32 = 64;

/// …if the most loaded also has more than this many times the least loaded's.
const RELATIVE: f64 = 1.5;

/// The router's guess at what every account has cached: what it sent there. Nothing expires from
/// it, as these trees are bounded by a size far above a replay's.
pub(super) struct PrefixTree {
    /// The account that each prefix was sent to last.
    last: AHashMap<u64, u32>,
    /// Which accounts each prefix was sent to.
    sent: AHashSet<(u64, u32)>,
    /// Tokens in the tree by account.
    sizes: Vec<u64>,
}

impl PrefixTree {
    pub(super) fn new(channels: usize) -> Self {
        Self {
            last: AHashMap::new(),
            sent: AHashSet::new(),
            sizes: vec![0; channels],
        }
    }

    /// Out of balance: the least loaded. A good match: where the longest match was sent last.
    /// Otherwise the account with the smallest tree.
    fn account(&self, arrival: &Arrival<'_>, accounts: &Accounts) -> usize {
        let in_flight = accounts.in_flight();
        let most = in_flight.iter().copied().max().unwrap_or(0);
        let least = in_flight.iter().copied().min().unwrap_or(0);
        if most - least > ABSOLUTE && f64::from(most) > RELATIVE * f64::from(least) {
            return accounts.least_loaded();
        }
        let mut matched = 0;
        let mut last = None;
        for block in arrival.path {
            let Some(&account) = self.last.get(&block.link) else {
                break;
            };
            matched += u64::from(block.tokens);
            last = Some(account as usize);
        }
        match last {
            Some(account) if matched as f64 > MATCH * arrival.prompt_tokens as f64 => account,
            _ => (0..self.sizes.len())
                .min_by_key(|&account| self.sizes[account])
                .unwrap_or(0),
        }
    }
}

impl Choose for PrefixTree {
    fn choose(&mut self, arrival: &Arrival<'_>, accounts: &Accounts) -> usize {
        let account = self.account(arrival, accounts);
        for block in arrival.path {
            self.last.insert(block.link, account as u32);
            if self.sent.insert((block.link, account as u32)) {
                self.sizes[account] += u64::from(block.tokens);
            }
        }
        account
    }
}
