//! Runs a table for as long as it is told, and watches what it promises: the bound, each thread's own
//! last memory, the counts, and resident memory that does not grow.
//!
//! ```text
//! cargo run --release -p affinity-table --example soak -- --seconds 60
//! ```
//!
//! Prints a line every second; exits non-zero when anything breaks.

use std::fmt;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use affinity_table::Table;
use clap::Parser;
use crossbeam_utils::CachePadded;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

#[path = "../tests/support/counted.rs"]
mod counted;

use counted::{Counted, Population};

/// Soaks a table in conversations and watches that it keeps its promises.
#[derive(Parser)]
struct Args {
    /// How long to run.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Threads that route conversations.
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Most memories in the table.
    #[arg(long, default_value_t = 100_000)]
    limit: usize,
}

/// Conversations that a thread has open at a time.
const CONVERSATIONS: usize = 1_000;
/// The links that a turn adds: a question and an answer.
const TURN: usize = 2;
/// At this many links a conversation ends and another one begins.
const LONGEST: usize = 24;
const ACCOUNTS: u64 = 16;
const TTL: Duration = Duration::from_secs(2);
/// The part of the time after which a table has grown to what it needs.
const WARM_UP: f64 = 0.2;
/// What resident memory may grow by after that.
const GROWTH: f64 = 0.01;

struct Soak {
    table: Table<Counted>,
    population: Population,
    limit: u64,
    stop: AtomicBool,
    /// Each thread's turns, counted before the turn's insertion.
    turns: Box<[CachePadded<AtomicU64>]>,
    /// Memories that were not there although they had to be.
    lost: AtomicU64,
}

impl Soak {
    fn new(args: &Args) -> Self {
        Soak {
            table: Table::new(args.limit, TTL),
            population: Population::default(),
            limit: args.limit as u64,
            stop: AtomicBool::new(false),
            turns: (0..args.threads).map(|_| CachePadded::default()).collect(),
            lost: AtomicU64::new(0),
        }
    }

    fn turns(&self) -> u64 {
        // SeqCst: `keeps` compares two of these sums.
        let turns = self.turns.iter().map(|turns| turns.load(Ordering::SeqCst));
        turns.sum()
    }

    /// One thread's turns until told to stop.
    fn converse(&self, thread: usize) {
        let mut rng = SmallRng::seed_from_u64(thread as u64);
        let mut open: Vec<Vec<u64>> = (0..CONVERSATIONS)
            .map(|_| Vec::with_capacity(LONGEST))
            .collect();
        let mut turn = 0_u64;
        while !self.stop.load(Ordering::Relaxed) {
            // The square of a uniform number: some conversations are busier than others.
            let busy = (rng.random::<f64>().powi(2) * CONVERSATIONS as f64) as usize;
            let chain = &mut open[busy];
            if chain.len() >= LONGEST {
                chain.clear();
            }
            chain.extend((0..TURN).map(|_| rng.random::<u64>()));
            turn += 1;
            self.turns[thread].store(turn, Ordering::SeqCst);
            match turn % 10 {
                0 => self.keeps(chain, || self.take_turn(chain, &mut rng)),
                _ => self.take_turn(chain, &mut rng),
            }
            if turn.is_multiple_of(1_000) {
                self.table.forget(chain);
            }
        }
    }

    fn take_turn(&self, chain: &[u64], rng: &mut SmallRng) {
        let account = match self.table.recall(chain) {
            Some(channel) => channel.account,
            None => rng.random_range(0..ACCOUNTS),
        };
        let last = chain[chain.len() - 1];
        self.table
            .remember(chain, self.population.channel(last, account));
    }

    /// Takes a turn and demands that it is remembered, unless the threads have meanwhile made `limit`
    /// insertions or this one was not scheduled for as long as a memory lives.
    fn keeps(&self, chain: &[u64], take_turn: impl FnOnce()) {
        let (began, before) = (Instant::now(), self.turns());
        take_turn();
        let found = self.table.peek(chain).map(|channel| channel.fingerprint);
        // Each thread may have been in the middle of one more.
        let newer = self.turns() - before + self.turns.len() as u64;
        if newer < self.limit && began.elapsed() < TTL && found != chain.last().copied() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// What must hold at any time.
    fn check(&self) -> Result<(), Broken> {
        let held = self.table.len() as u64;
        if held > self.limit {
            return Err(Broken::Bound(held));
        }
        // In the map `limit` and one for each thread; in each hand one or two on their way out.
        let alive = self.population.count();
        if alive > self.limit + 3 * self.turns.len() as u64 {
            return Err(Broken::Bound(alive));
        }
        match self.lost.load(Ordering::Relaxed) {
            0 => Ok(()),
            lost => Err(Broken::Lost(lost)),
        }
    }

    /// What must hold when all threads are done.
    fn check_at_rest(&self) -> Result<(), Broken> {
        self.check()?;
        let (turns, stats) = (self.turns(), self.table.stats());
        let counted = stats.insertions == turns && stats.hits + stats.misses == turns;
        let held = self.table.len() as u64;
        if !counted || self.population.count() != held {
            return Err(Broken::Counts);
        }
        self.table.clear();
        match (self.table.len(), self.population.count()) {
            (0, 0) => Ok(()),
            _ => Err(Broken::Counts),
        }
    }

    /// Prints a line every second, and stops at the first thing that breaks.
    fn watch(&self, seconds: u64) -> Result<(), Broken> {
        let mut turns = 0;
        let mut warm = None;
        for second in 1..=seconds {
            thread::sleep(Duration::from_secs(1));
            self.check()?;
            self.table.purge();
            let (before, resident) = (turns, resident_kib());
            turns = self.turns();
            println!(
                "{second:4} s  {:5.2} M turns/s  {} resident  {}/{} live",
                (turns - before) as f64 / 1e6,
                resident.map_or("?".into(), |kib| format!("{:.2} MiB", kib as f64 / 1024.0)),
                self.table.len(),
                self.limit,
            );
            if second as f64 >= seconds as f64 * WARM_UP {
                let warm = *warm.get_or_insert(resident);
                if let (Some(warm), Some(now)) = (warm, resident)
                    && now as f64 > warm as f64 * (1.0 + GROWTH)
                {
                    return Err(Broken::Growth { warm, now });
                }
            }
        }
        Ok(())
    }
}

enum Broken {
    Bound(u64),
    Lost(u64),
    Counts,
    /// KiB.
    Growth {
        warm: u64,
        now: u64,
    },
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Broken::Bound(held) => write!(f, "{held} memories are more than the limit allows"),
            Broken::Lost(lost) => write!(f, "{lost} memories were lost before their time"),
            Broken::Counts => f.write_str("the counts do not agree at rest"),
            Broken::Growth { warm, now } => {
                write!(
                    f,
                    "resident memory grew from {warm} to {now} KiB after the warm-up"
                )
            }
        }
    }
}

/// Resident memory of this process in KiB, where `/proc` tells.
fn resident_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}

fn main() -> ExitCode {
    let args = Args::parse();
    let soak = Soak::new(&args);
    let watched = thread::scope(|scope| {
        for thread in 0..args.threads {
            let soak = &soak;
            scope.spawn(move || soak.converse(thread));
        }
        let watched = soak.watch(args.seconds);
        soak.stop.store(true, Ordering::Relaxed);
        watched
    });
    match watched.and_then(|()| soak.check_at_rest()) {
        Ok(()) => {
            println!("held");
            ExitCode::SUCCESS
        }
        Err(broken) => {
            eprintln!("broken: {broken}");
            ExitCode::FAILURE
        }
    }
}
