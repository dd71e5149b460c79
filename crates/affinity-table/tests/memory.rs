//! What a table takes, to the byte, under fingerprints that were chosen to make it take more.

use std::time::Duration;

use affinity_table::Table;

#[path = "support/hostile.rs"]
mod hostile;

use hostile::Pattern;

const SHARDS: u64 = 64;
/// Distinct fingerprints: ten million in a release build.
const INSERTIONS: u64 = if cfg!(debug_assertions) {
    100_000
} else {
    10_000_000
};

/// The bytes that a table with `u32` channels may hold, as docs/table-protocol.md has them.
fn documented(limit: u64) -> u64 {
    let ring = 8 * limit;
    let filter = (8 * limit).next_power_of_two();
    // Counts and the shards' locks.
    let fixed = 24 << 10;
    // The most that a shard ever holds: seven standard deviations above the mean.
    let mean = limit as f64 / SHARDS as f64;
    let most = (mean + 7.0 * mean.sqrt() + 7.0).min(limit as f64) as u64;
    // A map doubles only when it is at least half full: at most 4 places per memory, of 7 usable in 8.
    let slots = 4 * (most + 1) * 8 / 7;
    let slots = (slots / 2 + 1).next_power_of_two();
    // Key, memory, and a byte of the map's own.
    let map = SHARDS * slots * 33;
    fixed + ring + filter + map
}

/// The bytes that a table holds after `write`.
fn held(limit: u64, write: impl FnOnce(&Table<u32>)) -> u64 {
    let mut table = None;
    let info = allocation_counter::measure(|| {
        let table = table.insert(
            Table::builder()
                .limit(limit as usize)
                .ttl(Duration::MAX)
                .shards(SHARDS as usize)
                .build(),
        );
        write(table);
    });
    info.bytes_current as u64
}

fn stays_within(limit: u64, name: &str, write: impl FnOnce(&Table<u32>)) {
    let (held, documented) = (held(limit, write), documented(limit));
    eprintln!("limit {limit}, {name}: {held} bytes of {documented} documented");
    assert!(
        held <= documented,
        "{name}: {held} bytes, documented {documented}"
    );
}

#[test]
fn hostile_fingerprints_take_no_more_than_documented() {
    for limit in [1, 1_000, 50_000] {
        for pattern in Pattern::ALL {
            stays_within(limit, &format!("{pattern:?}"), |table| {
                for n in 0..INSERTIONS {
                    table.remember(&[pattern.fingerprint(n)], 0);
                }
            });
        }
    }
}

#[test]
fn one_hot_fingerprint_takes_no_more_than_documented() {
    stays_within(1_000, "renewed", |table| {
        (0..INSERTIONS).for_each(|n| table.remember(&[7], n as u32));
        assert_eq!(table.len(), 1);
    });
    // Every one an insertion: the whole ring holds this one fingerprint.
    stays_within(1_000, "forgotten and remembered anew", |table| {
        for n in 0..INSERTIONS {
            table.remember(&[7], n as u32);
            table.forget(&[7]);
        }
        assert!(table.is_empty());
    });
}

#[test]
fn a_table_takes_nothing_for_memories_it_does_not_hold() {
    // The ring's first MiB, and the filter's zeroed pages.
    let empty = held(10_000_000, |_| ());
    eprintln!("limit 10000000, empty: {empty} bytes");
    assert!(empty <= (1 << 20) + (64 << 20) + (24 << 10));
}
