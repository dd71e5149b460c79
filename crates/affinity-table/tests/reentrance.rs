//! A channel whose `drop` calls the table again: no lock is held then, so it may.

use std::cell::Cell;
use std::sync::mpsc::channel;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

use affinity_table::Table;
use quanta::{Clock, Mock};

const LIMIT: usize = 8;
const TTL: Duration = Duration::from_secs(10);
/// Far longer than any call takes: only a deadlock lasts that long.
const DEADLOCK: Duration = Duration::from_secs(20);

thread_local! {
    static DROPPING: Cell<bool> = const { Cell::new(false) };
    static DROPPED: Cell<u32> = const { Cell::new(0) };
}

/// Makes every kind of call when dropped, on all shards, and so on the one that it came from.
#[derive(Clone)]
struct Calling(Weak<Table<Calling>>);

impl PartialEq for Calling {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Drop for Calling {
    fn drop(&mut self) {
        DROPPED.set(DROPPED.get() + 1);
        let Some(table) = self.0.upgrade() else {
            return;
        };
        // Not again for what the calls below bring out.
        if DROPPING.replace(true) {
            return;
        }
        for key in 100..300 {
            table.remember(&[key], self.clone());
            table.recall(&[key]);
            table.peek(&[key]);
            table.forget(&[key]);
        }
        table.purge();
        assert!(table.len() <= LIMIT);
        DROPPING.set(false);
    }
}

/// Runs `scene` on a full table, on a thread of its own, which must come to an end and have dropped
/// a channel.
fn ends(scene: impl FnOnce(&Arc<Table<Calling>>, &Mock) + Send + 'static) {
    ends_with_feed(0, scene);
}

fn ends_with_feed(
    capacity: usize,
    scene: impl FnOnce(&Arc<Table<Calling>>, &Mock) + Send + 'static,
) {
    let (done, waiting) = channel();
    thread::spawn(move || {
        let (clock, mock) = Clock::mock();
        let builder = Table::builder().limit(LIMIT).ttl(TTL).clock(clock);
        let table = Arc::new(builder.shards(2).feed(capacity).build());
        for key in 0..LIMIT as u64 {
            table.remember(&[key], Calling(Arc::downgrade(&table)));
        }
        DROPPED.set(0);
        scene(&table, &mock);
        // The receiver is there unless it has given up.
        let _ = done.send(DROPPED.get());
    });
    let dropped = waiting.recv_timeout(DEADLOCK).expect("a call never ended");
    assert!(dropped > 0, "the scene dropped nothing");
}

#[test]
fn the_drop_of_a_rebound_channel_may_call_the_table() {
    ends(|table, _| table.remember(&[7], Calling(Arc::downgrade(table))));
}

#[test]
fn the_drop_of_an_evicted_channel_may_call_the_table() {
    ends(|table, _| table.remember(&[50], Calling(Arc::downgrade(table))));
}

#[test]
fn the_drop_of_an_expired_channel_may_call_the_table() {
    ends(|table, mock| {
        mock.increment(TTL);
        table.remember(&[7], Calling(Arc::downgrade(table)));
    });
}

#[test]
fn the_drop_of_a_forgotten_channel_may_call_the_table() {
    ends(|table, _| drop(table.forget(&[7])));
    ends(|table, mock| {
        mock.increment(TTL);
        // Expired, and so not handed out.
        assert!(table.forget(&[7]).is_none());
    });
}

#[test]
fn the_drops_of_a_sweep_may_call_the_table() {
    ends(|table, _| table.clear());
    ends(|table, _| assert!(table.forget_channel(&Calling(Weak::new())) > 0));
    ends(|table, mock| {
        mock.increment(TTL);
        assert!(table.purge() > 0);
    });
}

#[test]
fn the_drop_of_a_change_that_fell_out_of_the_feed_may_call_the_table() {
    ends_with_feed(LIMIT, |table, _| {
        table.remember(&[50], Calling(Arc::downgrade(table)));
    });
    // What comes in is no channel; what it pushes out holds one.
    ends_with_feed(LIMIT, |table, _| assert!(table.forget(&[0]).is_some()));
}

#[test]
fn the_drop_of_a_recalled_channel_may_call_the_table() {
    ends(|table, _| drop(table.recall(&[7])));
}
