//! A channel whose `clone`, `drop` or `==` panics: nothing is poisoned, lost or left behind.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::thread;
use std::time::Duration;

use affinity_table::Table;
use quanta::{Clock, Mock};

const TTL: Duration = Duration::from_secs(10);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Panics {
    Never,
    InClone,
    InDrop,
    InEq,
}

thread_local! {
    /// What the channels of this thread's calls do.
    static NOW: Cell<Panics> = const { Cell::new(Panics::Never) };
}

/// Panics when told to, and is counted for as long as it exists.
struct Touchy {
    account: u64,
    alive: Arc<AtomicI64>,
}

impl Touchy {
    fn new(account: u64, alive: &Arc<AtomicI64>) -> Self {
        alive.fetch_add(1, Ordering::Relaxed);
        let alive = Arc::clone(alive);
        Touchy { account, alive }
    }
}

/// Once: a second panic on the way out would abort.
fn panic_if(told: Panics) {
    if NOW.get() == told {
        NOW.set(Panics::Never);
        // Without the hook, which would print the planned panics among the others.
        resume_unwind(Box::new("planned"));
    }
}

impl Clone for Touchy {
    fn clone(&self) -> Self {
        panic_if(Panics::InClone);
        Touchy::new(self.account, &self.alive)
    }
}

impl Drop for Touchy {
    fn drop(&mut self) {
        self.alive.fetch_sub(1, Ordering::Relaxed);
        panic_if(Panics::InDrop);
    }
}

impl PartialEq for Touchy {
    fn eq(&self, other: &Self) -> bool {
        panic_if(Panics::InEq);
        self.account == other.account
    }
}

struct Stage {
    table: Table<Touchy>,
    alive: Arc<AtomicI64>,
    mock: Arc<Mock>,
    limit: usize,
}

impl Stage {
    fn new(limit: usize) -> Self {
        Stage::fed(limit, 0)
    }

    /// With a feed of that capacity.
    fn fed(limit: usize, feed: usize) -> Self {
        let (clock, mock) = Clock::mock();
        let table = Table::builder()
            .limit(limit)
            .ttl(TTL)
            .clock(clock)
            .feed(feed)
            .build();
        let alive = Arc::default();
        Stage {
            table,
            alive,
            mock,
            limit,
        }
    }

    fn remember(&self, key: u64) {
        self.table.remember(&[key], Touchy::new(key, &self.alive));
    }

    /// Makes `call` with channels that panic, and it must.
    fn panics(&self, told: Panics, call: impl FnOnce(&Self)) {
        NOW.set(told);
        let outcome = catch_unwind(AssertUnwindSafe(|| call(self)));
        NOW.set(Panics::Never);
        assert!(
            outcome.is_err(),
            "the call did not come to the planned panic"
        );
    }

    /// The table is exactly what it would be without the panic, here and on another thread.
    fn holds(&self, keys: &[u64]) {
        let look = || {
            assert_eq!(self.table.len(), keys.len(), "len");
            for &key in keys {
                let found = self.table.peek(&[key]).map(|channel| channel.account);
                assert_eq!(found, Some(key));
            }
        };
        look();
        thread::scope(|scope| {
            let other = scope.spawn(look);
            other.join().expect("the table of another thread");
        });
        assert_eq!(
            self.alive.load(Ordering::Relaxed),
            keys.len() as i64,
            "channels alive"
        );
    }

    /// And goes on working: `limit` insertions, by two threads, evict all that was there.
    fn goes_on(&self) {
        let fresh: Vec<u64> = (0..self.limit as u64).map(|n| 1_000 + n).collect();
        let (left, right) = fresh.split_at(fresh.len() / 2);
        thread::scope(|scope| {
            for half in [left, right] {
                scope.spawn(|| half.iter().for_each(|&key| self.remember(key)));
            }
        });
        self.holds(&fresh);
        self.table.clear();
        self.holds(&[]);
    }
}

#[test]
fn panic_in_clone_of_a_recall_leaves_the_memory_renewed() {
    let stage = Stage::new(4);
    stage.remember(1);
    stage.mock.increment(TTL / 2);
    stage.panics(Panics::InClone, |stage| {
        stage.table.recall(&[1]);
    });
    stage.mock.increment(TTL / 2);
    stage.holds(&[1]);
    stage.goes_on();
}

#[test]
fn panic_in_clone_of_a_peek_changes_nothing() {
    let stage = Stage::new(4);
    stage.remember(1);
    stage.panics(Panics::InClone, |stage| {
        stage.table.peek(&[1]);
    });
    stage.holds(&[1]);
    stage.goes_on();
}

