//! Runs a scenario on a copy of the protocol under loom, and judges what happened.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use loom::sync::atomic::{AtomicU64, Ordering};

use crate::check::check;
use crate::history::{Call, History};
use crate::scenario::{Counters, Key, Op, OpCall, Scenario, TTL};
use crate::setup::{self, Doomed, FINGERPRINTS, Lock, Setup, Subject};
use crate::spec::{Rest, Spec, Step};
use crate::sync::{self, Cell, Places, Watch};

const NANOS_PER_MILLI: u64 = 1_000_000;

/// Which order of calls a legal order of steps must keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeping {
    /// A call that had returned when another was invoked comes before it, on whichever thread. Taking
    /// the time synchronises the threads.
    RealTime,
    /// Each thread's own calls in their order. Recording adds no synchronisation: this is where
    /// orderings that are too weak show.
    ProgramOrder,
}

/// A compiled copy of the protocol.
#[derive(Clone, Copy)]
pub(crate) struct Copy {
    pub(crate) build: fn(Setup) -> Arc<dyn Subject>,
}

/// Explores `scenario` on the protocol as shipped, and returns the number of interleavings.
///
/// # Panics
/// As [`check`]; and when a history has no legal order, or an invariant does not hold.
pub fn run(scenario: &Scenario, lock: Lock, keeping: Keeping) -> usize {
    let shipped = Copy {
        build: crate::subject::build,
    };
    run_on(shipped, scenario, lock, keeping)
}

pub(crate) fn run_on(copy: Copy, scenario: &Scenario, lock: Lock, keeping: Keeping) -> usize {
    let name = format!("{} [{lock:?}, {keeping:?}]", scenario.name);
    let plan = Arc::new(Plan::of(scenario));
    let accepted = Mutex::new(HashSet::new());
    check(&name, move || {
        let history = execute(copy, &plan, lock, keeping);
        let mut accepted = accepted.lock().expect("a panic ends the exploration");
        if accepted.contains(&history) {
            return;
        }
        assert!(
            history.is_linearizable(plan.spec.clone()),
            "not linearizable: {}: {history}",
            plan.scenario.name
        );
        accepted.insert(history);
    })
}

/// A scenario, and what all its interleavings share.
struct Plan {
    scenario: Scenario,
    last: Vec<Op>,
    /// Nanoseconds.
    times: Vec<u64>,
    spec: Spec,
}

impl Plan {
    fn of(scenario: &Scenario) -> Self {
        let times = scenario.times().into_iter();
        Plan {
            scenario: scenario.clone(),
            last: scenario.last(),
            times: times.map(|time| time * NANOS_PER_MILLI).collect(),
            spec: Spec::new(
                scenario.limit,
                TTL * NANOS_PER_MILLI,
                scenario.renewal_step * NANOS_PER_MILLI,
            ),
        }
    }
}

/// One interleaving.
fn execute(copy: Copy, plan: &Arc<Plan>, lock: Lock, keeping: Keeping) -> History {
    let scenario = &plan.scenario;
    let table = Arc::new(Table::new(copy, scenario, lock, keeping));
    let before = scenario.first.iter().map(|op| table.call(op)).collect();
    let handles: Vec<_> = (0..scenario.threads.len())
        .map(|seat| {
            let (table, plan) = (Arc::clone(&table), Arc::clone(plan));
            loom::thread::spawn(move || {
                sync::sit(seat);
                let ops = plan.scenario.threads[seat].iter();
                ops.map(|op| table.call(op)).collect::<Vec<_>>()
            })
        })
        .collect();
    let mut threads: Vec<Vec<Call>> = handles
        .into_iter()
        .map(|handle| handle.join().expect("a panic ends the exploration"))
        .collect();
    allow_slack(scenario, &mut threads);
    let mut after: Vec<Call> = plan.last.iter().map(|op| table.call(op)).collect();
    after.push(table.rest(plan));
    History {
        before,
        threads,
        after,
    }
}

