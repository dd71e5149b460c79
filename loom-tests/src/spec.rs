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
    /// The map at rest: (key, number) of all memories.
    Rest(Vec<(usize, u64)>),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Entry {
    channel: u32,
    number: u64,
    deadline: u64,
    ttl: u64,
}

/// The table between two steps.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Spec {
    limit: u64,
    ttl: u64,
    next: u64,
    entries: [Option<Entry>; FINGERPRINTS.len()],
}

impl Spec {
    pub(crate) fn new(limit: u64, ttl: u64) -> Self {
        Spec {
            limit,
            ttl,
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

    fn current(&mut self, key: usize, now: u64) -> Option<&mut Entry> {
        self.entry(key).filter(|entry| now < entry.deadline)
    }

    /// Takes `step` if the table may answer so now; false otherwise.
    pub(crate) fn take(&mut self, step: &Step) -> bool {
        match *step {
            Step::Remember {
                key,
                channel,
                ttl,
                now,
                wrote,
            } => wrote == self.remember(key, channel, ttl.unwrap_or(self.ttl), now),
            Step::Probe {
                key,
                now,
                renew,
                found,
            } => {
                let hit = self.current(key, now).map(|entry| {
                    if renew {
                        entry.deadline = entry.deadline.max(now + entry.ttl);
                    }
                    entry.channel
                });
                hit == found
            }
            Step::Forget { key, now, found } => {
                let hit = self.current(key, now).map(|entry| entry.channel);
                self.entries[key] = None;
                hit == found
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
            Step::Rest(ref memories) => self.held().eq(memories.iter().copied()),
        }
    }

    fn remember(&mut self, key: usize, channel: u32, ttl: u64, now: u64) -> Wrote {
        if self.limit == 0 {
            return Wrote::Nothing;
        }
        if let Some(entry) = self.current(key, now) {
            let previous = entry.channel;
            *entry = Entry {
                channel,
                deadline: entry.deadline.max(now + ttl),
                ttl,
                ..*entry
            };
            return Wrote::Renewed(previous);
        }
        self.entries[key] = Some(Entry {
            channel,
            number: self.next,
            deadline: now + ttl,
            ttl,
        });
        self.next += 1;
        Wrote::Inserted
    }

    fn sweep(&mut self, key: usize, doomed: Doomed, now: u64, told: bool) -> bool {
        let current = self.current(key, now).is_some();
        let evicted = self.entry(key).is_none();
        let Some(entry) = self.entries[key] else {
            return !told;
        };
        let expired = entry.deadline <= now;
        let (chosen, legal) = match doomed {
            Doomed::Of(channel) => {
                let chosen = entry.channel == channel;
                (chosen, told == (chosen && current))
            }
            Doomed::All => (true, told == current),
            // Whether an evicted memory is still in the map is no business of the specification's.
            Doomed::Expired => (expired, told == expired || evicted && !told),
        };
        if chosen {
            self.entries[key] = None;
        }
        legal
    }

    /// (key, number) of all memories that are not evicted.
    fn held(&self) -> impl Iterator<Item = (usize, u64)> {
        self.entries
            .iter()
            .enumerate()
            .filter_map(|(key, entry)| entry.map(|entry| (key, entry.number)))
            .filter(|&(_, number)| number + self.limit >= self.next)
    }
}
