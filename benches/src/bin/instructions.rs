//! Does one work a given number of times, for callgrind to count: `instructions WORK TIMES`.
//!
//! ci/budgets.sh runs each work with two counts and divides the difference, so that preparation and
//! process start drop out. Without arguments it lists the works.

use std::process::ExitCode;

use benches::chains::{ChainHash, Keyed, Public};
use benches::orders::{self, Order, Ours as OurOrder};
use benches::peer::Peer;
use benches::peers::OursAt;
use benches::rng::mix;
use benches::works::{Bodies, SMALL};
use std::hint::black_box;

/// Small enough that filling the table under valgrind takes a moment.
const LIMIT: u64 = 4096;

const WORKS: [(&str, fn(u64)); 9] = [
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

fn chain<H: ChainHash>(times: u64) {
    let (bodies, mut hash, mut links) = (Bodies::new(SMALL), H::new(), Vec::with_capacity(32));
    for request in 0..times {
        hash.chain(bodies.entries(request), &mut links);
        black_box(&links);
    }
}

fn candidates(n: usize) -> (OurOrder, Vec<String>) {
    (
        OurOrder::new(&orders::identities(n), &orders::equal_weights(n)),
        orders::keys(256),
    )
}

fn picks(times: u64, n: usize) {
    let (order, keys) = candidates(n);
    for key in keys.iter().cycle().take(times as usize) {
        black_box(order.pick(key));
    }
}

fn whole_orders(times: u64, n: usize) {
    let (order, keys) = candidates(n);
    let mut out = Vec::with_capacity(n);
    for key in keys.iter().cycle().take(times as usize) {
        order.order(key, &mut out);
        black_box(&out);
    }
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
    for n in 0..times {
        assert!(table.recall(&[mix(n % LIMIT)]).is_some());
    }
}

fn recall_misses(times: u64) {
    let table = full_table();
    for n in 0..times {
        let chain: [u64; 8] = std::array::from_fn(|link| mix(LIMIT + 8 * n + link as u64));
        assert!(table.recall(&chain).is_none());
    }
}

fn remember_evicting(times: u64) {
    let table = full_table();
    for n in LIMIT..LIMIT + times {
        table.remember(mix(n), n as u32);
    }
    assert_eq!(table.len() as u64, LIMIT);
}
