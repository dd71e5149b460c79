//! The hot path allocates nothing.

use std::time::Duration;

use affinity_table::Table;
use quanta::Clock;

fn allocations(work: impl FnOnce()) -> u64 {
    allocation_counter::measure(work).count_total
}

#[test]
fn recall_and_remember_of_a_warm_table_allocate_nothing() {
    const LIMIT: u64 = 1_000;
    let clock = Clock::new();
    let table: Table<u32> = Table::builder()
        .limit(LIMIT as usize)
        .ttl(Duration::from_secs(300))
        .clock(clock.clone())
        .shards(2)
        .build();
    // Several laps of the ring: the map has grown to what it needs, and this thread has its stripe.
    for n in 0..20 * LIMIT {
        table.remember(&[n], n as u32);
    }
    table.recall(&[0]);

    let newest = 20 * LIMIT - 1;
    let hits = allocations(|| {
        for back in 0..LIMIT {
            assert!(
                table
                    .recall(&[u64::MAX, newest - back, u64::MAX - 1])
                    .is_some()
            );
        }
    });
    let misses = allocations(|| {
        for n in 0..LIMIT {
            assert!(table.recall(&[n, n + 1, n + 2]).is_none());
        }
    });
    let evicting = allocations(|| {
        for n in newest + 1..newest + 1 + 10 * LIMIT {
            table.remember(&[n], 1);
        }
    });
    let renewing = allocations(|| {
        for back in 0..LIMIT {
            table.remember_for(&[newest + 10 * LIMIT - back], 2, Duration::from_secs(60));
        }
    });
    let at_one_moment = allocations(|| {
        let at = table.at(clock.now());
        assert!(at.lookup(&[newest + 10 * LIMIT]).is_some());
        at.remember(&[u64::MAX], 3);
    });
    assert_eq!(
        (hits, misses, evicting, renewing, at_one_moment),
        (0, 0, 0, 0, 0)
    );
}

#[test]
fn a_huge_table_costs_little_before_it_is_used() {
    let built = allocation_counter::measure(|| {
        let table: Table<u32> = Table::new(10_000_000, Duration::from_secs(300));
        std::hint::black_box(&table);
    });
    assert!(
        built.bytes_max <= 32 * 10_000_000,
        "{} bytes",
        built.bytes_max
    );
    let boundless = allocation_counter::measure(|| {
        let table: Table<u32> = Table::new(usize::MAX, Duration::from_secs(300));
        table.remember(&[1], 1);
        assert_eq!(table.recall(&[1]), Some(1));
    });
    assert!(
        boundless.bytes_max <= 80 << 20,
        "{} bytes",
        boundless.bytes_max
    );
}
