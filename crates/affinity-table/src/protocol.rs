//! The table's protocol: what a memory is, when it is gone, and why every call is one atomic step.
//!
//! # State
//! A table is a log of insertions, numbered 0, 1, 2, …; `next` is how many were made. A *memory* is
//! (fingerprint, channel, number, deadline), kept in the map under its fingerprint's lock. It is
//! *evicted* when `limit` newer insertions were made: `number + limit < next`. That is a fact about
//! numbers, true from the moment `next` moves, whether or not the memory is still in the map. A
//! memory is *current* when it is not evicted and `now < deadline`.
//!
//! # Invariants
//! * **I1** Numbers are handed out once, without gaps, under the exclusive lock of the fingerprint
//!   that they are for.
//! * **I2** Whoever can lock a fingerprint after its number was taken sees its memory or something
//!   later.
//! * **I3** At most one memory per fingerprint; a memory's number never changes.
//! * **I4** A memory's deadline never falls.
//! * **I5** Evicted is for ever, and follows from `next` alone: no call returns, renews or rebinds an
//!   evicted memory.
//! * **I6** While a memory exists, its fingerprint is in the place of its number or in the hand of a
//!   call that is about to put it there. A fingerprint leaves its place only when, under its lock,
//!   its memory is evicted, absent or of another place.
//! * **I7** What goes into a place last is looked at once more: if its memory is evicted by then,
//!   whoever evicted it may have passed the place already, and nobody else will come for it.
//! * **I8** A filter counter counts at least the memories visible under it, with their tags, and just
//!   those at rest unless saturated.
//! * **I9** At most `limit` memories at rest, and `limit` + inserting calls at any time. At rest no
//!   evicted memory is left.
//! * **I10** No lock is held while another is taken; no caller's code that may panic runs between a
//!   change and what has to follow it.
//!
//! # Linearization points
//! Insertion: its `next.fetch_add`, which is also the eviction of number `n - limit`. Renewing
//! `remember`, hit, evicted miss: their load of `next`. Absent miss: the critical section, or the
//! filter's load. Expired miss: the read-modify-write of the deadline. `forget`: the removal.
//! Reclaiming and the ring change no result. A walk over several links is a sequence of such probes.
//!
//! docs/table-protocol.md has the edges of every ordering and the models that fail without it.

use crate::filter::Filter;
use crate::lifetime::Lifetime;
use crate::ring::{EMPTY, Out, Ring, Ticket};
use crate::sync::{AtomicI64, AtomicU64, Count, Ordering, Padded, Shards};

/// Stands for fingerprint 0, which marks an empty place of the ring.
const ZERO: u64 = 0x9e37_79b9_7f4a_7c15;

/// How many links the filter is asked about at once: agents' walks end within four links.
const BLOCK: usize = 4;

/// One remembered fingerprint.
pub(crate) struct Memory<C> {
    /// Nanoseconds since the table's anchor. The memory is dead from here on.
    deadline: AtomicU64,
    /// Its place in the log of insertions.
    pub(crate) number: u64,
    channel: C,
    lifetime: Lifetime,
}

/// What a walk over a chain found.
pub(crate) struct Walk<C> {
    /// The channel, and the index of the link that hit.
    pub(crate) found: Option<(C, usize)>,
    /// How many links were looked at.
    pub(crate) probes: usize,
}

/// What `remember` did.
pub(crate) enum Written<C> {
    /// Nothing: the table's limit is 0.
    Nothing,
    /// A current memory was there and has been rebound and renewed; this was its channel.
    Renewed(C),
    /// A new insertion, which brought this many evicted and expired memories out of the map.
    Inserted {
        evicted: u64,
        expired: u64,
        _gone: Gone<C>,
    },
}

/// What an insertion brought out of the map: at most what its ticket pushed out of a place, what it
/// overtook, and what it replaced. Kept until all is done and counted: dropping a channel may run,
/// and panic in, code of the caller's (I10).
pub(crate) struct Gone<C> {
    _pushed_out: Option<Memory<C>>,
    _overtaken: Option<Memory<C>>,
    _replaced: Option<Replaced<C>>,
}

