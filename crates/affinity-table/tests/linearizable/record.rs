//! Playing plans with real threads, and writing down what each call saw and when.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use affinity_table::{At, Table};
use quanta::{Clock, Instant};

use crate::gate::Gate;
use crate::plan::{Call, Plan, TTL};
use crate::spec::Step;

/// A step, and the call that it is of: from before it began until after it ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timed {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) step: Step,
}

/// What happened, for each thread in its own order. The last one set up before the others began and
/// read what was left after they had ended.
#[derive(Debug)]
pub(crate) struct History {
    pub(crate) threads: Vec<Vec<Timed>>,
}

impl History {
    /// Whether any two calls of different threads ran at once.
    pub(crate) fn overlaps(&self) -> bool {
        let with_thread = self.threads.iter().enumerate();
        let calls: Vec<(usize, &Timed)> = with_thread
            .flat_map(|(thread, calls)| calls.iter().map(move |timed| (thread, timed)))
            .collect();
        calls.iter().any(|(thread, a)| {
            let others = calls.iter().filter(|(other, _)| other != thread);
            others
                .into_iter()
                .any(|(_, b)| a.start < b.end && b.start < a.end)
        })
    }
}

/// Whether calls are timed against each other.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Clocked {
    /// By a counter that all threads increment: the order is exact, but the counter is one more
    /// thing that synchronises them.
    Ticks,
    /// Not at all; only before, during and after the race are told apart.
    No,
}

/// What plans are played on.
pub(crate) trait Subject: Sync {
    fn remember(&self, key: u64, channel: u32, ttl: u64, now: u64);
    /// The channel and the index of the link that hit.
    fn recall(&self, chain: &[u64], now: u64) -> Option<(u32, usize)>;
    fn peek(&self, key: u64, now: u64) -> Option<u32>;
    fn forget(&self, key: u64, now: u64) -> Option<u32>;
    fn len(&self) -> usize;
}

/// The table that ships.
pub(crate) struct Shipped {
    table: Table<u32>,
    start: Instant,
}

impl Shipped {
    pub(crate) fn new(limit: u64) -> Self {
        let (clock, _) = Clock::mock();
        let start = clock.now();
        let table = Table::builder()
            .limit(limit as usize)
            .ttl(Duration::from_millis(TTL))
            .clock(clock)
            .shards(2)
            .build();
        Shipped { table, start }
    }

    fn at(&self, now: u64) -> At<'_, u32> {
        self.table.at(self.start + Duration::from_millis(now))
    }
}

impl Subject for Shipped {
    fn remember(&self, key: u64, channel: u32, ttl: u64, now: u64) {
        match ttl {
            TTL => self.at(now).remember(&[key], channel),
            _ => self
                .at(now)
                .remember_for(&[key], channel, Duration::from_millis(ttl)),
        }
    }

    fn recall(&self, chain: &[u64], now: u64) -> Option<(u32, usize)> {
        let found = self.at(now).lookup(chain)?;
        Some((found.channel, found.link))
    }

    fn peek(&self, key: u64, now: u64) -> Option<u32> {
        self.at(now).peek(&[key])
    }

    fn forget(&self, key: u64, now: u64) -> Option<u32> {
        self.at(now).forget(&[key])
    }

    fn len(&self) -> usize {
        self.table.len()
    }
}

/// One plan on its way to becoming a history.
struct Stage<S> {
    subject: S,
    gate: Gate,
    ticks: AtomicU64,
    /// The last thread of the history, so far.
    around: Vec<Timed>,
}

