//! Threads with fingerprints, accounts and clocks of their own, in a table that evicts nothing: each
//! must see exactly the table that it would see alone.

use std::collections::BTreeMap;
use std::time::Duration;

use affinity_table::Table;
use quanta::{Clock, Instant};
use rand::RngExt;
use rand_distr::{Distribution, Zipf};

use crate::counted::{Counted, Population};
use crate::round::{Round, Seen};

const CALLS: u64 = 600;
/// Milliseconds.
const TTL: u64 = 10;
const KEYS: u64 = 12;
const ACCOUNTS: u64 = 3;

struct Memory {
    account: u64,
    /// Milliseconds.
    deadline: u64,
    /// Milliseconds.
    ttl: u64,
}

/// One thread's part of the table, as the specification has it. Expired memories stay.
type Model = BTreeMap<u64, Memory>;

pub(crate) fn play(round: &Round) -> Seen {
    let (clock, _) = Clock::mock();
    let start = clock.now();
    let population = Population::default();
    let limit = CALLS as usize * round.threads;
    let table: Table<Counted> = Table::builder()
        .limit(limit)
        .ttl(Duration::from_millis(TTL))
        .clock(clock)
        .shards(round.shards)
        .build();

    let (models, samples) = round.race(
        |thread| write(round, &table, &population, start, thread),
        || {
            let keys = KEYS * round.threads as u64;
            // In each hand two at the most: what comes and what goes.
            assert!(population.count() <= keys + 2 * round.threads as u64);
            assert!(table.len() as u64 <= keys + round.threads as u64);
        },
    );

    let held: usize = models.iter().map(BTreeMap::len).sum();
    assert_eq!(table.len(), held);
    assert_eq!(population.count(), held as u64);
    assert_eq!(table.stats().evictions, 0);
    let calls = CALLS * round.threads as u64;
    Seen {
        calls,
        promises: calls,
        samples,
        beyond: 0,
    }
}

fn write(
    round: &Round,
    table: &Table<Counted>,
    population: &Population,
    start: Instant,
    thread: usize,
) -> Model {
    let mut rng = round.rng(thread);
    let skewed = Zipf::new(KEYS as f64, 1.1).expect("valid parameters");
    let mut model = Model::new();
    let mut now = 0;
    for _ in 0..CALLS {
        now = match rng.random_range(0..10) {
            0 => now + rng.random_range(1..TTL),
            1 => now.saturating_sub(3),
            _ => now,
        };
        let at = table.at(start + Duration::from_millis(now));
        let key = ((thread as u64) << 32) | skewed.sample(&mut rng) as u64;
        let account = thread as u64 * ACCOUNTS + rng.random_range(0..ACCOUNTS);
        let current = model.get_mut(&key).filter(|memory| now < memory.deadline);
        match rng.random_range(0..20) {
            0..8 => {
                let ttl = if rng.random_ratio(1, 4) { 3 * TTL } else { TTL };
                let channel = population.channel(key, account);
                match ttl {
                    TTL => at.remember(&[key], channel),
                    _ => at.remember_for(&[key], channel, Duration::from_millis(ttl)),
                }
                let held_until = current.map_or(0, |memory| memory.deadline);
                let deadline = held_until.max(now + ttl);
                let memory = Memory {
                    account,
                    deadline,
                    ttl,
                };
                model.insert(key, memory);
            }
            8..15 => {
                let found = at.recall(&[key]).map(|channel| channel.account);
                assert_eq!(
                    found,
                    current.as_ref().map(|memory| memory.account),
                    "recall"
                );
                if let Some(memory) = current {
                    memory.deadline = memory.deadline.max(now + memory.ttl);
                }
            }
            15..17 => {
                let found = at.peek(&[key]).map(|channel| channel.account);
                assert_eq!(found, current.map(|memory| memory.account), "peek");
            }
            17..19 => {
                let forgotten = at.forget(&[key]).map(|channel| channel.account);
                assert_eq!(forgotten, current.map(|memory| memory.account), "forget");
                model.remove(&key);
            }
            _ => {
                let forgotten = at.forget_channel(&population.channel(key, account));
                let of_account = |memory: &Memory| memory.account == account;
                let expected = model
                    .values()
                    .filter(|memory| of_account(memory) && now < memory.deadline)
                    .count();
                assert_eq!(forgotten, expected, "forget_channel");
                model.retain(|_, memory| !of_account(memory));
            }
        }
    }
    model
}
