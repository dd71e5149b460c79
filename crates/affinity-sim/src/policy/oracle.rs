//! The policy that looks into the accounts' caches.

use std::cmp::Reverse;

use super::{Arrival, Choose};
use crate::accounts::Accounts;

/// The account with the longest live prefix; among equals the one that served the fewest requests.
///
/// It shows what greed for hits alone does: whoever has the shared system prompt gets everyone.
pub(super) struct Oracle;

impl Choose for Oracle {
    fn choose(&mut self, arrival: &Arrival<'_>, accounts: &Accounts) -> usize {
        (0..accounts.len())
            .max_by_key(|&account| {
                let live = accounts.caches()[account].live_prefix(arrival.path, arrival.at);
                let requests = accounts.loads()[account].requests;
                (live, Reverse((requests, account)))
            })
            .unwrap_or(0)
    }
}
