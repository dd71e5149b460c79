//! The sequential specification, sentence by sentence, on a mocked clock.

use std::sync::Arc;
use std::time::Duration;

use affinity_table::{Change, Recalled, Table};
use quanta::{Clock, Mock};

const TTL: Duration = Duration::from_secs(10);

fn table(limit: usize) -> (Table<u32>, Arc<Mock>) {
    let (clock, mock) = Clock::mock();
    (
        Table::builder().limit(limit).ttl(TTL).clock(clock).build(),
        mock,
    )
}

fn seconds(n: u64) -> Duration {
    Duration::from_secs(n)
}

fn found(table: &Table<u32>, chain: &[u64]) -> Option<(u32, usize)> {
    table
        .lookup(chain)
        .map(|recalled: Recalled<u32>| (recalled.channel, recalled.link))
}

#[test]
fn next_turn_finds_the_channel_of_the_last() {
    let (table, _) = table(8);
    table.remember(&[1, 2, 3], 7);
    assert_eq!(table.recall(&[1, 2, 3, 4, 5]), Some(7));
    assert_eq!(found(&table, &[1, 2, 3, 4, 5]), Some((7, 2)));
}

#[test]
fn remember_writes_the_last_link_only() {
    let (table, _) = table(8);
    table.remember(&[1, 2, 3], 7);
    assert_eq!(table.recall(&[1, 2]), None);
    assert_eq!(table.len(), 1);
}

#[test]
fn the_longest_remembered_prefix_answers() {
    let (table, _) = table(8);
    table.remember(&[1], 1);
    table.remember(&[1, 2], 2);
    assert_eq!(found(&table, &[1, 2, 3]), Some((2, 1)));
    assert_eq!(found(&table, &[1, 9, 9]), Some((1, 0)));
}

#[test]
fn recall_steps_over_missing_expired_and_evicted_links() {
    let (table, mock) = table(3);
    table.remember(&[1], 1);
    table.remember(&[1, 2], 2);
    table.remember(&[3], 3);
    mock.increment(seconds(5));
    table.recall(&[1]);
    mock.increment(seconds(5));
    assert_eq!(table.recall(&[1, 2]), Some(1), "link 2 has expired");
    table.remember(&[1, 9], 9);
    table.remember(&[4], 4);
    table.remember(&[5], 5);
    assert_eq!(table.recall(&[4, 1, 9]), Some(9));
    table.remember(&[6], 6);
    assert_eq!(
        table.recall(&[4, 1, 9]),
        Some(4),
        "link 9 is evicted, link 1 too"
    );
}

#[test]
fn limit_newer_insertions_evict_and_not_one_less() {
    let (table, _) = table(3);
    table.remember(&[1], 1);
    for n in 2..=3 {
        table.remember(&[n], n as u32);
    }
    assert_eq!(table.peek(&[1]), Some(1));
    table.remember(&[4], 4);
    assert_eq!(table.peek(&[1]), None);
    assert_eq!((2..=4).filter_map(|n| table.peek(&[n])).count(), 3);
    assert_eq!(table.len(), 3);
}

#[test]
fn renewal_never_delays_eviction() {
    let (table, _) = table(2);
    table.remember(&[1], 1);
    table.remember(&[2], 2);
    for _ in 0..10 {
        table.recall(&[1]);
        table.remember(&[1], 1);
    }
    table.remember(&[3], 3);
    assert_eq!(table.recall(&[1]), None);
    assert_eq!(table.recall(&[2]), Some(2));
}

#[test]
fn a_memory_is_dead_at_its_deadline() {
    let (table, mock) = table(8);
    table.remember(&[1], 1);
    mock.increment(TTL - Duration::from_nanos(1));
    assert_eq!(table.peek(&[1]), Some(1));
    mock.increment(Duration::from_nanos(1));
    assert_eq!(table.peek(&[1]), None);
    assert_eq!(table.recall(&[1]), None);
}

#[test]
fn renewed_memory_outlives_its_first_ttl() {
    let (table, mock) = table(8);
    table.remember(&[1], 1);
    for _ in 0..5 {
        mock.increment(seconds(9));
        assert_eq!(table.recall(&[1, 2]), Some(1));
    }
    mock.increment(TTL);
    assert_eq!(table.recall(&[1]), None);
}

#[test]
fn remember_of_a_current_memory_renews_and_rebinds_in_place() {
    let (table, mock) = table(2);
    table.remember(&[1], 1);
    mock.increment(seconds(9));
    table.remember(&[1], 7);
    mock.increment(seconds(9));
    assert_eq!(table.peek(&[1]), Some(7));
    let stats = table.stats();
    assert_eq!((stats.insertions, stats.renewals), (1, 1));
}

