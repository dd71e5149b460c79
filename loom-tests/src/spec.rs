//! The sequential specification: a log of insertions, and what each step of it may answer.
//!
//! Written from the design, independently of the protocol: nothing is reclaimed here, an evicted
//! memory is simply absent.

use crate::setup::{Doomed, FINGERPRINTS, Wrote};

/// One atomic step of a call, with what the call answered.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Step {
    Remember {
        key: usize,
        channel: u32,
        ttl: Option<u64>,
        now: u64,
        wrote: Wrote,
    },
    Probe {
        key: usize,
        now: u64,
        renew: bool,
        found: Option<u32>,
    },
    Forget {
        key: usize,
        now: u64,
        found: Option<u32>,
    },
    /// One fingerprint's turn in a sweep; `told` if the sweep counted it.
    Sweep {
        key: usize,
        doomed: Doomed,
        now: u64,
        told: bool,
    },
    /// Off by at most `slack`, the calls in flight that insert or remove.
    Len { value: u64, slack: u64 },
    /// The map at rest.
    Rest(Vec<Rest>),
}

/// A memory in the map at rest.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Rest {
    pub(crate) key: usize,
    pub(crate) number: u64,
    /// The last of the times asked about at which it is alive, and the first at which it is dead.
    pub(crate) alive: u64,
    pub(crate) dead: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Entry {
    channel: u32,
    number: u64,
    /// The deadline is one of these: a recall may raise it a step further than asked.
    earliest: u64,
    latest: u64,
    ttl: u64,
}

impl Entry {
    /// Whether it can be alive, or dead, at `now`; if so, that much more is known of its deadline.
    fn can_be(&mut self, alive: bool, now: u64) -> bool {
        if alive {
            self.earliest = self.earliest.max(now + 1);
        } else {
            self.latest = self.latest.min(now);
        }
        self.earliest <= self.latest
    }
}

/// The table between two steps.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Spec {
    limit: u64,
    ttl: u64,
    renewal_step: u64,
    next: u64,
    entries: [Option<Entry>; FINGERPRINTS.len()],
}

impl Spec {
    pub(crate) fn new(limit: u64, ttl: u64, renewal_step: u64) -> Self {
        Spec {
            limit,
            ttl,
            renewal_step,
            next: 0,
            entries: [None; FINGERPRINTS.len()],
        }
    }

    /// The memory of `key`, unless it is evicted.
    fn entry(&mut self, key: usize) -> Option<&mut Entry> {
        let (next, limit) = (self.next, self.limit);
        self.entries[key]
            .as_mut()
            .filter(|entry| entry.number + limit >= next)
    }

    /// Whether `key` can have a current memory, or none, at `now`.
    fn can_be(&mut self, key: usize, current: bool, now: u64) -> bool {
        match self.entry(key) {
            Some(entry) => entry.can_be(current, now),
            None => !current,
        }
    }

    /// Takes `step` if the table may answer so now; false otherwise, and then it is of no more use.
    pub(crate) fn take(&mut self, step: &Step) -> bool {
        match *step {
            Step::Remember {
                key,
                channel,
                ttl,
                now,
                wrote,
            } => self.remember(key, channel, ttl.unwrap_or(self.ttl), now, wrote),
            Step::Probe {
                key,
                now,
                renew,
                found,
            } => {
                let legal = self.can_find(key, now, found);
                if let (true, true, Some(_)) = (legal, renew, found) {
                    self.renew(key, now);
                }
                legal
            }
            Step::Forget { key, now, found } => {
                let legal = self.can_find(key, now, found);
                self.entries[key] = None;
                legal
            }
            Step::Sweep {
                key,
                doomed,
                now,
                told,
            } => self.sweep(key, doomed, now, told),
            Step::Len { value, slack } => {
                value <= self.limit && value.abs_diff(self.held().count() as u64) <= slack
            }
            Step::Rest(ref memories) => {
                self.held().count() == memories.len()
                    && memories.iter().all(|memory| {
                        self.entry(memory.key).is_some_and(|entry| {
                            entry.number == memory.number
                                && entry.can_be(true, memory.alive)
                                && entry.can_be(false, memory.dead)
                        })
                    })
            }
        }
    }

    fn can_find(&mut self, key: usize, now: u64, found: Option<u32>) -> bool {
        self.can_be(key, found.is_some(), now)
            && found.is_none_or(|channel| self.entry(key).is_some_and(|it| it.channel == channel))
    }

    /// A recall raises the deadline of a current memory if it is nearer than asked, and then by up to
    /// a step further.
    fn renew(&mut self, key: usize, now: u64) {
        let step = self.renewal_step;
        let Some(entry) = self.entry(key) else { return };
        let asked = now + entry.ttl;
        if entry.earliest < asked {
            entry.earliest = asked;
            entry.latest = entry.latest.max(asked + step);
        }
    }

    fn remember(&mut self, key: usize, channel: u32, ttl: u64, now: u64, wrote: Wrote) -> bool {
        if self.limit == 0 {
            return wrote == Wrote::Nothing;
        }
        let deadline = now + ttl;
        match wrote {
            Wrote::Nothing => false,
            Wrote::Renewed(previous) => {
                let legal = self.can_find(key, now, Some(previous));
                if let Some(entry) = self.entry(key) {
                    *entry = Entry {
                        channel,
                        number: entry.number,
                        earliest: entry.earliest.max(deadline),
                        latest: entry.latest.max(deadline),
                        ttl,
                    };
                }
                legal
            }
            Wrote::Inserted => {
                let legal = self.can_be(key, false, now);
                self.entries[key] = Some(Entry {
                    channel,
                    number: self.next,
                    earliest: deadline,
                    latest: deadline,
                    ttl,
                });
                self.next += 1;
                legal
            }
        }
    }

    fn sweep(&mut self, key: usize, doomed: Doomed, now: u64, told: bool) -> bool {
        let evicted = self.entry(key).is_none();
        let Some(mut entry) = self.entries[key] else {
            return !told;
        };
        let (chosen, legal) = match doomed {
            Doomed::Of(channel) if entry.channel != channel => (false, !told),
            Doomed::Of(_) | Doomed::All => (true, self.can_be(key, told, now)),
            // Whether an evicted memory is still in the map is no business of the specification's.
            Doomed::Expired if evicted && !told => (false, true),
            Doomed::Expired => {
                let legal = entry.can_be(!told, now);
                self.entries[key] = Some(entry);
                (told, legal)
            }
        };
        if chosen {
            self.entries[key] = None;
        }
        legal
    }

    /// The memories that are not evicted.
    fn held(&self) -> impl Iterator<Item = &Entry> {
        self.entries
            .iter()
            .flatten()
            .filter(|entry| entry.number + self.limit >= self.next)
    }
}