/// `len` may be off by the calls in flight beside it.
fn allow_slack(scenario: &Scenario, threads: &mut [Vec<Call>]) {
    let mut changing = Vec::new();
    for (thread, ops) in scenario.threads.iter().enumerate() {
        for (op, call) in ops.iter().zip(&threads[thread]) {
            if op.changes_len() {
                changing.push((thread, call.invoked, call.returned));
            }
        }
    }
    for (own, calls) in threads.iter_mut().enumerate() {
        for call in calls {
            let (invoked, returned) = (call.invoked, call.returned);
            for step in &mut call.steps {
                if let Step::Len { slack, .. } = step {
                    let beside = changing.iter().filter(|&&(thread, begin, end)| {
                        thread != own && begin <= returned && invoked <= end
                    });
                    *slack = beside.count() as u64;
                }
            }
        }
    }
}

impl Counters {
    /// What the counters start at.
    fn base(self) -> u16 {
        match self {
            Counters::Apart | Counters::Shared | Counters::Tagged => 0,
            Counters::NearlyFull => u16::from(u8::MAX) - 1,
        }
    }

    /// How many there are, and how keys map to them.
    fn cells(self) -> (usize, Cell) {
        match self {
            // The low three bits of the fingerprint, and the highest as a carry.
            Counters::Apart => (
                8,
                Cell {
                    multiplier: (1 << 61) | 1,
                    shift: 61,
                },
            ),
            // Counters by the fourth bit of the fingerprint, tags by the three below.
            Counters::Tagged => (
                2,
                Cell {
                    multiplier: (1 << 60) | 1,
                    shift: 63,
                },
            ),
            // The highest bit of the fingerprint, and the eight below, which are all zero.
            Counters::Shared | Counters::NearlyFull => (
                2,
                Cell {
                    multiplier: 1,
                    shift: 63,
                },
            ),
        }
    }
}

/// The table under test, with what records and watches it.
struct Table {
    subject: Arc<dyn Subject>,
    watch: Arc<Watch>,
    places: Places,
    limit: u64,
    /// Ticks at every invocation and return, or nothing where only program order counts.
    clock: Option<AtomicU64>,
}

impl Table {
    fn new(copy: Copy, scenario: &Scenario, lock: Lock, keeping: Keeping) -> Self {
        let (count, cell) = scenario.counters.cells();
        let cells = sync::zeroed_cells(count, scenario.counters.base());
        let watch = Arc::new(Watch::new(scenario.limit, Arc::clone(&cells), cell));
        let places = Places::new(scenario.limit);
        let subject = (copy.build)(Setup {
            limit: scenario.limit,
            ttl: TTL * NANOS_PER_MILLI,
            renewal_step: scenario.renewal_step * NANOS_PER_MILLI,
            lock,
            threads: scenario.threads.len().max(1),
            multiplier: cell.multiplier,
            cells,
            places: places.clone(),
            watch: Arc::clone(&watch),
        });
        Table {
            subject,
            watch,
            places,
            limit: scenario.limit,
            clock: (keeping == Keeping::RealTime).then(|| AtomicU64::new(1)),
        }
    }

    fn tick(&self) -> Option<u64> {
        // AcqRel, so that real-time order is also what the memory model calls happens-before.
        self.clock
            .as_ref()
            .map(|clock| clock.fetch_add(1, Ordering::AcqRel))
    }

    fn call(&self, op: &Op) -> Call {
        let invoked = self.tick().unwrap_or(0);
        let (steps, in_order) = self.steps(op);
        let returned = self.tick().unwrap_or(u64::MAX);
        Call {
            steps,
            in_order,
            invoked,
            returned,
        }
    }