#[test]
fn remember_of_an_expired_memory_is_a_new_insertion() {
    let (table, mock) = table(2);
    table.remember(&[1], 1);
    table.remember(&[2], 2);
    mock.increment(TTL);
    table.remember(&[1], 7);
    assert_eq!(table.peek(&[1]), Some(7));
    assert_eq!(table.stats().insertions, 3);
    table.remember(&[3], 3);
    assert_eq!(
        table.recall(&[1]),
        Some(7),
        "it is the second youngest of the log now"
    );
}

#[test]
fn remember_of_an_evicted_memory_is_a_new_insertion() {
    let (table, _) = table(1);
    table.remember(&[1], 1);
    table.remember(&[2], 2);
    table.remember(&[1], 3);
    assert_eq!(table.recall(&[1]), Some(3));
    assert_eq!(table.recall(&[2]), None);
    assert_eq!(table.stats().insertions, 3);
}

#[test]
fn peek_renews_nothing_and_counts_nothing() {
    let (table, mock) = table(8);
    table.remember(&[1], 1);
    mock.increment(seconds(9));
    assert_eq!(table.peek(&[1]), Some(1));
    mock.increment(seconds(1));
    assert_eq!(table.peek(&[1]), None);
    assert_eq!((table.stats().hits, table.stats().misses), (0, 0));
}

#[test]
fn recall_renews_the_link_that_answers_and_no_other() {
    let (table, mock) = table(8);
    table.remember(&[1], 1);
    table.remember(&[1, 2], 2);
    mock.increment(seconds(9));
    table.recall(&[1, 2, 3]);
    mock.increment(seconds(1));
    assert_eq!(table.peek(&[1]), None);
    assert_eq!(table.peek(&[1, 2]), Some(2));
}

#[test]
fn deadlines_never_fall_when_the_clock_runs_backwards() {
    let (table, mock) = table(8);
    mock.increment(seconds(100));
    table.remember(&[1], 1);
    mock.decrement(seconds(50));
    assert_eq!(table.recall(&[1]), Some(1));
    table.remember(&[1], 2);
    mock.increment(seconds(59));
    assert_eq!(table.recall(&[1]), Some(2));
}

#[test]
fn a_renewal_step_lets_a_memory_live_longer_but_never_shorter() {
    let (clock, mock) = Clock::mock();
    let table: Table<u32> = Table::builder()
        .limit(8)
        .ttl(TTL)
        .renewal_step(seconds(2))
        .clock(clock)
        .build();
    table.remember(&[1], 1);
    mock.increment(seconds(9));
    assert_eq!(table.recall(&[1]), Some(1), "renewed until 9 + 10 + 2");
    mock.increment(seconds(2));
    assert_eq!(
        table.recall(&[1]),
        Some(1),
        "at 11 it lives for ttl yet, and is left alone"
    );
    mock.increment(seconds(9));
    assert_eq!(table.peek(&[1]), Some(1), "at 20");
    mock.increment(seconds(1));
    assert_eq!(
        table.peek(&[1]),
        None,
        "dead at 21: a step beyond ttl after the renewal at 9"
    );
    table.remember(&[2], 2);
    mock.increment(TTL);
    assert_eq!(
        table.peek(&[2]),
        None,
        "a new memory has its ttl to the nanosecond"
    );
}

#[test]
fn own_ttl_holds_when_renewed_too() {
    let (table, mock) = table(8);
    table.remember_for(&[1], 1, seconds(60));
    table.remember(&[2], 2);
    mock.increment(seconds(59));
    assert_eq!(table.recall(&[1]), Some(1));
    assert_eq!(table.recall(&[2]), None);
    mock.increment(seconds(59));
    assert_eq!(table.recall(&[1]), Some(1));
    mock.increment(seconds(60));
    assert_eq!(table.recall(&[1]), None);
}

#[test]
fn the_last_remember_sets_the_lifetime_but_cuts_no_deadline_short() {
    let (table, mock) = table(8);
    table.remember_for(&[1], 1, seconds(60));
    table.remember(&[1], 1);
    mock.increment(seconds(59));
    assert_eq!(
        table.recall(&[1]),
        Some(1),
        "the deadline of the longer lifetime stands"
    );
    mock.increment(seconds(10));
    assert_eq!(
        table.recall(&[1]),
        None,
        "the renewal was for the table's ttl"
    );
}