/// With a feed, a `remember` clones before it takes the lock.
#[test]
fn panic_in_clone_of_a_fed_remember_remembers_nothing() {
    let stage = Stage::fed(4, 4);
    stage.panics(Panics::InClone, |stage| stage.remember(1));
    assert!(stage.table.feed().is_some_and(|feed| feed.pop().is_none()));
    stage.holds(&[]);
}

#[test]
fn panic_in_drop_of_the_rebound_channel_leaves_the_new_one() {
    let stage = Stage::new(4);
    stage.table.remember(&[1], Touchy::new(7, &stage.alive));
    stage.panics(Panics::InDrop, |stage| stage.remember(1));
    stage.holds(&[1]);
    assert_eq!(stage.table.stats().renewals, 1);
    stage.goes_on();
}

#[test]
fn panic_in_drop_of_an_evicted_channel_leaves_the_insertion() {
    let stage = Stage::new(2);
    stage.remember(1);
    stage.remember(2);
    stage.panics(Panics::InDrop, |stage| stage.remember(3));
    stage.holds(&[2, 3]);
    let stats = stage.table.stats();
    assert_eq!((stats.insertions, stats.evictions), (3, 1));
    stage.goes_on();
}

#[test]
fn panic_in_drop_of_an_expired_channel_leaves_the_insertion() {
    let stage = Stage::new(4);
    stage.remember(1);
    stage.mock.increment(TTL);
    stage.panics(Panics::InDrop, |stage| stage.remember(1));
    stage.holds(&[1]);
    let stats = stage.table.stats();
    assert_eq!((stats.insertions, stats.expiries), (2, 1));
    stage.goes_on();
}

/// What a sweep has removed is removed, and what it has not come to yet is not.
#[test]
fn panic_in_drop_ends_a_sweep_between_two_memories() {
    let stage = Stage::new(4);
    (1..=4).for_each(|key| stage.remember(key));
    stage.panics(Panics::InDrop, |stage| stage.table.clear());
    let left: Vec<u64> = (1..=4)
        .filter(|&key| stage.table.peek(&[key]).is_some())
        .collect();
    assert_eq!(left.len(), 3);
    stage.holds(&left);
    stage.goes_on();
}

#[test]
fn panic_in_drop_ends_a_purge_that_has_counted_what_it_purged() {
    let stage = Stage::new(4);
    stage.remember(1);
    stage.mock.increment(TTL);
    stage.panics(Panics::InDrop, |stage| {
        stage.table.purge();
    });
    stage.holds(&[]);
    assert_eq!(stage.table.stats().expiries, 1);
}

#[test]
fn panic_in_drop_of_a_change_that_fell_out_of_the_feed_leaves_the_insertion() {
    let stage = Stage::fed(4, 1);
    stage.remember(1);
    stage.panics(Panics::InDrop, |stage| stage.remember(2));
    assert_eq!(stage.table.stats().insertions, 2);
    drop(stage.table.feed().and_then(|feed| feed.pop()));
    stage.holds(&[1, 2]);
}

#[test]
fn panic_in_eq_forgets_nothing() {
    let stage = Stage::new(4);
    (1..=4).for_each(|key| stage.remember(key));
    let account = Touchy::new(3, &stage.alive);
    stage.panics(Panics::InEq, |stage| {
        stage.table.forget_channel(&account);
    });
    drop(account);
    stage.holds(&[1, 2, 3, 4]);
    stage.goes_on();
}

#[test]
fn panics_on_many_threads_leave_the_table_exact() {
    const THREADS: u64 = 4;
    const CALLS: u64 = 2_000;
    let stage = Stage::new(8);
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let stage = &stage;
            scope.spawn(move || {
                for call in 0..CALLS {
                    let key = (thread * 7 + call) % 16;
                    NOW.set([Panics::Never, Panics::InClone, Panics::InDrop][call as usize % 3]);
                    // Any call may come to a panic, or not.
                    let _ = catch_unwind(AssertUnwindSafe(|| match call % 5 {
                        0 | 1 => drop(stage.table.recall(&[key])),
                        2 => drop(stage.table.forget(&[key])),
                        _ => stage.remember(key),
                    }));
                    NOW.set(Panics::Never);
                }
            });
        }
    });
    let held: Vec<u64> = (0..16)
        .filter(|&key| stage.table.peek(&[key]).is_some())
        .collect();
    stage.holds(&held);
    stage.goes_on();
    drop(stage.table);
    assert_eq!(stage.alive.load(Ordering::Relaxed), 0);
}