    /// Makes the call and returns the atomic steps that it consists of.
    fn steps(&self, op: &Op) -> (Vec<Step>, bool) {
        let now = op.now * NANOS_PER_MILLI;
        let steps = match op.call {
            OpCall::Remember { key, channel, ttl } => vec![self.remember(key, channel, ttl, now)],
            OpCall::Recall { ref chain, renew } => self.recall(chain, now, renew),
            OpCall::Forget(Key(key)) => vec![Step::Forget {
                key,
                now,
                found: self.subject.forget(FINGERPRINTS[key], now),
            }],
            OpCall::ForgetChannel(channel) => {
                return (self.sweep(Doomed::Of(channel), now), false);
            }
            OpCall::Purge => return (self.sweep(Doomed::Expired, now), false),
            OpCall::Clear => return (self.sweep(Doomed::All, now), false),
            OpCall::Len => vec![Step::Len {
                value: self.subject.len(),
                slack: 0,
            }],
        };
        (steps, true)
    }

    fn remember(&self, Key(key): Key, channel: u32, ttl: Option<u64>, now: u64) -> Step {
        let ttl = ttl.map(|ttl| ttl * NANOS_PER_MILLI);
        let mut inserting = false;
        let wrote = self
            .subject
            .remember(FINGERPRINTS[key], channel, ttl, now, &mut |current| {
                assert!(
                    sync::inside_a_shard(),
                    "the witness is told under the shard's lock"
                );
                if !current {
                    inserting = true;
                    self.watch.insertion_begins();
                }
            });
        if inserting {
            self.watch.insertion_ends();
        }
        Step::Remember {
            key,
            channel,
            ttl,
            now,
            wrote,
        }
    }

    /// A walk is a sequence of probes: misses down to the link that answered.
    fn recall(&self, chain: &[Key], now: u64, renew: bool) -> Vec<Step> {
        let fingerprints: Vec<u64> = chain.iter().map(|&Key(key)| FINGERPRINTS[key]).collect();
        let (found, probes) = self.subject.recall(&fingerprints, now, renew);
        let looked_at = found.map_or(chain.len(), |(_, link)| chain.len() - link);
        assert_eq!(probes, looked_at, "a walk counts the links it looked at");
        (0..chain.len())
            .rev()
            .take(probes)
            .map(|at| Step::Probe {
                key: chain[at].0,
                now,
                renew,
                found: found
                    .filter(|&(_, link)| link == at)
                    .map(|(channel, _)| channel),
            })
            .collect()
    }

    /// A sweep is one step per fingerprint, in any order.
    fn sweep(&self, doomed: Doomed, now: u64) -> Vec<Step> {
        let told = self.subject.sweep(doomed, now);
        (0..FINGERPRINTS.len())
            .map(|key| Step::Sweep {
                key,
                doomed,
                now,
                told: told.contains(&setup::map_key(key)),
            })
            .collect()
    }

    /// Checks the invariants at rest and returns what is held as a last step.
    fn rest(&self, plan: &Plan) -> Call {
        let times = &plan.times;
        let held = self.subject.at_rest(times);
        for memory in &held {
            assert!(!memory.evicted, "I9: at rest an evicted memory is left");
            assert_eq!(
                self.places.at_rest(memory.number % self.limit),
                memory.key,
                "I6: at rest a memory is not in its place"
            );
        }
        assert!(
            held.len() as u64 <= self.limit,
            "I9: at rest more memories than the limit"
        );
        self.watch
            .check_filter_at_rest(plan.scenario.counters.base());
        let memories = held
            .iter()
            .map(|memory| Rest {
                key: setup::index_of(memory.key),
                number: memory.number,
                // A memory that has no such time contradicts itself.
                alive: times[memory.outlives.saturating_sub(1)],
                dead: times.get(memory.outlives).copied().unwrap_or(0),
            })
            .collect();
        Call {
            steps: vec![Step::Rest(memories)],
            in_order: true,
            invoked: 0,
            returned: u64::MAX,
        }
    }
}