#[test]
fn an_own_ttl_is_never_cut_short() {
    let odd = [
        Duration::from_nanos(1),
        Duration::from_micros(1_500),
        Duration::from_millis(u64::from(u32::MAX / 2)) + Duration::from_nanos(1),
        Duration::from_secs(100 * 86_400) + Duration::from_nanos(1),
    ];
    for ttl in odd {
        let (table, mock) = table(8);
        table.remember_for(&[1], 1, ttl);
        table.recall(&[1]);
        mock.increment(ttl.saturating_sub(Duration::from_nanos(1)));
        assert_eq!(table.recall(&[1]), Some(1), "{ttl:?}");
        mock.increment(ttl + ttl / 1_000 + seconds(1));
        assert_eq!(table.recall(&[1]), None, "{ttl:?}");
    }
}

#[test]
fn limit_zero_remembers_nothing() {
    let (table, _) = table(0);
    table.remember(&[1], 1);
    assert_eq!(table.recall(&[1]), None);
    assert_eq!(table.forget(&[1]), None);
    assert_eq!((table.len(), table.is_empty()), (0, true));
}

#[test]
fn empty_chain_is_neither_remembered_nor_recalled() {
    let (table, _) = table(8);
    table.remember(&[], 1);
    assert_eq!(table.recall(&[]), None);
    assert_eq!(table.forget(&[]), None);
    assert_eq!(table.len(), 0);
}

#[test]
fn forget_returns_the_channel_of_a_current_memory() {
    let (table, mock) = table(8);
    table.remember(&[1, 2], 7);
    assert_eq!(table.forget(&[1]), None, "only the last link counts");
    assert_eq!(table.forget(&[1, 2]), Some(7));
    assert_eq!(table.forget(&[1, 2]), None);
    table.remember(&[3], 3);
    mock.increment(TTL);
    assert_eq!(table.forget(&[3]), None, "it had expired");
    assert_eq!(table.len(), 0);
}

#[test]
fn a_forgotten_memory_keeps_its_turn_in_the_log() {
    let (table, _) = table(2);
    table.remember(&[1], 1);
    table.remember(&[2], 2);
    table.forget(&[2]);
    table.remember(&[3], 3);
    assert_eq!(table.recall(&[1]), None, "two newer insertions were made");
    assert_eq!(table.len(), 1);
}

#[test]
fn a_stale_ticket_does_not_reclaim_the_memory_inserted_anew() {
    let (table, _) = table(2);
    table.remember(&[1], 1);
    table.forget(&[1]);
    table.remember(&[1], 2);
    table.remember(&[3], 3);
    assert_eq!(
        table.recall(&[1]),
        Some(2),
        "only one newer insertion was made"
    );
    table.remember(&[4], 4);
    assert_eq!(table.recall(&[1]), None);
}

#[test]
fn forget_channel_forgets_its_memories_and_no_others() {
    let (table, mock) = table(8);
    for n in 1..=4 {
        table.remember(&[n], (n % 2) as u32);
    }
    table.remember_for(&[5], 1, seconds(1));
    mock.increment(seconds(2));
    assert_eq!(
        table.forget_channel(&1),
        2,
        "the expired one does not count"
    );
    assert_eq!(table.recall(&[1]), None);
    assert_eq!(table.recall(&[2]), Some(0));
    assert_eq!(table.len(), 2);
}

#[test]
fn purge_removes_the_expired_and_counts_them() {
    let (table, mock) = table(8);
    table.remember(&[1], 1);
    table.remember_for(&[2], 2, seconds(60));
    mock.increment(TTL);
    assert_eq!(table.len(), 2, "an expired memory counts until purged");
    assert_eq!(table.purge(), 1);
    assert_eq!(table.len(), 1);
    assert_eq!(table.recall(&[2]), Some(2));
    assert_eq!(table.stats().expiries, 1);
}

#[test]
fn clear_forgets_everything_and_the_log_goes_on() {
    let (table, _) = table(2);
    table.remember(&[1], 1);
    table.remember(&[2], 2);
    table.clear();
    assert_eq!((table.len(), table.recall(&[1, 2])), (0, None));
    table.remember(&[3], 3);
    table.remember(&[4], 4);
    assert_eq!(table.len(), 2);
}

#[test]
fn fingerprint_zero_is_a_fingerprint_like_any_other() {
    let (table, _) = table(2);
    table.remember(&[0], 1);
    assert_eq!(table.recall(&[0]), Some(1));
    table.remember(&[1], 2);
    table.remember(&[2], 3);
    assert_eq!((table.recall(&[0]), table.len()), (None, 2));
}

