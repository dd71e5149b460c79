//! Does one work a given number of times, for callgrind to count: `instructions WORK TIMES`.
//!
//! ci/budgets.sh lets callgrind collect inside [`counted`] only, so that filling a table, which takes
//! more or fewer instructions by its random seed, drops out. Without arguments it lists the works.

use std::process::ExitCode;

use benches::chains::{ChainHash, Keyed, Public};
use benches::orders::{self, Order, Ours as OurOrder};
use benches::peer::Peer;
use benches::peers::OursAt;
use benches::rng::mix;
use benches::works::{Bodies, SMALL};
use std::hint::black_box;

/// Small enough that filling the table under valgrind takes a moment, and 256 memories a shard, so
/// that the random seed averages out.
const LIMIT: u64 = 16_384;

/// A name, and what does the work so many times.
type Work = (&'static str, fn(u64));

const WORKS: [Work; 9] = [
    ("chain-public-20x800", chain::<Public>),
    ("chain-keyed-20x800", chain::<Keyed>),
    ("pick-16", |times| picks(times, 16)),
    ("pick-64", |times| picks(times, 64)),
    ("order-16", |times| whole_orders(times, 16)),
    ("order-64", |times| whole_orders(times, 64)),
    ("recall-hit", recall_hit),
    ("recall-8-misses", recall_misses),
    ("remember-evicting", remember_evicting),
];

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let work = args
        .next()
        .and_then(|name| WORKS.into_iter().find(|(work, _)| *work == name));
    let times = args.next().and_then(|times| times.parse().ok());
    if let (Some((_, work)), Some(times)) = (work, times) {
        work(times);
        ExitCode::SUCCESS
    } else {
        WORKS.iter().for_each(|(work, _)| println!("{work}"));
        ExitCode::FAILURE
    }
}

/// Does `work` with 0, 1, … `times` - 1. Never inlined: callgrind finds it by its name.
#[inline(never)]
fn counted(times: u64, mut work: impl FnMut(u64)) {
    (0..times).for_each(&mut work);
}

fn chain<H: ChainHash>(times: u64) {
    let (bodies, mut hash) = (Bodies::new(SMALL), H::new());
    counted(times, |request| {
        black_box(hash.chain(bodies.entries(request)));
    });
}

/// Candidates and session keys, 256 of them.
fn candidates(n: usize) -> (OurOrder, Vec<String>) {
    let order = OurOrder::new(&orders::identities(n), &orders::equal_weights(n));
    (order, orders::keys(256))
}

fn picks(times: u64, n: usize) {
    let (order, keys) = candidates(n);
    counted(times, |at| {
        black_box(order.pick(&keys[at as usize % 256]));
    });
}

fn whole_orders(times: u64, n: usize) {
    let (order, keys) = candidates(n);
    let mut out = Vec::with_capacity(n);
    counted(times, |at| {
        order.order(&keys[at as usize % 256], &mut out);
        black_box(&out);
    });
}

/// A full table that holds the links 0 to `LIMIT`. The time is the caller's: reading a clock costs
/// what the machine's clock costs.
fn full_table() -> OursAt {
    let table = OursAt::new(LIMIT as usize);
    (0..LIMIT).for_each(|n| table.remember(mix(n), n as u32));
    table
}

fn recall_hit(times: u64) {
    let table = full_table();
    counted(times, |n| {
        assert!(table.recall(&[mix(n % LIMIT)]).is_some());
    });
}

fn recall_misses(times: u64) {
    let table = full_table();
    counted(times, |n| {
        let chain: [u64; 8] = std::array::from_fn(|link| mix(LIMIT + 8 * n + link as u64));
        assert!(table.recall(&chain).is_none());
    });
}

fn remember_evicting(times: u64) {
    let table = full_table();
    counted(times, |n| table.remember(mix(LIMIT + n), n as u32));
    assert_eq!(table.len() as u64, LIMIT);
}
