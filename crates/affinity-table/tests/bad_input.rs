//! Extremes of every argument: a documented result, no panic, no overflow.

use std::time::Duration;

use affinity_table::{Change, Table};
use quanta::Clock;

#[test]
fn every_limit_works() {
    for limit in [0, 1, 2, usize::MAX / 8, usize::MAX - 1, usize::MAX] {
        let table: Table<u32> = Table::new(limit, Duration::from_secs(300));
        for n in 0..10 {
            table.remember(&[n], n as u32);
        }
        assert_eq!(table.len(), limit.min(10), "limit {limit}");
        assert_eq!(
            table.recall(&[9]),
            (limit > 0).then_some(9),
            "limit {limit}"
        );
        assert_eq!(
            table.recall(&[0]),
            (limit >= 10).then_some(0),
            "limit {limit}"
        );
    }
}

#[test]
fn with_ttl_zero_nothing_is_recalled() {
    let table: Table<u32> = Table::new(8, Duration::ZERO);
    table.remember(&[1], 1);
    assert_eq!(table.recall(&[1]), None);
    table.remember_for(&[2], 2, Duration::from_secs(1));
    assert_eq!(table.recall(&[2]), Some(2));
    table.remember_for(&[2], 3, Duration::ZERO);
    assert_eq!(
        table.recall(&[2]),
        Some(3),
        "its deadline was not cut short"
    );
}

#[test]
fn with_ttl_max_nothing_expires() {
    let (clock, mock) = Clock::mock();
    let table: Table<u32> = Table::builder()
        .limit(8)
        .ttl(Duration::MAX)
        .clock(clock)
        .build();
    table.remember(&[1], 1);
    table.remember_for(&[2], 2, Duration::MAX);
    table.recall(&[1, 2]);
    for _ in 0..4 {
        mock.increment(u64::MAX / 4);
    }
    assert_eq!(table.recall(&[1]), Some(1));
    assert_eq!(table.recall(&[2]), Some(2));
}

#[test]
fn a_time_before_the_table_was_built_counts_as_that_moment() {
    let (clock, mock) = Clock::mock();
    let before = clock.now();
    mock.increment(Duration::from_secs(100));
    let table: Table<u32> = Table::builder()
        .limit(8)
        .ttl(Duration::from_secs(10))
        .clock(clock.clone())
        .build();
    table.at(before).remember(&[1], 1);
    assert_eq!(table.recall(&[1]), Some(1));
    mock.increment(Duration::from_secs(10));
    assert_eq!(table.recall(&[1]), None);
}

#[test]
fn every_number_of_shards_works() {
    for shards in [0, 1, 2, 3, 100, usize::MAX] {
        let table: Table<u32> = Table::builder().limit(8).shards(shards).build();
        table.remember(&[1], 1);
        assert_eq!(table.recall(&[1]), Some(1), "{shards} shards");
    }
}

#[test]
fn long_chains_and_repeated_links_work() {
    let table: Table<u32> = Table::new(8, Duration::from_secs(300));
    table.remember(&[1], 1);
    let mut chain: Vec<u64> = (1..100_000).collect();
    assert_eq!(table.recall(&chain), Some(1));
    chain.fill(1);
    table.remember(&chain, 2);
    assert_eq!(
        table.lookup(&chain).map(|recalled| recalled.link),
        Some(chain.len() - 1)
    );
    assert_eq!(table.len(), 1);
}

#[test]
fn extreme_fingerprints_are_kept_apart() {
    let table: Table<u64> = Table::new(64, Duration::from_secs(300));
    let fingerprints = [
        0,
        1,
        u64::MAX,
        u64::MAX - 1,
        1 << 63,
        1 << 32,
        u64::from(u32::MAX),
    ];
    for fingerprint in fingerprints {
        table.remember(&[fingerprint], fingerprint);
    }
    for fingerprint in fingerprints {
        assert_eq!(table.recall(&[fingerprint]), Some(fingerprint));
    }
}

#[test]
fn a_boundless_feed_is_bounded() {
    let table: Table<u32> = Table::builder().limit(8).feed(usize::MAX).build();
    table.remember(&[1], 1);
    assert!(table.feed().and_then(|feed| feed.pop()).is_some());
}

#[test]
fn the_feed_knows_fingerprint_zero_by_one_name() {
    let table: Table<u32> = Table::builder().limit(8).feed(8).build();
    // The second shares its memory with 0.
    for fingerprint in [0, 0x9e37_79b9_7f4a_7c15] {
        table.remember(&[fingerprint], 7);
        table.forget(&[fingerprint]);
        table.remember(&[fingerprint], 7);
        table.forget_channel(&7);
        let feed = table.feed().expect("the builder asked for one");
        let told: Vec<_> = std::iter::from_fn(|| feed.pop())
            .map(|change| match change {
                Change::Remembered { fingerprint, .. }
                | Change::Rebound { fingerprint, .. }
                | Change::Forgotten { fingerprint } => fingerprint,
                _ => panic!("a change of an unknown kind"),
            })
            .collect();
        assert_eq!(told, [0; 4]);
    }
}
