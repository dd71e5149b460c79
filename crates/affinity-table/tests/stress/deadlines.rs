//! A real clock and a ttl that is over before the round is: each thread reads the clock around its
//! calls and so knows when its memories have to be alive and when they have to be dead.

use std::time::Duration;

use affinity_table::Table;
use quanta::{Clock, Instant};
use rand::RngExt;

use crate::counted::{Counted, Population};
use crate::promise::{Due, Insertions, Made};
use crate::round::{Round, Seen};

const MEMORIES: u64 = 60;
const TTL: Duration = Duration::from_micros(200);

/// A thread's last memory, as it knows it.
struct Held {
    fingerprint: u64,
    made: Made,
    /// The last call that renewed it read the clock between these.
    renewed: (Instant, Instant),
}

pub(crate) fn play(round: &Round) -> Seen {
    let clock = Clock::new();
    let population = Population::default();
    let table: Table<Counted> = Table::builder()
        .limit(round.limit)
        .ttl(TTL)
        .clock(clock.clone())
        .shards(round.shards)
        .build();
    let insertions = Insertions::default();

    let mut beyond = 0;
    let (threads, samples) = round.race(
        |thread| write(round, &table, &population, &insertions, &clock, thread),
        || {
            assert!(table.len() <= round.limit, "len above the limit");
            beyond = beyond.max(round.beyond(population.count(), 1));
        },
    );

    // Past every deadline there is.
    let later = clock.now() + 2 * TTL;
    let held = table.len();
    assert_eq!(population.count(), held as u64);
    assert_eq!(
        table.at(later).purge(),
        held,
        "all that is left has expired"
    );
    assert_eq!((table.len(), population.count()), (0, 0));
    let mut seen = Seen {
        samples,
        beyond,
        ..Seen::default()
    };
    threads.iter().for_each(|of_thread| seen.add(of_thread));
    seen
}

fn write(
    round: &Round,
    table: &Table<Counted>,
    population: &Population,
    insertions: &Insertions,
    clock: &Clock,
    thread: usize,
) -> Seen {
    let mut rng = round.rng(thread);
    let mut seen = Seen::default();
    for index in 0..MEMORIES {
        let fingerprint = ((thread as u64 + 1) << 32) | index;
        let before = clock.now();
        let channel = population.channel(fingerprint, 0);
        seen.calls += 1;
        let made = insertions.make(|| table.remember(&[fingerprint], channel));
        let mut held = Held {
            fingerprint,
            made,
            renewed: (before, clock.now()),
        };
        // As long as it answers: mostly a while less than the ttl, sometimes more.
        loop {
            let until = clock.now() + TTL.mul_f64(rng.random_range(0.0..0.6));
            let asleep = rng.random_ratio(1, 8);
            while !asleep && clock.now() < until {
                std::thread::yield_now();
            }
            if asleep {
                std::thread::sleep(TTL);
            }
            let (found, decided) = look(round, table, insertions, clock, &mut held);
            seen.calls += 1;
            seen.promises += u64::from(decided);
            if !found {
                break;
            }
        }
    }
    seen
}

/// Whether the memory was found, and whether it had to be, or had to be missing.
fn look(
    round: &Round,
    table: &Table<Counted>,
    insertions: &Insertions,
    clock: &Clock,
    held: &mut Held,
) -> (bool, bool) {
    let (renewed_from, renewed_to) = held.renewed;
    let before = clock.now();
    let (found, due) =
        insertions.judge(held.made, round.limit, || table.recall(&[held.fingerprint]));
    let after = clock.now();
    let alive = after < renewed_from + TTL;
    let dead = before >= renewed_to + TTL;
    if alive && due == Due::Hit {
        assert!(found.is_some(), "lost before its time");
    }
    if dead || due == Due::Miss {
        assert!(found.is_none(), "recalled after its time");
    }
    held.renewed = (before, after);
    let decided = alive && due == Due::Hit || dead || due == Due::Miss;
    (found.is_some(), decided)
}
