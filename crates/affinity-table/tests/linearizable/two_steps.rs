//! A table with a fault, to show that the recording finds one: `forget` looks, lets go, and removes.

use std::sync::{Mutex, MutexGuard};

use crate::record::Subject;
use crate::spec::Spec;

/// The specification behind a mutex, which is linearizable but for `forget`.
pub(crate) struct TwoSteps(Mutex<Spec>);

impl TwoSteps {
    pub(crate) fn new(limit: u64) -> Self {
        TwoSteps(Mutex::new(Spec::new(limit)))
    }

    fn lock(&self) -> MutexGuard<'_, Spec> {
        self.0.lock().expect("nobody panics under this lock")
    }
}

impl Subject for TwoSteps {
    fn remember(&self, key: u64, channel: u32, ttl: u64, now: u64) {
        self.lock().remember(key, channel, ttl, now);
    }

    fn recall(&self, chain: &[u64], now: u64) -> Option<(u32, usize)> {
        let mut links = chain.iter().enumerate().rev();
        links.find_map(|(link, &key)| Some((self.lock().probe(key, now, true)?, link)))
    }

    fn peek(&self, key: u64, now: u64) -> Option<u32> {
        self.lock().probe(key, now, false)
    }

    fn forget(&self, key: u64, now: u64) -> Option<u32> {
        let found = self.lock().probe(key, now, false);
        std::thread::yield_now();
        self.lock().forget(key, now);
        found
    }

    fn len(&self) -> usize {
        self.lock().len()
    }
}
