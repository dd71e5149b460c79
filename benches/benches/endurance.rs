//! Does the table stay as fast as it is on its first day?
//!
//! Two questions, each answered within one run and by ratios, since a machine's speed changes more
//! from run to run than what is looked for:
//!
//! * *Laps.* Does an insertion cost more the longer the ring has been full? Two threads, limit
//!   100,000, five laps: at most 1.3 times the first lap. But the first lap only inserts, while every
//!   later insertion also takes a memory out of another shard, so it is no measure of a ring that
//!   degrades. Lap 2 is: it evicts as all later ones do, and so both ratios are given.
//! * *Hostile keys.* Do fingerprints that share 32 bits, or a single hot one, find a shard, a filter
//!   counter or a place of the ring that degrades? Ten million distinct ones at limit 1,000, on one
//!   thread and on two. At most 3 times random ones.
//!
//! `cargo bench -p benches --bench endurance`. Not criterion's: it compares a bench with its own past,
//! not with its neighbour, and knows no lap. All cases take turns in rounds, and the
//! least disturbed round of each counts.
//!
//! Conclusion: hostile keys cost what random ones cost. Lap after lap costs what lap 2 did: the ring does
//! not degrade. Above lap 1 it is by what evicting costs: 1.3 at limit 10,000 and 1.4 times at limit
//! 100,000, most of it waiting for memory (docs/table-protocol.md, "Real threads").

use std::hint::black_box;
use std::time::Duration;

use affinity_table::Table;
use benches::threads;

#[path = "../../crates/affinity-table/tests/support/hostile.rs"]
mod hostile;

use hostile::Pattern;

const ROUNDS: usize = 10;

fn table(limit: usize) -> Table<u32> {
    Table::new(limit, Duration::from_secs(3_600))
}

/// Runs `work(thread, i)` for `i` in `0..calls / threads` on each of the threads; nanoseconds of the
/// slowest over the calls of all.
fn wall(threads: usize, calls: u64, work: impl Fn(u64, u64) + Sync) -> f64 {
    let mut lanes: Vec<u64> = (0..threads as u64).collect();
    let share = calls / threads as u64;
    let time = threads::slowest(&mut lanes, |&mut lane| {
        (0..share).for_each(|i| work(lane, i));
    });
    time.as_nanos() as f64 / (share * threads as u64) as f64
}

/// As [`wall`], but the processor time of all threads over the calls of all: what a call costs
/// whatever else the machine does.
fn cost(threads: usize, calls: u64, work: impl Fn(u64, u64) + Sync) -> f64 {
    let mut lanes: Vec<(u64, Duration)> = (0..threads as u64)
        .map(|lane| (lane, Duration::ZERO))
        .collect();
    let share = calls / threads as u64;
    threads::slowest(&mut lanes, |(lane, time)| {
        *time = threads::alone(|| (0..share).for_each(|i| work(*lane, i)));
    });
    let time: Duration = lanes.iter().map(|(_, time)| time).sum();
    time.as_nanos() as f64 / (share * threads as u64) as f64
}

/// Other programs only ever add.
fn least(of: &[f64]) -> f64 {
    of.iter().copied().fold(f64::INFINITY, f64::min)
}

fn laps(limit: u64, rounds: u64) {
    const LAPS: usize = 5;
    let mut times = vec![Vec::new(); LAPS];
    for round in 0..rounds {
        let table = table(limit as usize);
        for (lap, times) in times.iter_mut().enumerate() {
            let start = (round * LAPS as u64 + lap as u64) * limit;
            times.push(cost(2, limit, |lane, i| {
                table.remember(&[Pattern::Random.fingerprint(start + 2 * i + lane)], 1);
            }));
        }
        assert_eq!(table.stats().insertions, LAPS as u64 * limit);
        assert_eq!(table.len() as u64, limit);
    }
    let least: Vec<f64> = times.iter().map(|times| least(times)).collect();
    println!("laps of {limit} insertions, 2 threads, processor time");
    for (lap, ns) in least.iter().enumerate() {
        let (first, evicting) = (ns / least[0], ns / least[1]);
        println!(
            "  lap {}  {ns:6.0} ns  {first:5.2} x lap 1  {evicting:5.2} x lap 2",
            lap + 1
        );
    }
    let worst = |from: usize| {
        let of_laps = least[from..].iter().copied();
        of_laps.fold(0.0, f64::max) / least[from - 1]
    };
    println!(
        "  the slowest of laps 2 to 5: {:4.2} x lap 1, which evicts nothing",
        worst(1)
    );
    println!(
        "  the slowest of laps 3 to 5: {:4.2} x lap 2, the first that evicts",
        worst(2)
    );
}

