//! Sequences of operations against a naive model of the specification: a log and a scan.

use std::time::Duration;

use affinity_table::Table;
use proptest::prelude::*;
use quanta::Clock;

/// Seconds; what a memory lives for unless told otherwise.
const TTL: u64 = 10;

#[derive(Clone, Debug)]
enum Op {
    Remember(Vec<u64>, u32),
    RememberFor(Vec<u64>, u32, u64),
    Recall(Vec<u64>),
    Peek(Vec<u64>),
    Forget(Vec<u64>),
    ForgetChannel(u32),
    Forward(u64),
    Backward(u64),
    Purge,
    Clear,
}

/// One line of the log. Its index there is its number.
struct Insertion {
    fingerprint: u64,
    channel: u32,
    deadline: u64,
    ttl: u64,
    /// Forgotten, purged, or replaced by a later insertion of its fingerprint.
    gone: bool,
}

struct Model {
    limit: usize,
    now: u64,
    log: Vec<Insertion>,
}

impl Model {
    fn held(&mut self) -> impl Iterator<Item = &mut Insertion> {
        let evicted = self.log.len().saturating_sub(self.limit);
        self.log[evicted..].iter_mut().filter(|memory| !memory.gone)
    }

    fn current(&mut self, fingerprint: u64) -> Option<&mut Insertion> {
        let now = self.now;
        self.held()
            .find(|memory| memory.fingerprint == fingerprint && now < memory.deadline)
    }

    fn remember(&mut self, chain: &[u64], channel: u32, ttl: u64) {
        let Some(&fingerprint) = chain.last() else {
            return;
        };
        if self.limit == 0 {
            return;
        }
        let deadline = self.now + ttl;
        if let Some(memory) = self.current(fingerprint) {
            memory.channel = channel;
            memory.ttl = ttl;
            memory.deadline = memory.deadline.max(deadline);
            return;
        }
        for old in self
            .log
            .iter_mut()
            .filter(|old| old.fingerprint == fingerprint)
        {
            old.gone = true;
        }
        self.log.push(Insertion {
            fingerprint,
            channel,
            deadline,
            ttl,
            gone: false,
        });
    }

    fn recall(&mut self, chain: &[u64], renew: bool) -> Option<(u32, usize)> {
        let now = self.now;
        chain
            .iter()
            .enumerate()
            .rev()
            .find_map(|(link, &fingerprint)| {
                let memory = self.current(fingerprint)?;
                if renew {
                    memory.deadline = memory.deadline.max(now + memory.ttl);
                }
                Some((memory.channel, link))
            })
    }

    fn forget_where(&mut self, chosen: impl Fn(&Insertion) -> bool) -> Vec<u32> {
        let now = self.now;
        self.held()
            .filter(|memory| chosen(memory))
            .filter_map(|memory| {
                memory.gone = true;
                (now < memory.deadline).then_some(memory.channel)
            })
            .collect()
    }

    fn purge(&mut self) -> usize {
        let now = self.now;
        self.held()
            .filter(|memory| memory.deadline <= now)
            .map(|memory| memory.gone = true)
            .count()
    }
}

fn seconds(n: u64) -> Duration {
    Duration::from_secs(n)
}

fn agree(limit: usize, ops: &[Op]) -> Result<(), TestCaseError> {
    let (clock, mock) = Clock::mock();
    let table: Table<u32> = Table::builder()
        .limit(limit)
        .ttl(seconds(TTL))
        .clock(clock)
        .shards(2)
        .build();
    // The anchor is the earliest time a table knows, so the model starts well after it.
    mock.increment(seconds(1_000));
    let mut model = Model {
        limit,
        now: 1_000,
        log: Vec::new(),
    };
    for op in ops {
        match op {
            Op::Remember(chain, channel) => {
                table.remember(chain, *channel);
                model.remember(chain, *channel, TTL);
            }
            Op::RememberFor(chain, channel, ttl) => {
                table.remember_for(chain, *channel, seconds(*ttl));
                model.remember(chain, *channel, *ttl);
            }
            Op::Recall(chain) => {
                let found = table
                    .lookup(chain)
                    .map(|recalled| (recalled.channel, recalled.link));
                prop_assert_eq!(found, model.recall(chain, true));
            }
            Op::Peek(chain) => {
                let expected = model.recall(chain, false).map(|(channel, _)| channel);
                prop_assert_eq!(table.peek(chain), expected);
            }
            Op::Forget(chain) => {
                let expected = chain.last().and_then(|last| {
                    model
                        .forget_where(|memory| memory.fingerprint == *last)
                        .pop()
                });
                prop_assert_eq!(table.forget(chain), expected);
            }
            Op::ForgetChannel(channel) => {
                let expected = model
                    .forget_where(|memory| memory.channel == *channel)
                    .len();
                prop_assert_eq!(table.forget_channel(channel), expected);
            }
            Op::Forward(by) => {
                mock.increment(seconds(*by));
                model.now += by;
            }
            Op::Backward(by) => {
                mock.decrement(seconds(*by));
                model.now -= by;
            }
            Op::Purge => prop_assert_eq!(table.purge(), model.purge()),
            Op::Clear => {
                table.clear();
                model.forget_where(|_| true);
            }
        }
        prop_assert_eq!(table.len(), model.held().count());
    }
    let stats = table.stats();
    prop_assert_eq!(stats.insertions, model.log.len() as u64);
    Ok(())
}

fn chain() -> impl Strategy<Value = Vec<u64>> {
    prop::collection::vec(0_u64..6, 0..4)
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        6 => (chain(), 0_u32..3).prop_map(|(chain, channel)| Op::Remember(chain, channel)),
        2 => (chain(), 0_u32..3, prop::sample::select(vec![0, 1, 3, 10, 40]))
            .prop_map(|(chain, channel, ttl)| Op::RememberFor(chain, channel, ttl)),
        6 => chain().prop_map(Op::Recall),
        2 => chain().prop_map(Op::Peek),
        2 => chain().prop_map(Op::Forget),
        1 => (0_u32..3).prop_map(Op::ForgetChannel),
        4 => (0_u64..12).prop_map(Op::Forward),
        1 => (0_u64..5).prop_map(Op::Backward),
        1 => Just(Op::Purge),
        1 => Just(Op::Clear),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn any_sequence_agrees_with_the_model(
        limit in prop::sample::select(vec![0_usize, 1, 2, 3, 8]),
        ops in prop::collection::vec(op(), 0..60),
    ) {
        agree(limit, &ops)?;
    }
}
