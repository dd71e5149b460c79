//! Copies of the shipped protocol with one fault each, made by build.rs from `faults.diff`.
//!
//! A model proves nothing unless it fails when what it looks for is there.

use crate::run::{Copy, Keeping, run_on};
use crate::scenario::Scenario;
use crate::setup::Lock;

/// A faulted copy.
#[derive(Clone, Copy)]
pub struct Fault {
    name: &'static str,
    about: &'static str,
    copy: Copy,
}

impl Fault {
    /// The fault of that name in `faults.diff`.
    ///
    /// # Panics
    /// When there is none.
    pub fn named(name: &str) -> &'static Fault {
        FAULTS
            .iter()
            .find(|fault| fault.name == name)
            .unwrap_or_else(|| panic!("no fault is named {name}"))
    }

    /// Its name in `faults.diff`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What is wrong, in a few words.
    pub fn about(&self) -> &'static str {
        self.about
    }

    /// Explores `scenario` on the faulted copy.
    ///
    /// # Panics
    /// As [`run`](crate::run): when the scenario finds the fault.
    pub fn run(&self, scenario: &Scenario, lock: Lock, keeping: Keeping) -> usize {
        run_on(self.copy, scenario, lock, keeping)
    }
}

impl std::fmt::Debug for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.name, self.about)
    }
}

include!(concat!(env!("OUT_DIR"), "/faults.rs"));
