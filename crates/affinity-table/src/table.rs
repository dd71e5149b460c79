//! The public table: clock, lifetimes, counts and the feed around the protocol.

use std::fmt;
use std::time::Duration;

use quanta::Instant;

use crate::clock::{OwnClock, nanos};
use crate::feed::Feed;
use crate::filter::Filter;
use crate::protocol::Protocol;
use crate::ring::Ring;
use crate::stats::{Counters, Stats};
use crate::sync::{self, Places, Shards};
use crate::{At, Builder, Recalled};

/// Remembers which channel served a conversation: fingerprint → channel, bounded and concurrent.
///
/// A *chain* is the list of cumulative fingerprints of a request's entries (`affinity_hash::chain`):
/// link `i` stands for the first `i + 1` entries. [`remember`](Table::remember) binds the whole
/// request, its last link, to the channel that served it. The next turn's chain begins with that
/// link, so [`recall`](Table::recall), which walks a chain from its end, finds it.
///
/// * **Bounded.** A memory is evicted when `limit` newer ones were made, in the order of insertion;
///   being recalled does not delay that. An active conversation makes a new memory each turn.
/// * **Renewed by use.** A memory lives for its ttl after it was last remembered or recalled, as the
///   upstream's prompt cache does. At its deadline it is dead.
/// * **On its own time, or yours.** Calls read the table's [`clock`](Builder::clock) once. By default
///   that is on Linux the kernel's coarse one, and the precise one once a tick: time may lag by a tick,
///   mostly 1 to 10 ms, and never runs ahead. [`at`](Table::at) is exact, and reads nothing.
/// * **Concurrent.** Every method takes `&self`. Each look at a fingerprint is one atomic step, in one
///   order that all threads agree on; a walk is a sequence of such steps.
///
/// Calls take one shard's lock at a time (`recall` a shared one), and allocate nothing once the table
/// is warm. A channel should be cheap to clone: an index, an `Arc<str>`. Its `clone` and `==` run under
/// a shard's lock and must not call the table; its `drop` runs under none, and may. Fingerprint 0 is
/// kept under another value, which is then the same fingerprint.
///
/// ```
/// use std::time::Duration;
/// use affinity_table::Table;
///
/// let table = Table::new(100_000, Duration::from_secs(300));
/// let turn = affinity_hash::chain(&["You are helpful.", "Hi!"]);
/// table.remember(&turn, "account-7");
///
/// let next = affinity_hash::chain(&["You are helpful.", "Hi!", "Hello.", "And now?"]);
/// assert_eq!(table.recall(&next), Some("account-7"));
/// ```
pub struct Table<C> {
    pub(crate) protocol: Protocol<C>,
    pub(crate) counters: Counters,
    pub(crate) feed: Option<Feed<C>>,
    clock: OwnClock,
}

/// Filter counters per place of the ring. When the table is full, one probe in 36 to 130 of an absent fingerprint
/// still asks the map: where a counter counts two, or one of the same tag.
const CELLS_PER_PLACE: usize = 4;
/// 64 MiB of counters: enough for 8 million places, and for ten times as many still three in ten.
const MOST_CELLS: usize = 1 << 25;
const MOST_SHARDS: usize = 1 << 16;

impl<C> Table<C> {
    /// A table of at most `limit` memories that each live for `ttl` after their last use.
    pub fn new(limit: usize, ttl: Duration) -> Self {
        Self::builder().limit(limit).ttl(ttl).build()
    }

    /// Settings beyond limit and ttl: clock, shards, change feed.
    pub fn builder() -> Builder<C> {
        Builder::new()
    }

    pub(crate) fn from_builder(builder: Builder<C>) -> Self {
        let limit = builder.limit as u64;
        let cells = builder
            .limit
            .saturating_mul(CELLS_PER_PLACE)
            .clamp(2, MOST_CELLS)
            .next_power_of_two();
        let filter = Filter::new(sync::zeroed_cells(cells), sync::random_odd());
        let ring = Ring::new(Places::new(limit), limit);
        let shards = builder
            .shards
            .unwrap_or_else(default_shards)
            .clamp(2, MOST_SHARDS)
            .next_power_of_two();
        Table {
            protocol: Protocol::new(
                limit,
                nanos(builder.ttl),
                nanos(builder.renewal_step),
                Shards::new(shards),
                filter,
                ring,
            ),
            counters: Counters::new(),
            feed: builder.feed.map(Feed::new),
            clock: OwnClock::new(builder.clock),
        }
    }