/// Plays all plans, one after the other, on the same threads: as many as the first plan has.
pub(crate) fn record<S: Subject>(
    plans: &[Plan],
    clocked: Clocked,
    subject: impl Fn(u64) -> S,
) -> Vec<History> {
    let threads = plans.first().map_or(0, |plan| plan.threads.len());
    let mut stages: Vec<Stage<S>> = plans
        .iter()
        .map(|plan| {
            let subject = subject(plan.limit);
            let around = plan.setup.iter().flat_map(|call| play(call, &subject));
            let around = around
                .map(|step| Timed {
                    start: 0,
                    end: 0,
                    step,
                })
                .collect();
            let (gate, ticks) = (Gate::new(threads), AtomicU64::new(1));
            Stage {
                subject,
                gate,
                ticks,
                around,
            }
        })
        .collect();

    let mut raced: Vec<_> = thread::scope(|scope| {
        let running: Vec<_> = (0..threads)
            .map(|thread| {
                let stages = &stages;
                scope.spawn(move || -> Vec<Vec<Timed>> {
                    let stages = plans.iter().zip(stages);
                    stages
                        .map(|(plan, stage)| race(&plan.threads[thread], stage, clocked))
                        .collect()
                })
            })
            .collect();
        let raced = running
            .into_iter()
            .map(|thread| thread.join().expect("a recorded thread"));
        raced.map(Vec::into_iter).collect()
    });

    plans
        .iter()
        .zip(&mut stages)
        .map(|(plan, stage)| {
            let mut threads: Vec<_> = raced
                .iter_mut()
                .map(|thread| thread.next().expect("a history for each plan"))
                .collect();
            stage.around.extend(left(plan, &stage.subject));
            threads.push(std::mem::take(&mut stage.around));
            History { threads }
        })
        .collect()
}

/// One thread's part of one history.
fn race<S: Subject>(calls: &[Call], stage: &Stage<S>, clocked: Clocked) -> Vec<Timed> {
    let tick = |unclocked| match clocked {
        // AcqRel: what came before a tick is seen by whoever has a later one.
        Clocked::Ticks => stage.ticks.fetch_add(1, Ordering::AcqRel),
        Clocked::No => unclocked,
    };
    let mut timed = Vec::with_capacity(2 * calls.len());
    stage.gate.pass();
    for call in calls {
        let start = tick(1);
        let steps = play(call, &stage.subject);
        let end = tick(u64::MAX - 1);
        timed.extend(steps.into_iter().map(|step| Timed { start, end, step }));
    }
    timed
}

/// Makes one call and tells the steps that it was: one for each link that a walk looked at.
fn play(call: &Call, subject: &impl Subject) -> Vec<Step> {
    match *call {
        Call::Remember {
            key,
            channel,
            ttl,
            now,
        } => {
            subject.remember(key, channel, ttl, now);
            vec![Step::Remember {
                key,
                channel,
                ttl,
                now,
            }]
        }
        Call::Recall { ref chain, now } => {
            let found = subject.recall(chain, now);
            let looked_at = chain.iter().enumerate().rev();
            looked_at
                .take_while(|&(link, _)| found.is_none_or(|(_, hit)| hit <= link))
                .map(|(link, &key)| {
                    let saw = found
                        .filter(|&(_, hit)| hit == link)
                        .map(|(channel, _)| channel);
                    Step::Probe {
                        key,
                        now,
                        renews: true,
                        saw,
                    }
                })
                .collect()
        }
        Call::Peek { key, now } => {
            let saw = subject.peek(key, now);
            vec![Step::Probe {
                key,
                now,
                renews: false,
                saw,
            }]
        }
        Call::Forget { key, now } => {
            let saw = subject.forget(key, now);
            vec![Step::Forget { key, now, saw }]
        }
    }
}

/// What the table holds after the race, and until when.
fn left(plan: &Plan, subject: &impl Subject) -> Vec<Timed> {
    let times = [0, 9, 10, 14, 15, 19, 20, 21, 22, 24, 25, 31, 32];
    (1..=plan.keys)
        .flat_map(|key| times.map(|now| Call::Peek { key, now }))
        .flat_map(|peek| play(&peek, subject))
        .chain([Step::Len { saw: subject.len() }])
        .map(|step| Timed {
            start: u64::MAX,
            end: u64::MAX,
            step,
        })
        .collect()
}
