//! The change feed: what the table learns, for replicas, journals and metrics.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crossbeam_queue::ArrayQueue;

/// One change of a table's memories. Its `Debug` shows neither fingerprint nor channel.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change<C> {
    /// A new memory was made.
    Remembered {
        /// The chain's last link.
        fingerprint: u64,
        /// The channel that served.
        channel: C,
        /// How long the memory lives after its last use, as given.
        ttl: Duration,
    },
    /// A current memory got this channel and lifetime; the channel may be the one that it had.
    Rebound {
        /// The chain's last link.
        fingerprint: u64,
        /// The channel that serves from now on.
        channel: C,
        /// How long the memory lives after its last use, as given.
        ttl: Duration,
    },
    /// A current memory was forgotten, alone, with its channel, or with all others.
    Forgotten {
        /// The memory's fingerprint.
        fingerprint: u64,
    },
}

impl<C> fmt::Debug for Change<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Change::Remembered { .. } => "Remembered { .. }",
            Change::Rebound { .. } => "Rebound { .. }",
            Change::Forgotten { .. } => "Forgotten { .. }",
        })
    }
}

/// A bounded, lock-free queue of [`Change`]s, oldest first.
///
/// Changes of one fingerprint come in the order in which they happened. When the feed is full the
/// oldest change is dropped and counted, so that a reader that has fallen behind knows it must start
/// afresh. Renewals by `recall`, evictions and expiries are not changes: a replica that remembers
/// what it is told ages by itself.
pub struct Feed<C> {
    changes: ArrayQueue<Change<C>>,
    dropped: AtomicU64,
}

impl<C> Feed<C> {
    pub(crate) fn new(capacity: usize) -> Self {
        Feed {
            changes: ArrayQueue::new(capacity),
            dropped: AtomicU64::new(0),
        }
    }

    /// Takes the oldest change out. Does not block; any number of threads may read.
    pub fn pop(&self) -> Option<Change<C>> {
        self.changes.pop()
    }

    /// How many changes were dropped because nobody had taken them in time.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// Queues a change; hands back the oldest if it had to make room, for the caller to drop where
    /// no lock is held.
    pub(crate) fn push(&self, change: Change<C>) -> Option<Change<C>> {
        let oldest = self.changes.force_push(change);
        if oldest.is_some() {
            // Relaxed: a count.
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
        oldest
    }
}

impl<C> fmt::Debug for Feed<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Feed")
            .field("capacity", &self.changes.capacity())
            .field("len", &self.changes.len())
            .field("dropped", &self.dropped())
            .finish()
    }
}
