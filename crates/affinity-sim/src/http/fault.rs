//! Faults on demand.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

/// What an account does wrong, until it is healed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Fault {
    /// Refuses connections and drops the open ones.
    Down,
    /// Takes the request and never answers.
    Hang,
    /// Answers with this status and the provider's error body for it.
    Status {
        /// The HTTP status, such as 500, 503 or 529.
        status: u16,
    },
    /// Answers 429.
    RateLimited {
        /// What `retry-after` says, in milliseconds.
        retry_after_ms: u64,
    },
    /// Answers, but this much later.
    Slow {
        /// Milliseconds added before the first byte.
        delay_ms: u64,
    },
    /// Stops in the middle of a streamed answer and keeps the connection open.
    Stall {
        /// Events sent before.
        after_events: usize,
    },
    /// Resets the connection in the middle of an answer.
    Reset {
        /// Events sent before; of a whole answer, half is sent.
        after_events: usize,
    },
}

/// The fault in force and for how many requests.
#[derive(Debug, Default)]
pub(super) struct Switch(Mutex<Option<(Fault, Option<u32>)>>);

impl Switch {
    pub(super) fn set(&self, fault: Option<Fault>, times: Option<u32>) {
        *self.lock() = fault.map(|fault| (fault, times));
    }

    /// The fault for the next request, which uses up one of its times.
    pub(super) fn next(&self) -> Option<Fault> {
        let mut active = self.lock();
        let (fault, times) = active.as_mut()?;
        let fault = *fault;
        if let Some(left) = times {
            *left = left.saturating_sub(1);
            if *left == 0 {
                *active = None;
            }
        }
        Some(fault)
    }

    fn lock(&self) -> MutexGuard<'_, Option<(Fault, Option<u32>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fault_for_two_requests_is_gone_at_the_third() {
        let switch = Switch::default();
        switch.set(Some(Fault::Hang), Some(2));
        assert_eq!(switch.next(), Some(Fault::Hang));
        assert_eq!(switch.next(), Some(Fault::Hang));
        assert_eq!(switch.next(), None);
    }

    #[test]
    fn faults_are_written_as_tagged_json() {
        let fault: Fault = serde_json::from_str(r#"{"kind":"status","status":529}"#).unwrap();
        assert_eq!(fault, Fault::Status { status: 529 });
    }
}
