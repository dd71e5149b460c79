//! New fingerprints only, so that every call is an insertion and the whole log can be told from
//! outside: while it is written by the promises, at rest by the order in which memories are evicted.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use affinity_table::Table;
use rand::RngExt;

use crate::counted::{Counted, Population};
use crate::promise::{Due, Insertions, Made};
use crate::round::{Round, Seen};

const CALLS: u64 = 400;
/// Nobody has published yet.
const NOTHING: u64 = u64::MAX;

fn fingerprint(thread: usize, index: u64) -> u64 {
    ((thread as u64 + 1) << 32) | index
}

pub(crate) fn play(round: &Round) -> Seen {
    let population = Population::default();
    let table: Table<Counted> = Table::builder()
        .limit(round.limit)
        .ttl(Duration::MAX)
        .shards(round.shards)
        .build();
    let insertions = Insertions::default();
    let slots: Vec<AtomicU64> = (0..round.threads)
        .map(|_| AtomicU64::new(NOTHING))
        .collect();

    let mut beyond = 0;
    let (threads, samples) = round.race(
        |thread| write(round, &table, &population, &insertions, &slots, thread),
        || {
            assert!(table.len() <= round.limit, "len above the limit");
            // What its last look returned, or a second memory taken out (I7).
            beyond = beyond.max(round.beyond(population.count(), 1));
        },
    );

    let promises = threads.iter().map(|&(_, kept)| kept).sum();
    let log: Vec<Vec<Made>> = threads.into_iter().map(|(made, _)| made).collect();
    at_rest(round, &table, &population, &log);
    drop(table);
    assert_eq!(population.count(), 0, "the table kept a channel");
    Seen {
        calls: 3 * CALLS * round.threads as u64,
        promises,
        samples,
        beyond,
    }
}

/// One thread's insertions, and how many promises it saw kept.
fn write(
    round: &Round,
    table: &Table<Counted>,
    population: &Population,
    insertions: &Insertions,
    slots: &[AtomicU64],
    thread: usize,
) -> (Vec<Made>, u64) {
    let mut rng = round.rng(thread);
    let mut log: Vec<Made> = Vec::with_capacity(CALLS as usize);
    let mut promises = 0;
    let mut expect = |owner: usize, index: u64, made: Made| {
        let fingerprint = fingerprint(owner, index);
        let (found, due) = insertions.judge(made, round.limit, || {
            table.recall(&[fingerprint]).map(|c| c.fingerprint)
        });
        match due {
            Due::Hit => assert_eq!(found, Some(fingerprint), "lost before its time"),
            Due::Miss => assert_eq!(found, None, "recalled after its time"),
            Due::Either => assert!(found.is_none_or(|found| found == fingerprint)),
        }
        promises += u64::from(due != Due::Either);
    };
    for index in 0..CALLS {
        let channel = population.channel(fingerprint(thread, index), 0);
        let made = insertions.make(|| table.remember(&[fingerprint(thread, index)], channel));
        log.push(made);
        // Release, with the Acquire below: who knows of an insertion sees that it has returned.
        slots[thread].store(made.published(index), Ordering::Release);

        // Mostly the newest; the square of a uniform number favours them.
        let back = (rng.random::<f64>().powi(2) * 2.0 * round.limit as f64) as u64;
        let back = back.min(index);
        expect(thread, index - back, log[(index - back) as usize]);

        let neighbour = rng.random_range(0..round.threads);
        let slot = slots[neighbour].load(Ordering::Acquire);
        if slot != NOTHING {
            let (index, made) = Made::from_published(slot);
            expect(neighbour, index, made);
        }
    }
    (log, promises)
}

/// Evicts what is left, one memory after the other, and compares the order with what the threads saw.
fn at_rest(round: &Round, table: &Table<Counted>, population: &Population, log: &[Vec<Made>]) {
    let made = CALLS * round.threads as u64;
    let limit = round.limit as u64;
    let stats = table.stats();
    assert_eq!(stats.insertions, made);
    assert_eq!(stats.evictions, made - limit);
    assert_eq!(stats.renewals + stats.expiries, 0);
    assert_eq!(table.len(), round.limit);
    assert_eq!(population.count(), limit);

    let mut left: VecDeque<(usize, u64)> = (0..round.threads)
        .flat_map(|thread| (0..CALLS).map(move |index| (thread, index)))
        .filter(|&(thread, index)| table.peek(&[fingerprint(thread, index)]).is_some())
        .collect();
    assert_eq!(
        left.len(),
        round.limit,
        "the last `limit` insertions are remembered"
    );

    let mut order = Vec::with_capacity(round.limit);
    for extra in 0..limit {
        let fresh = fingerprint(round.threads, extra);
        table.remember(&[fresh], population.channel(fresh, 0));
        let before = left.len();
        left.retain(|&(thread, index)| {
            let kept = table.peek(&[fingerprint(thread, index)]).is_some();
            if !kept {
                order.push((thread, index));
            }
            kept
        });
        assert_eq!(left.len(), before - 1, "one insertion evicts one memory");
        assert_eq!(table.len(), round.limit);
        assert_eq!(population.count(), limit);
    }

    for (place, &(thread, index)) in order.iter().enumerate() {
        let made = log[thread][index as usize];
        for &(other_thread, other_index) in &order[place + 1..] {
            let newer = log[other_thread][other_index as usize];
            assert!(
                newer.announced_after > made.ticket,
                "evicted in another order than inserted"
            );
        }
    }
}
