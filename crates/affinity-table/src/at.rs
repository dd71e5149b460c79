//! The table at one moment.

use std::fmt;
use std::time::Duration;

use crate::clock::nanos;
use crate::feed::Change;
use crate::lifetime::Lifetime;
use crate::protocol::{Written, fingerprint_of};
use crate::table::Table;

/// What [`Table::lookup`] found. Its `Debug` does not show the channel.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recalled<C> {
    /// The channel that served the remembered prefix.
    pub channel: C,
    /// The index of the link that answered: the prefix had `link + 1` entries.
    pub link: usize,
}

impl<C> fmt::Debug for Recalled<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recalled")
            .field("link", &self.link)
            .finish_non_exhaustive()
    }
}

/// A [`Table`] at one moment: the same calls, none of which reads a clock. See [`Table::at`] and
/// [`Table::now`].
///
/// ```
/// use std::time::Duration;
/// use affinity_table::Table;
/// use quanta::Clock;
///
/// let clock = Clock::new();
/// let table = Table::builder().ttl(Duration::from_secs(300)).clock(clock.clone()).build();
/// let at = table.at(clock.now());
/// if at.recall(&[1, 2, 3]).is_none() {
///     at.remember(&[1, 2, 3], 7_u32);
/// }
/// assert_eq!(at.recall(&[1, 2, 3, 4, 5]), Some(7));
/// ```
pub struct At<'t, C> {
    pub(crate) table: &'t Table<C>,
    /// Nanoseconds since the clock's anchor.
    pub(crate) now: u64,
}

impl<C> At<'_, C> {
    /// The moment, in nanoseconds since the table was built.
    #[inline]
    pub fn nanos(&self) -> u64 {
        self.now
    }

    /// See [`Table::recall`].
    #[inline]
    pub fn recall(&self, chain: &[u64]) -> Option<C>
    where
        C: Clone,
    {
        self.lookup(chain).map(|recalled| recalled.channel)
    }

    /// See [`Table::lookup`].
    #[inline]
    pub fn lookup(&self, chain: &[u64]) -> Option<Recalled<C>>
    where
        C: Clone,
    {
        let walk = self.table.protocol.recall(chain, self.now, true);
        let tally = self.table.counters.tally();
        tally.add(walk.probes as u64, |counts| &counts.probes);
        match &walk.found {
            Some(_) => tally.add(1, |counts| &counts.hits),
            None => tally.add(1, |counts| &counts.misses),
        }
        walk.found.map(|(channel, link)| Recalled { channel, link })
    }

    /// See [`Table::peek`].
    #[inline]
    pub fn peek(&self, chain: &[u64]) -> Option<C>
    where
        C: Clone,
    {
        self.table
            .protocol
            .recall(chain, self.now, false)
            .found
            .map(|(channel, _)| channel)
    }

    /// See [`Table::remember`].
    #[inline]
    pub fn remember(&self, chain: &[u64], channel: C)
    where
        C: Clone,
    {
        self.write(chain, channel, Lifetime::TABLE, self.table.protocol.ttl());
    }

    /// See [`Table::remember_for`].
    #[inline]
    pub fn remember_for(&self, chain: &[u64], channel: C, ttl: Duration)
    where
        C: Clone,
    {
        let ttl = nanos(ttl);
        self.write(chain, channel, Lifetime::from_nanos(ttl), ttl);
    }

    #[inline]
    fn write(&self, chain: &[u64], channel: C, lifetime: Lifetime, ttl: u64)
    where
        C: Clone,
    {
        let Some(&fingerprint) = chain.last() else {
            return;
        };
        let protocol = &self.table.protocol;
        // What falls out of a full feed. Dropped last of all, like what `written` holds: outside the
        // lock, and with all counted, since a channel's drop is the caller's code and may panic.
        let mut oldest = None;
        let written = match &self.table.feed {
            None => protocol.remember(fingerprint, channel, lifetime, self.now, |_| ()),
            Some(feed) => {
                let told = channel.clone();
                let ttl = Duration::from_nanos(ttl);
                let fingerprint = fingerprint_of(fingerprint);
                protocol.remember(fingerprint, channel, lifetime, self.now, |rebound| {
                    oldest = feed.push(match rebound {
                        true => Change::Rebound {
                            fingerprint,
                            channel: told,
                            ttl,
                        },
                        false => Change::Remembered {
                            fingerprint,
                            channel: told,
                            ttl,
                        },
                    });
                })
            }
        };
        let tally = self.table.counters.tally();
        match &written {
            Written::Nothing => (),
            Written::Renewed(_) => tally.add(1, |counts| &counts.renewals),
            &Written::Inserted {
                evicted, expired, ..
            } => {
                tally.add(1, |counts| &counts.insertions);
                tally.add(evicted, |counts| &counts.evictions);
                tally.add(expired, |counts| &counts.expiries);
            }
        }
    }

    /// See [`Table::forget`].
    pub fn forget(&self, chain: &[u64]) -> Option<C> {
        let &fingerprint = chain.last()?;
        let mut oldest = None;
        self.table.protocol.forget(fingerprint, self.now, || {
            oldest = self.tell_forgotten(fingerprint)
        })
    }

    /// See [`Table::forget_channel`].
    pub fn forget_channel(&self, channel: &C) -> usize
    where
        C: PartialEq,
    {
        self.forget_where(|of| of == channel)
    }

    /// See [`Table::clear`].
    pub fn clear(&self) {
        self.forget_where(|_| true);
    }

    fn forget_where(&self, chosen: impl Fn(&C) -> bool) -> usize {
        let protocol = &self.table.protocol;
        protocol.sweep(
            |memory| chosen(memory.channel()),
            |memory| protocol.is_current(memory, self.now),
            |fingerprint| self.tell_forgotten(fingerprint),
        )
    }

    /// See [`Table::purge`].
    pub fn purge(&self) -> usize {
        let tally = self.table.counters.tally();
        self.table.protocol.sweep(
            |memory| memory.is_expired(self.now),
            |_| true,
            // One by one: a channel whose drop panics ends the sweep.
            |_| tally.add(1, |counts| &counts.expiries),
        )
    }

    /// Called under the fingerprint's lock; what falls out of a full feed is the caller's to drop.
    fn tell_forgotten(&self, key: u64) -> Option<Change<C>> {
        let fingerprint = fingerprint_of(key);
        self.table
            .feed
            .as_ref()
            .and_then(|feed| feed.push(Change::Forgotten { fingerprint }))
    }
}

impl<C> fmt::Debug for At<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("At")
            .field("table", self.table)
            .finish_non_exhaustive()
    }
}