/// The calls of an attack.
#[derive(Clone, Copy)]
enum Call {
    /// A fingerprint never seen before.
    Insert,
    /// One of the last `limit / 2`.
    Hit,
    /// One that nobody has remembered.
    Miss,
    /// Remembered again.
    Renew,
}

const CALLS: [(Call, &str); 4] = [
    (Call::Insert, "insert"),
    (Call::Hit, "hit"),
    (Call::Miss, "miss"),
    (Call::Renew, "renew"),
];

/// One pattern's table, and how far its insertions have come.
struct Attack {
    pattern: Pattern,
    table: Table<u32>,
    made: u64,
}

const LIMIT: u64 = 1_000;

impl Attack {
    fn new(pattern: Pattern) -> Self {
        let (table, made) = (table(LIMIT as usize), 0);
        Attack {
            pattern,
            table,
            made,
        }
    }

    fn time(&mut self, call: Call, threads: usize, calls: u64) -> f64 {
        let (table, pattern, made) = (&self.table, self.pattern, self.made);
        let recent = |i: u64| pattern.fingerprint(made - 1 - i % (LIMIT / 2));
        if let Call::Hit | Call::Renew = call {
            // Of two threads that inserted, one may have ended long before the other.
            (0..LIMIT / 2).for_each(|i| table.remember(&[recent(i)], 1));
        }
        match call {
            Call::Insert => {
                self.made += calls;
                wall(threads, calls, |lane, i| {
                    let n = made + threads as u64 * i + lane;
                    table.remember(&[pattern.fingerprint(n)], 1);
                })
            }
            Call::Hit => wall(threads, calls, |_, i| {
                black_box(table.recall(&[recent(i)]));
            }),
            // Never inserted: the other end of the pattern.
            Call::Miss => wall(threads, calls, |_, i| {
                black_box(table.recall(&[pattern.fingerprint((1 << 24) - 1 - i % 1_000_000)]));
            }),
            Call::Renew => wall(threads, calls, |_, i| table.remember(&[recent(i)], 2)),
        }
    }
}

/// One fingerprint, by all threads. `Insert` forgets it first, which is a call more.
fn time_hot(table: &Table<u32>, call: Call, threads: usize, calls: u64) -> f64 {
    const HOT: [u64; 1] = [7];
    match call {
        Call::Insert => wall(threads, calls, |_, _| {
            table.forget(&HOT);
            table.remember(&HOT, 1);
        }),
        Call::Hit => {
            table.remember(&HOT, 1);
            wall(threads, calls, |_, _| {
                black_box(table.recall(&HOT));
            })
        }
        Call::Miss => {
            table.forget(&HOT);
            wall(threads, calls, |_, _| {
                black_box(table.recall(&HOT));
            })
        }
        Call::Renew => wall(threads, calls, |_, _| table.remember(&HOT, 2)),
    }
}

fn hostile(threads: usize, distinct: u64) {
    let calls = distinct / ROUNDS as u64;
    let mut attacks: Vec<Attack> = Pattern::ALL.map(Attack::new).into();
    let hot = table(LIMIT as usize);
    // Per call, per pattern, the hot fingerprint last.
    let mut times = vec![vec![Vec::new(); attacks.len() + 1]; CALLS.len()];
    for _ in 0..ROUNDS {
        for (&(call, _), times) in CALLS.iter().zip(&mut times) {
            for (attack, times) in attacks.iter_mut().zip(&mut *times) {
                times.push(attack.time(call, threads, calls));
            }
            let of_hot = times.last_mut().expect("the hot fingerprint's");
            of_hot.push(time_hot(&hot, call, threads, calls));
        }
    }
    for attack in &attacks {
        assert_eq!(attack.table.len() as u64, LIMIT);
        assert!(attack.table.stats().insertions >= distinct);
    }
    println!("{distinct} distinct fingerprints at limit {LIMIT}, threads: {threads}");
    for ((_, name), times) in CALLS.iter().zip(times) {
        let least: Vec<f64> = times.iter().map(|times| least(times)).collect();
        let names = attacks.iter().map(|attack| format!("{:?}", attack.pattern));
        for (of, ns) in names.chain(["Hot".into()]).zip(&least) {
            println!(
                "  {name:6}  {of:8}  {ns:6.1} ns  {:5.2} x random",
                ns / least[0]
            );
        }
    }
}

fn main() {
    // Without `--bench` it is cargo's test run: once through.
    let (limit, rounds, distinct) = if !std::env::args().any(|argument| argument == "--bench") {
        (1_000, 2, 20_000)
    } else if benches::quick() {
        (100_000, 5, 1_000_000)
    } else {
        (100_000, 20, 10_000_000)
    };
    // The smaller one fits a processor's own cache, and so tells work from waiting for memory.
    laps(limit / 10, rounds);
    laps(limit, rounds);
    for threads in [1, 2] {
        hostile(threads, distinct);
    }
}
