//! Policies that look at no prompt.

use super::{Arrival, Choose};
use crate::accounts::Accounts;
use crate::draws::Draws;

/// Any account, each as likely.
pub(super) struct Random(Draws);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(Draws::new(seed))
    }
}

impl Choose for Random {
    fn choose(&mut self, _: &Arrival<'_>, accounts: &Accounts) -> usize {
        self.0.below(accounts.len())
    }
}

/// The accounts in turn.
#[derive(Default)]
pub(super) struct RoundRobin {
    turn: usize,
}

impl Choose for RoundRobin {
    fn choose(&mut self, _: &Arrival<'_>, accounts: &Accounts) -> usize {
        let account = self.turn;
        self.turn = (account + 1) % accounts.len();
        account
    }
}

/// The account with the fewest requests in flight.
pub(super) struct LeastLoaded;

impl Choose for LeastLoaded {
    fn choose(&mut self, _: &Arrival<'_>, accounts: &Accounts) -> usize {
        accounts.least_loaded()
    }
}