#[test]
fn a_view_stays_at_its_moment() {
    let (clock, mock) = Clock::mock();
    let table: Table<u32> = Table::builder().ttl(TTL).clock(clock.clone()).build();
    let then = clock.now();
    table.at(then).remember(&[1], 1);
    mock.increment(TTL);
    assert_eq!(table.at(then).peek(&[1]), Some(1));
    assert_eq!(table.peek(&[1]), None);
}

#[test]
fn a_view_at_the_tables_own_time_stays_at_it() {
    let (table, mock) = table(2);
    mock.increment(seconds(1));
    let then = table.now();
    assert_eq!(then.nanos(), 1_000_000_000);
    then.remember(&[1], 1);
    mock.increment(TTL);
    assert_eq!(then.peek(&[1]), Some(1));
    assert_eq!(table.now().peek(&[1]), None);
}

#[test]
fn stats_count_what_was_done() {
    let (table, mock) = table(2);
    table.remember(&[1], 1);
    table.remember(&[2], 2);
    table.remember(&[2], 3);
    table.recall(&[2, 8, 9]);
    table.recall(&[7]);
    table.remember(&[3], 3);
    mock.increment(TTL);
    table.remember(&[3], 3);
    let stats = table.stats();
    assert_eq!((stats.hits, stats.misses, stats.probes), (1, 1, 4));
    assert_eq!((stats.insertions, stats.renewals), (4, 1));
    assert_eq!((stats.evictions, stats.expiries), (2, 1));
}

#[test]
fn the_feed_tells_every_change_in_order() {
    let (clock, mock) = Clock::mock();
    let table: Table<u32> = Table::builder()
        .limit(4)
        .ttl(TTL)
        .clock(clock)
        .feed(8)
        .build();
    table.remember(&[1], 1);
    table.remember_for(&[1], 2, seconds(60));
    table.recall(&[1]);
    table.forget(&[1]);
    table.forget(&[1]);
    table.remember(&[2], 5);
    table.forget_channel(&5);
    table.remember_for(&[3], 5, seconds(1));
    mock.increment(seconds(1));
    table.purge();
    let feed = table.feed().expect("the builder asked for one");
    let changes: Vec<_> = std::iter::from_fn(|| feed.pop()).collect();
    assert!(
        changes
            == [
                Change::Remembered {
                    fingerprint: 1,
                    channel: 1,
                    ttl: TTL
                },
                Change::Rebound {
                    fingerprint: 1,
                    channel: 2,
                    ttl: seconds(60)
                },
                Change::Forgotten { fingerprint: 1 },
                Change::Remembered {
                    fingerprint: 2,
                    channel: 5,
                    ttl: TTL
                },
                Change::Forgotten { fingerprint: 2 },
                Change::Remembered {
                    fingerprint: 3,
                    channel: 5,
                    ttl: seconds(1)
                },
            ],
        "{changes:?}"
    );
    assert_eq!(feed.dropped(), 0);
}

#[test]
fn a_full_feed_drops_the_oldest_and_counts_it() {
    let table: Table<u32> = Table::builder().limit(8).feed(2).build();
    for n in 1..=5 {
        table.remember(&[n], n as u32);
    }
    let feed = table.feed().expect("the builder asked for one");
    assert_eq!(feed.dropped(), 3);
    let kept: Vec<_> = std::iter::from_fn(|| feed.pop()).collect();
    assert!(matches!(
        kept[..],
        [
            Change::Remembered { fingerprint: 4, .. },
            Change::Remembered { fingerprint: 5, .. }
        ]
    ));
}

#[test]
fn a_table_without_a_feed_has_none() {
    assert!(Table::<u32>::new(8, TTL).feed().is_none());
    assert!(Table::<u32>::builder().feed(0).build().feed().is_none());
}

#[test]
fn debug_shows_no_fingerprint_and_no_channel() {
    let table: Table<&str> = Table::builder().limit(3).feed(2).build();
    table.remember(&[0xfeed_beef], "secret-account");
    let feed = table.feed().expect("the builder asked for one");
    let shown = format!(
        "{table:?} {:?} {feed:?} {:?} {:?}",
        table.at(quanta::Instant::now()),
        table.lookup(&[0xfeed_beef]),
        feed.pop(),
    );
    assert!(
        !shown.contains("secret") && !shown.contains("4276993775"),
        "{shown}"
    );
}

#[test]
fn table_and_feed_are_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Table<Arc<str>>>();
    shared::<affinity_table::At<'_, Arc<str>>>();
    shared::<affinity_table::Feed<Arc<str>>>();
}
