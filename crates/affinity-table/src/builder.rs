//! How a table is set up.

use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use quanta::Clock;

use crate::Table;

/// Settings of a [`Table`]; see [`Table::builder`].
///
/// ```
/// use std::time::Duration;
/// use affinity_table::Table;
///
/// let table: Table<u32> = Table::builder().limit(10_000).ttl(Duration::from_secs(3600)).build();
/// assert!(table.is_empty());
/// ```
pub struct Builder<C> {
    pub(crate) limit: usize,
    pub(crate) ttl: Duration,
    pub(crate) renewal_step: Duration,
    pub(crate) clock: Option<Clock>,
    pub(crate) shards: Option<usize>,
    pub(crate) feed: Option<usize>,
    channel: PhantomData<fn() -> C>,
}

/// A feed that nobody reads for longer than this has been given up.
const MOST_CHANGES: usize = 1 << 20;

impl<C> Builder<C> {
    pub(crate) fn new() -> Self {
        Builder {
            limit: 100_000,
            ttl: Duration::from_secs(300),
            renewal_step: Duration::ZERO,
            clock: None,
            shards: None,
            feed: None,
            channel: PhantomData,
        }
    }

    /// How many insertions a memory stays for, and so how many memories there are at most. Default
    /// 100,000. With 0 the table remembers nothing.
    ///
    /// As a rule: requests per second × ttl in seconds.
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// How long a memory lives after its last use. Default 300 s. Not less than the lifetime of the
    /// upstream's prompt cache, or the table forgets what the cache still holds.
    ///
    /// Counted in nanoseconds; 584 years and more are for ever. With zero nothing is
    /// recalled at the time of its `remember` or later. Times are those of the
    /// [`clock`](Builder::clock), by default exact to a tick of the kernel's, mostly 1 to 10 ms.
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.ttl = ttl;
        self
    }

    /// How much longer than asked a recalled memory may live, so that hits write less. Default zero.
    ///
    /// A recall raises a deadline that is nearer than ttl, and then to ttl + step, so hits within a
    /// step of each other write nothing at all. A memory still lives for at least its ttl after its
    /// last use, and now for at most a step more. A sixty-fourth of the ttl is a good step.
    pub fn renewal_step(mut self, step: Duration) -> Self {
        self.renewal_step = step;
        self
    }

    /// The clock to read, once in each call; a mocked one for tests.
    ///
    /// Default: the time of [`Clock::new`], whose first use in a process takes up to 200 ms to
    /// calibrate. On Linux each call reads the kernel's coarse clock instead, and this one only if that
    /// has ticked since a call last did: at a quarter of the cost, time may lag by a tick (1 to 10 ms,
    /// by the kernel's configuration). A `Clock::new()` given here is read by every call.
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = Some(clock);
        self
    }

    /// How many shards the map has, each with a lock of its own; rounded up to a power of two between
    /// 2 and 65,536. Default: four times the machine's threads, at least 64.
    pub fn shards(mut self, shards: usize) -> Self {
        self.shards = Some(shards);
        self
    }

    /// Keeps the last `capacity` changes for [`Table::feed`], at most 1,048,576; their room is
    /// allocated at once. Default: no feed, at no cost. A capacity of 0 is no feed.
    pub fn feed(mut self, capacity: usize) -> Self {
        self.feed = (capacity > 0).then_some(capacity.min(MOST_CHANGES));
        self
    }

    /// Builds the table. Allocates the filter, the first 1 MiB of the ring and the feed: at most 8
    /// bytes per place of the ring, and 16 per place (64 MiB at the most) of zeroed pages for the
    /// filter, which take memory only once they are used.
    pub fn build(self) -> Table<C> {
        Table::from_builder(self)
    }
}

impl<C> fmt::Debug for Builder<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("limit", &self.limit)
            .field("ttl", &self.ttl)
            .field("renewal_step", &self.renewal_step)
            .field("shards", &self.shards)
            .field("feed", &self.feed)
            .finish_non_exhaustive()
    }
}
