//! Scenarios as data: who calls what, at which limit.

use crate::run::Keeping;
use crate::setup::Lock;

/// A fingerprint that scenarios name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key(pub(crate) usize);

/// Fingerprint 0, which the protocol keeps under another value.
pub const ZERO: Key = Key(0);
/// A fingerprint.
pub const A: Key = Key(1);
/// A fingerprint.
pub const B: Key = Key(2);
/// A fingerprint.
pub const C: Key = Key(3);
/// A fingerprint.
pub const D: Key = Key(4);

/// Milliseconds that a memory lives for unless its call says otherwise.
pub(crate) const TTL: u64 = 10;

/// One call of the table, at the time [`at`](Op::at) which it is made.
#[derive(Clone, Debug)]
pub struct Op {
    pub(crate) call: OpCall,
    /// Milliseconds.
    pub(crate) now: u64,
}

#[derive(Clone, Debug)]
pub(crate) enum OpCall {
    Remember {
        key: Key,
        channel: u32,
        /// Milliseconds, if not the table's own.
        ttl: Option<u64>,
    },
    Recall {
        chain: Vec<Key>,
        renew: bool,
    },
    Forget(Key),
    ForgetChannel(u32),
    Purge,
    Clear,
    Len,
}

impl From<OpCall> for Op {
    fn from(call: OpCall) -> Self {
        Op { call, now: 0 }
    }
}

impl Op {
    /// The same call at `now` milliseconds instead of 0.
    pub fn at(self, now: u64) -> Op {
        Op { now, ..self }
    }

    /// Whether the call may insert or remove a memory.
    pub(crate) fn changes_len(&self) -> bool {
        !matches!(self.call, OpCall::Recall { .. } | OpCall::Len)
    }

    fn keys(&self) -> &[Key] {
        match &self.call {
            OpCall::Remember { key, .. } | OpCall::Forget(key) => std::slice::from_ref(key),
            OpCall::Recall { chain, .. } => chain,
            _ => &[],
        }
    }
}

/// Binds `key` to `channel` for the table's ttl of 10 milliseconds.
pub fn remember(key: Key, channel: u32) -> Op {
    OpCall::Remember {
        key,
        channel,
        ttl: None,
    }
    .into()
}

/// Binds `key` to `channel` with a lifetime of its own, in milliseconds.
pub fn remember_for(key: Key, channel: u32, ttl: u64) -> Op {
    OpCall::Remember {
        key,
        channel,
        ttl: Some(ttl),
    }
    .into()
}

/// Walks over one link.
pub fn recall(key: Key) -> Op {
    walk([key])
}

/// Walks over several links, from the last to the first.
pub fn walk(chain: impl Into<Vec<Key>>) -> Op {
    OpCall::Recall {
        chain: chain.into(),
        renew: true,
    }
    .into()
}

/// Looks at one link and renews nothing.
pub fn peek(key: Key) -> Op {
    OpCall::Recall {
        chain: vec![key],
        renew: false,
    }
    .into()
}

/// Forgets one fingerprint.
pub fn forget(key: Key) -> Op {
    OpCall::Forget(key).into()
}

/// Forgets every memory of a channel.
pub fn forget_channel(channel: u32) -> Op {
    OpCall::ForgetChannel(channel).into()
}

/// Removes what is expired.
pub fn purge() -> Op {
    OpCall::Purge.into()
}

/// Forgets everything.
pub fn clear() -> Op {
    OpCall::Clear.into()
}

/// Counts the memories.
pub fn len() -> Op {
    OpCall::Len.into()
}

/// How the filter's counters stand to the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counters {
    /// One for each of [`A`] to [`D`].
    Apart,
    /// One for all of them, and all of one tag.
    Shared,
    /// One for all of them, each with a tag of its own.
    Tagged,
    /// One for all of them, two steps below where it can count no further.
    NearlyFull,
}

/// Threads of calls on one table: `first` one after the other, then all threads side by side.
///
/// When they are done, every key is looked at, `len` is asked, and so is every deadline.
#[derive(Clone, Debug)]
pub struct Scenario {
    pub(crate) name: &'static str,
    pub(crate) limit: u64,
    /// Milliseconds.
    pub(crate) renewal_step: u64,
    pub(crate) counters: Counters,
    pub(crate) first: Vec<Op>,
    pub(crate) threads: Vec<Vec<Op>>,
    models: [(Lock, Keeping); 2],
}

impl Scenario {
    /// A table of `limit` memories and nobody calling it.
    pub fn new(name: &'static str, limit: u64) -> Self {
        Scenario {
            name,
            limit,
            renewal_step: 0,
            counters: Counters::Apart,
            first: Vec::new(),
            threads: Vec::new(),
            models: [
                (Lock::Loom, Keeping::RealTime),
                (Lock::PerThread, Keeping::ProgramOrder),
            ],
        }
    }

    /// The name that tests, tables and counts know it by.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// How many memories the table may hold.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// How many threads run side by side; the main part of what it costs to explore.
    pub fn threads(&self) -> usize {
        self.threads.len()
    }

    /// A recall that has to raise a deadline raises it this many milliseconds further.
    pub fn renewal_step(mut self, step: u64) -> Self {
        self.renewal_step = step;
        self
    }

    /// What the table has been through before the threads start.
    pub fn first(mut self, ops: impl Into<Vec<Op>>) -> Self {
        self.first = ops.into();
        self
    }

    /// One more thread; at most four.
    pub fn thread(mut self, ops: impl Into<Vec<Op>>) -> Self {
        self.threads.push(ops.into());
        self
    }

    /// All keys under one counter of the filter, where nothing tells them apart.
    pub fn one_counter(mut self) -> Self {
        self.counters = Counters::Shared;
        self
    }

    /// All keys under one counter of the filter, each with a tag of its own.
    pub fn one_counter_of_tags(mut self) -> Self {
        self.counters = Counters::Tagged;
        self
    }

    /// All keys under one counter that is about to saturate.
    pub fn nearly_full_counter(mut self) -> Self {
        self.counters = Counters::NearlyFull;
        self
    }

    /// Takes no time under loom's lock either: that would add the very order which the scenario finds
    /// missing.
    pub fn keeping_program_order_only(mut self) -> Self {
        for (_, keeping) in &mut self.models {
            *keeping = Keeping::ProgramOrder;
        }
        self
    }

    /// How to explore it: under which locks, keeping which order.
    pub fn models(&self) -> [(Lock, Keeping); 2] {
        self.models
    }

    fn ops(&self) -> impl Iterator<Item = &Op> {
        self.first.iter().chain(self.threads.iter().flatten())
    }

    /// What is asked when all threads are done: every key, and the count.
    pub(crate) fn last(&self) -> Vec<Op> {
        let mut keys: Vec<Key> = self.ops().flat_map(Op::keys).copied().collect();
        keys.sort_by_key(|key| key.0);
        keys.dedup();
        keys.into_iter().map(peek).chain([len()]).collect()
    }

    /// The times between which any deadline lies: the start, when all are alive, and right before and
    /// at every deadline that a call can set, in milliseconds.
    pub(crate) fn times(&self) -> Vec<u64> {
        let ttls = self.ops().filter_map(|op| match op.call {
            OpCall::Remember { ttl, .. } => Some(ttl.unwrap_or(TTL)),
            _ => None,
        });
        let mut times = vec![0];
        for ttl in ttls {
            for now in self.ops().map(|op| op.now) {
                for deadline in [now + ttl, now + ttl + self.renewal_step] {
                    times.extend([deadline - 1, deadline]);
                }
            }
        }
        times.sort_unstable();
        times.dedup();
        times
    }
}
