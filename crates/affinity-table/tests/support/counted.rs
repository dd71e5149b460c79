//! A channel that is counted for as long as it exists: what a table keeps shows from the outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many [`Counted`] exist, wherever they are: in a table, in a hand, on a stack.
#[derive(Clone, Default)]
pub(crate) struct Population(Arc<AtomicU64>);

impl Population {
    pub(crate) fn count(&self) -> u64 {
        // Relaxed: each addition and each removal is one step of this one counter, whose order is
        // total; an instant of it is an instant of the program.
        self.0.load(Ordering::Relaxed)
    }

    /// A channel that serves `fingerprint` on `account`.
    pub(crate) fn channel(&self, fingerprint: u64, account: u64) -> Counted {
        self.0.fetch_add(1, Ordering::Relaxed);
        Counted {
            fingerprint,
            account,
            population: self.clone(),
        }
    }
}

/// A channel that knows for which fingerprint it was remembered. Equal by account.
pub(crate) struct Counted {
    pub(crate) fingerprint: u64,
    pub(crate) account: u64,
    population: Population,
}

impl Clone for Counted {
    fn clone(&self) -> Self {
        self.population.channel(self.fingerprint, self.account)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.population.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl PartialEq for Counted {
    fn eq(&self, other: &Self) -> bool {
        self.account == other.account
    }
}