/// What `remember` did under the fingerprint's lock; the ring has yet to hear of an insertion.
enum Step<C> {
    Renewed(C),
    Inserted {
        number: u64,
        replaced: Option<Replaced<C>>,
    },
}

/// A memory that was not current any more when a new insertion took its slot in the map.
pub(crate) struct Replaced<C> {
    evicted: bool,
    _memory: Memory<C>,
}

pub(crate) struct Protocol<C> {
    /// Insertions made so far. Alone on its cache line: every insertion writes it, every hit reads it.
    next: Padded<Count>,
    /// Memories in the map, as of the calls that are complete. May pass below 0 while a memory is
    /// forgotten before its insertion has been counted.
    held: Padded<AtomicI64>,
    limit: u64,
    /// The table's own lifetime in nanoseconds.
    ttl: u64,
    /// By how much a recall raises a deadline further than asked, in nanoseconds.
    renewal_step: u64,
    shards: Shards<Memory<C>>,
    filter: Filter,
    ring: Ring,
}

impl<C> Protocol<C> {
    /// `ring` must have `limit` places (any number when `limit` is 0); `ttl` and `renewal_step` are in
    /// nanoseconds.
    pub(crate) fn new(
        limit: u64,
        ttl: u64,
        renewal_step: u64,
        shards: Shards<Memory<C>>,
        filter: Filter,
        ring: Ring,
    ) -> Self {
        let next = Padded::new(Count::new(0));
        let held = Padded::new(AtomicI64::new(0));
        Protocol {
            next,
            held,
            limit,
            ttl,
            renewal_step,
            shards,
            filter,
            ring,
        }
    }

    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }

    pub(crate) fn ttl(&self) -> u64 {
        self.ttl
    }

    /// Exact when no call is in flight; otherwise off by at most the inserting, forgetting and
    /// purging calls in flight; never above `limit`.
    pub(crate) fn len(&self) -> u64 {
        // Relaxed: a count, which orders nothing.
        let held = self.held.load(Ordering::Relaxed);
        u64::try_from(held).unwrap_or(0).min(self.limit)
    }

    /// Binds `fingerprint` to `channel`: renews a current memory, or makes a new insertion.
    ///
    /// `witness` is told, under the fingerprint's exclusive lock, whether a current memory was there.
    /// It must not block, panic or call the table.
    pub(crate) fn remember(
        &self,
        fingerprint: u64,
        channel: C,
        lifetime: Lifetime,
        now: u64,
        witness: impl FnOnce(bool),
    ) -> Written<C> {
        if self.limit == 0 {
            return Written::Nothing;
        }
        let key = key_of(fingerprint);
        let deadline = now.saturating_add(lifetime.nanos(self.ttl));
        let step = self.shards.upsert(key, |slot| {
            let Some(memory) = slot else {
                witness(false);
                // Before the number is taken: whoever sees the number must see the counter (I8).
                self.filter.raise(key);
                let memory = self.insertion(channel, lifetime, deadline);
                let number = memory.number;
                return (
                    Some(memory),
                    Step::Inserted {
                        number,
                        replaced: None,
                    },
                );
            };
            // Relaxed: under the exclusive lock, which orders all earlier renewals before this.
            let held_until = memory.deadline.load(Ordering::Relaxed);
            let evicted = self.is_evicted(memory.number);
            if now < held_until && !evicted {
                witness(true);
                memory.deadline = AtomicU64::new(held_until.max(deadline));
                memory.lifetime = lifetime;
                let previous = core::mem::replace(&mut memory.channel, channel);
                (None, Step::Renewed(previous))
            } else {
                witness(false);
                // The slot stays occupied, so the counter that stood for the old memory stands for
                // the new one.
                let insertion = self.insertion(channel, lifetime, deadline);
                let number = insertion.number;
                let _memory = core::mem::replace(memory, insertion);
                (
                    None,
                    Step::Inserted {
                        number,
                        replaced: Some(Replaced { evicted, _memory }),
                    },
                )
            }
        });
        match step {
            Step::Renewed(previous) => Written::Renewed(previous),
            Step::Inserted { number, replaced } => self.settle(
                Ticket {
                    fingerprint: key,
                    number,
                },
                replaced,
            ),
        }
    }

    /// Takes the next number, and with it evicts the insertion `limit` before. Only under the
    /// exclusive lock of the fingerprint that the memory is for (I1).
    fn insertion(&self, channel: C, lifetime: Lifetime, deadline: u64) -> Memory<C> {
        // AcqRel: Release, so that what came before the insertion is seen by whoever sees its
        // number; Acquire, so that of two insertions the later sees the filter as the earlier left it.
        let number = self.next.fetch_add(1, Ordering::AcqRel);
        Memory {
            deadline: AtomicU64::new(deadline),
            number,
            channel,
            lifetime,
        }
    }

    /// Completes an insertion outside the lock: the ring takes it in, and what it evicted goes.
    fn settle(&self, ticket: Ticket, replaced: Option<Replaced<C>>) -> Written<C> {
        let mut outgoing = None;
        let last_in = self.ring.enter(ticket, |fingerprint| {
            let mut out = Out::Gone;
            outgoing = self.remove_if(fingerprint, |memory| {
                let evicted = self.is_evicted(memory.number);
                out = if evicted {
                    Out::Reclaimed
                } else {
                    Out::Live(memory.number)
                };
                evicted
            });
            out
        });
        // I7.
        let overtaken = last_in
            .filter(|last| self.is_evicted(last.number))
            .and_then(|last| {
                self.remove_if(last.fingerprint, |memory| self.is_evicted(memory.number))
            });
        let reclaimed = i64::from(outgoing.is_some()) + i64::from(overtaken.is_some());
        let entered = i64::from(replaced.is_none());
        if entered != reclaimed {
            // Relaxed: a count. A full table swaps one for one and never comes here, so that
            // insertions share no cache line but `next`.
            self.held.fetch_add(entered - reclaimed, Ordering::Relaxed);
        }
        let taken_over = replaced.as_ref().map(|replaced| replaced.evicted);
        Written::Inserted {
            evicted: reclaimed.unsigned_abs() + u64::from(taken_over == Some(true)),
            expired: u64::from(taken_over == Some(false)),
            _gone: Gone {
                _pushed_out: outgoing,
                _overtaken: overtaken,
                _replaced: replaced,
            },
        }
    }

    /// Walks `chain` from its last link to its first; the first current memory answers and, with
    /// `renew`, lives at least its lifetime from `now` on.
    #[inline]
    pub(crate) fn recall(&self, chain: &[u64], now: u64, renew: bool) -> Walk<C>
    where
        C: Clone,
    {
        let mut end = chain.len();
        while end > 0 {
            let start = end.saturating_sub(BLOCK);
            let keys = || chain[start..end].iter().rev().map(|&link| key_of(link));
            if end - start == 1 || !self.filter.all_surely_absent(keys()) {
                // Each probe asks the filter again, now close at hand, so that what an earlier
                // probe saw comes before what a later one sees.
                for (link, key) in (start..end).rev().zip(keys()) {
                    if let Some(channel) = self.probe(key, now, renew) {
                        let found = Some((channel, link));
                        return Walk {
                            found,
                            probes: chain.len() - link,
                        };
                    }
                }
            }
            end = start;
        }
        Walk {
            found: None,
            probes: chain.len(),
        }
    }

    #[inline]
    fn probe(&self, key: u64, now: u64, renew: bool) -> Option<C>
    where
        C: Clone,
    {
        if self.filter.surely_absent(key) {
            return None;
        }
        self.shards.read(key, |memory| {
            // Acquire: a deadline that is late enough saves us the renewal, but we must still see
            // what the renewer had seen.
            let mut deadline = memory.deadline.load(Ordering::Acquire);
            if deadline <= now {
                // Under a shared lock a load may be older than a renewal that is already over. A
                // read-modify-write sees the latest, and AcqRel hands on what its author had seen.
                deadline = memory.deadline.fetch_max(0, Ordering::AcqRel);
            }
            // The deadline first: it only rises (I4), so it still holds when `next` is read.
            if deadline <= now || self.is_evicted(memory.number) {
                return None;
            }
            let renewed = now.saturating_add(memory.lifetime.nanos(self.ttl));
            if renew && deadline < renewed {
                // Further than asked, so that hits within a step write nothing.
                let renewed = renewed.saturating_add(self.renewal_step);
                memory.deadline.fetch_max(renewed, Ordering::AcqRel);
            }
            Some(memory.channel.clone())
        })
    }

    /// Forgets one fingerprint; the channel if its memory was current. `witness` as in `remember`,
    /// for a current memory only.
    pub(crate) fn forget(&self, fingerprint: u64, now: u64, witness: impl FnOnce()) -> Option<C> {
        let mut current = false;
        let removed = self.remove_if(key_of(fingerprint), |memory| {
            current = self.is_current(memory, now);
            if current {
                witness();
            }
            true
        })?;
        self.held.fetch_sub(1, Ordering::Relaxed);
        current.then_some(removed.channel)
    }

    /// Forgets every memory that is `doomed`, each in a step of its own, and returns how many of them
    /// `counts` applied to. Takes one lock after the other; allocates eight bytes per doomed memory.
    ///
    /// `witness` is told of those under their lock; what it returns is dropped outside.
    pub(crate) fn sweep<W>(
        &self,
        doomed: impl Fn(&Memory<C>) -> bool,
        counts: impl Fn(&Memory<C>) -> bool,
        mut witness: impl FnMut(u64) -> W,
    ) -> usize {
        let mut count = 0;
        for key in self.shards.keys_where(&doomed) {
            let mut told = None;
            let removed = self.remove_if(key, |memory| {
                let doomed = doomed(memory);
                if doomed && counts(memory) {
                    told = Some(witness(key));
                }
                doomed
            });
            if removed.is_some() {
                self.held.fetch_sub(1, Ordering::Relaxed);
            }
            count += usize::from(told.is_some());
        }
        count
    }

    /// Removes a memory under its exclusive lock if `judge` says so, and then lowers its counter.
    fn remove_if(&self, key: u64, judge: impl FnOnce(&Memory<C>) -> bool) -> Option<Memory<C>> {
        let removed = self.shards.remove_if(key, judge);
        if removed.is_some() {
            self.filter.lower(key);
        }
        removed
    }

    /// Not evicted and not expired. For a caller who holds the fingerprint's exclusive lock.
    pub(crate) fn is_current(&self, memory: &Memory<C>, now: u64) -> bool {
        !memory.is_expired(now) && !self.is_evicted(memory.number)
    }

    /// `number + limit < next`, written so that no limit overflows.
    #[inline]
    pub(crate) fn is_evicted(&self, number: u64) -> bool {
        // Acquire, with the AcqRel in `insertion`: whoever sees a number sees what its insertion had
        // seen, so no later probe finds an older state.
        self.next.load(Ordering::Acquire).saturating_sub(number) > self.limit
    }
}

impl<C> Memory<C> {
    pub(crate) fn channel(&self) -> &C {
        &self.channel
    }

    /// For a caller who holds the exclusive lock, or who will decide again under it.
    pub(crate) fn is_expired(&self, now: u64) -> bool {
        // Relaxed: the exclusive lock orders all earlier renewals before this.
        self.deadline.load(Ordering::Relaxed) <= now
    }
}

/// The key of a fingerprint in the map and the ring.
#[inline]
fn key_of(fingerprint: u64) -> u64 {
    if fingerprint == EMPTY {
        ZERO
    } else {
        fingerprint
    }
}

/// The fingerprint of a key. Two fingerprints have one key, and go by one of them.
pub(crate) fn fingerprint_of(key: u64) -> u64 {
    if key == ZERO { EMPTY } else { key }
}
