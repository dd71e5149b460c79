//! Rendezvous hashing on one of the request's fingerprints.

use affinity_hash::Candidates;

use super::{Arrival, Choose};
use crate::accounts::Accounts;
use crate::trace::Keys;

/// The account that ranks first for the key; no state.
pub(super) struct ByKey {
    accounts: Candidates,
    key: fn(&Keys) -> u64,
}

impl ByKey {
    /// Accounts are named `acct-1`, `acct-2`, …: the names decide who gets which key.
    pub(super) fn new(channels: usize, key: fn(&Keys) -> u64) -> Self {
        Self {
            accounts: Candidates::new((1..=channels).map(|number| format!("acct-{number}"))),
            key,
        }
    }
}

impl Choose for ByKey {
    fn choose(&mut self, arrival: &Arrival<'_>, _: &Accounts) -> usize {
        self.accounts
            .pick((self.key)(arrival.keys))
            .expect("a replay has at least one channel")
    }
}
