//! What an account saw and did, for tests and reports.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hyper::HeaderMap;
use serde::Serialize;

use super::reply::Usage;

/// Requests kept by [`Account::received`](super::Account::received).
const KEPT: usize = 512;

/// Counts since the account started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Stats {
    /// Connections accepted.
    pub connections: u64,
    /// Connections open now.
    pub open_connections: u64,
    /// Completion requests that arrived, refused ones included.
    pub requests: u64,
    /// Completions answered to the end.
    pub completed: u64,
    /// Completions whose client left before the end.
    pub cancelled: u64,
    /// Refusals with 429.
    pub throttled: u64,
    /// Refusals with 401: a wrong key, or none.
    pub unauthorized: u64,
    /// Requests that met a fault other than [`Fault::Down`](super::Fault::Down).
    pub faulted: u64,
    /// Completions being answered now.
    pub in_flight: u64,
    /// The most completions that were being answered at once.
    pub peak_in_flight: u64,
    /// Prompt tokens of the completions that reached their first token.
    pub prompt_tokens: u64,
    /// Of those, read from the cache.
    pub cached_tokens: u64,
    /// Of those, written to the cache (Anthropic breakpoints only; OpenAI reports no writes).
    pub written_tokens: u64,
}

/// The head of one request, as it arrived. Its `Debug` shows no header values.
#[derive(Clone, Serialize)]
#[non_exhaustive]
pub struct Received {
    /// Path and query.
    pub target: String,
    /// Header names in lower case, with their values, in arrival order.
    pub headers: Vec<(String, String)>,
    /// Bytes of the body.
    pub body_bytes: usize,
}

impl fmt::Debug for Received {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.headers.iter().map(|(name, _)| name).collect();
        f.debug_struct("Received")
            .field("header_names", &names)
            .field("body_bytes", &self.body_bytes)
            .finish_non_exhaustive()
    }
}

#[derive(Debug, Default)]
struct Pages {
    stats: Stats,
    received: VecDeque<Received>,
}

#[derive(Debug, Default)]
pub(super) struct Ledger(Mutex<Pages>);

impl Ledger {
    pub(super) fn stats(&self) -> Stats {
        self.pages().stats
    }

    pub(super) fn received(&self) -> Vec<Received> {
        self.pages().received.iter().cloned().collect()
    }

    /// Changes the counts; returns what the change returns.
    pub(super) fn count<R>(&self, change: impl FnOnce(&mut Stats) -> R) -> R {
        change(&mut self.pages().stats)
    }

    pub(super) fn arrived(&self, target: String, headers: &HeaderMap, body_bytes: usize) {
        let headers = headers
            .iter()
            .map(|(name, value)| {
                (
                    name.to_string(),
                    String::from_utf8_lossy(value.as_bytes()).into_owned(),
                )
            })
            .collect();
        let mut pages = self.pages();
        if pages.received.len() == KEPT {
            pages.received.pop_front();
        }
        pages.received.push_back(Received {
            target,
            headers,
            body_bytes,
        });
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A completion in flight: counts it as completed or, dropped before that, as cancelled.
#[derive(Debug)]
pub(super) struct InFlight {
    ledger: Arc<Ledger>,
    done: bool,
}

impl InFlight {
    pub(super) fn enter(ledger: &Arc<Ledger>) -> Self {
        ledger.count(|stats| {
            stats.in_flight += 1;
            stats.peak_in_flight = stats.peak_in_flight.max(stats.in_flight);
        });
        Self {
            ledger: Arc::clone(ledger),
            done: false,
        }
    }

    pub(super) fn first_token(&self, usage: &Usage) {
        self.ledger.count(|stats| {
            stats.prompt_tokens += usage.prompt as u64;
            stats.cached_tokens += usage.cached as u64;
            stats.written_tokens += usage.written as u64;
        });
    }

    /// Ends without counting as cancelled: completed, or failed by the account itself.
    pub(super) fn end(mut self, completed: bool) {
        self.done = true;
        self.ledger
            .count(|stats| stats.completed += u64::from(completed));
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.ledger.count(|stats| {
            stats.in_flight -= 1;
            stats.cancelled += u64::from(!self.done);
        });
    }
}