    /// A view of the table at exactly `now`, whose calls read no clock: one reading serves a whole
    /// request.
    ///
    /// `now` must come from the table's own clock, or from `quanta` in the table of a real one. A time
    /// before the table was built counts as the moment when it was. Times may go backwards: deadlines
    /// never do.
    #[inline]
    pub fn at(&self, now: Instant) -> At<'_, C> {
        At {
            table: self,
            now: self.clock.since_anchor(now),
        }
    }

    /// The view at the table's own present time, which may lag by a tick (see
    /// [`clock`](Builder::clock)): one reading serves a whole request.
    ///
    /// ```
    /// # let table = affinity_table::Table::new(1000, std::time::Duration::from_secs(300));
    /// let now = table.now();
    /// if now.recall(&[1, 2]).is_none() {
    ///     now.remember(&[1, 2], "account-7");
    /// }
    /// ```
    #[inline]
    pub fn now(&self) -> At<'_, C> {
        At {
            table: self,
            now: self.clock.now(),
        }
    }

    /// The channel of the longest remembered prefix of `chain`, which is thereby renewed.
    ///
    /// Walks from the last link to the first over links that are missing, expired or evicted; the
    /// first current memory answers. `None` for an empty chain. Cost: per absent link mostly one
    /// load, otherwise one shard's shared lock; does not allocate. Reads the
    /// [`clock`](Builder::clock) once.
    #[inline]
    pub fn recall(&self, chain: &[u64]) -> Option<C>
    where
        C: Clone,
    {
        self.now().recall(chain)
    }

    /// As [`recall`](Table::recall), and tells which link answered.
    #[inline]
    pub fn lookup(&self, chain: &[u64]) -> Option<Recalled<C>>
    where
        C: Clone,
    {
        self.now().lookup(chain)
    }

    /// As [`recall`](Table::recall), but renews nothing and is not counted in [`stats`](Table::stats).
    #[inline]
    pub fn peek(&self, chain: &[u64]) -> Option<C>
    where
        C: Clone,
    {
        self.now().peek(chain)
    }

    /// Binds the whole of `chain`, its last link, to `channel`.
    ///
    /// A current memory of that link gets the channel and lives at least the table's ttl from now on;
    /// its turn to be evicted stays. Otherwise a new memory is made, and the one that was made `limit`
    /// insertions before is evicted. An empty chain is not remembered. Cost: one shard's exclusive
    /// lock, and as an insertion one more for the evicted memory; does not allocate once the table
    /// is warm. Reads the [`clock`](Builder::clock) once.
    #[inline]
    pub fn remember(&self, chain: &[u64], channel: C)
    where
        C: Clone,
    {
        self.now().remember(chain, channel);
    }

    /// As [`remember`](Table::remember), with a lifetime of this memory's own, also when it is
    /// recalled: for channels whose prompt cache lives longer or shorter than the others'.
    ///
    /// Kept to the millisecond below 24 days and to the second above, rounded up; 68 years and more
    /// are for ever.
    #[inline]
    pub fn remember_for(&self, chain: &[u64], channel: C, ttl: Duration)
    where
        C: Clone,
    {
        self.now().remember_for(chain, channel, ttl);
    }

    /// Forgets the memory of the last link of `chain`; its channel, if the memory was current.
    ///
    /// Its turn in the order of insertion is not given back: with forgets, the table holds fewer than
    /// `limit`.
    pub fn forget(&self, chain: &[u64]) -> Option<C> {
        self.now().forget(chain)
    }

    /// Forgets every memory of `channel`, one after the other, and returns how many were current.
    ///
    /// Not one step: a memory that is made or rebound meanwhile may stay. Visits the whole table under
    /// one shard's lock after the other.
    pub fn forget_channel(&self, channel: &C) -> usize
    where
        C: PartialEq,
    {
        self.now().forget_channel(channel)
    }

    /// Removes every expired memory, one after the other, and returns how many there were.
    ///
    /// Nothing needs it: an expired memory answers nobody, and goes when its turn comes. It gives its
    /// channel back earlier, and makes `len` count the living.
    pub fn purge(&self) -> usize {
        self.now().purge()
    }

    /// Forgets everything, one memory after the other. Counts and the order of insertion go on.
    pub fn clear(&self) {
        self.now().clear();
    }

    /// How many memories the table holds, expired ones included until their place is reclaimed or
    /// [`purge`](Table::purge)d.
    ///
    /// Exact when no call is in flight; otherwise off by at most the inserting, forgetting and purging
    /// calls in flight; never above the limit. One load.
    pub fn len(&self) -> usize {
        self.protocol.len() as usize
    }

    /// True when [`len`](Table::len) is 0.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What the table has done since it was built. Sums over at most 65 threads' counters.
    pub fn stats(&self) -> Stats {
        self.counters.total()
    }

    /// The feed of changes, if the builder asked for one.
    pub fn feed(&self) -> Option<&Feed<C>> {
        self.feed.as_ref()
    }
}

impl<C> fmt::Debug for Table<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table")
            .field("limit", &self.protocol.limit())
            .field("ttl", &Duration::from_nanos(self.protocol.ttl()))
            .field("len", &self.len())
            .finish_non_exhaustive()
    }
}

fn default_shards() -> usize {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    threads.saturating_mul(4).max(64)
}
