//! The sequential specification, one step at a time.

/// One atomic step of a call, with what the call saw of it. Times are milliseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    Remember {
        key: u64,
        channel: u32,
        ttl: u64,
        now: u64,
    },
    /// One link of a recall, which renews, or of a peek.
    Probe {
        key: u64,
        now: u64,
        renews: bool,
        saw: Option<u32>,
    },
    Forget {
        key: u64,
        now: u64,
        saw: Option<u32>,
    },
    /// Exact only at rest.
    Len { saw: usize },
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Memory {
    key: u64,
    channel: u32,
    number: u64,
    deadline: u64,
    ttl: u64,
}

/// A table as the specification has it: the memories that are not evicted, and the length of the log.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Spec {
    limit: u64,
    next: u64,
    memories: Vec<Memory>,
}

impl Spec {
    pub(crate) fn new(limit: u64) -> Self {
        Spec {
            limit,
            next: 0,
            memories: Vec::new(),
        }
    }

    /// Takes `step`; false if the specification has it see something else.
    pub(crate) fn takes(&mut self, step: &Step) -> bool {
        match *step {
            Step::Remember {
                key,
                channel,
                ttl,
                now,
            } => {
                self.remember(key, channel, ttl, now);
                true
            }
            Step::Probe {
                key,
                now,
                renews,
                saw,
            } => self.probe(key, now, renews) == saw,
            Step::Forget { key, now, saw } => self.forget(key, now) == saw,
            Step::Len { saw } => self.len() == saw,
        }
    }

    pub(crate) fn remember(&mut self, key: u64, channel: u32, ttl: u64, now: u64) {
        if let Some(memory) = self.current(key, now) {
            memory.channel = channel;
            memory.ttl = ttl;
            memory.deadline = memory.deadline.max(now + ttl);
            return;
        }
        let number = self.next;
        self.next += 1;
        let (next, limit) = (self.next, self.limit);
        self.memories
            .retain(|memory| memory.key != key && memory.number + limit >= next);
        self.memories.push(Memory {
            key,
            channel,
            number,
            deadline: now + ttl,
            ttl,
        });
    }

    pub(crate) fn probe(&mut self, key: u64, now: u64, renews: bool) -> Option<u32> {
        let memory = self.current(key, now)?;
        if renews {
            memory.deadline = memory.deadline.max(now + memory.ttl);
        }
        Some(memory.channel)
    }

    pub(crate) fn forget(&mut self, key: u64, now: u64) -> Option<u32> {
        let channel = self.current(key, now).map(|memory| memory.channel);
        self.memories.retain(|memory| memory.key != key);
        channel
    }

    pub(crate) fn len(&self) -> usize {
        self.memories.len()
    }

    fn current(&mut self, key: u64, now: u64) -> Option<&mut Memory> {
        self.memories
            .iter_mut()
            .find(|memory| memory.key == key && now < memory.deadline)
    }
}
