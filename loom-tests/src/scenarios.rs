//! The scenarios, by what they set against each other. To add one is to add a line.
//!
//! Names that begin with `w` look for weakened orderings, with `f` for faults of the filter, with `s`
//! for stragglers and stale tickets.

use crate::scenario::{
    A, B, C, D, Scenario, ZERO, clear, forget, forget_channel, len, peek, purge, recall, remember,
    remember_for, walk,
};

fn on(name: &'static str, limit: u64) -> Scenario {
    Scenario::new(name, limit)
}

type Group = fn() -> Vec<Scenario>;

const GROUPS: [Group; 15] = [
    eviction_against_recall,
    eviction_against_remember,
    eviction_against_reinsertion,
    expiry_against_renewal,
    inserters_at_limit_one,
    stragglers,
    forgetting_against_remember,
    one_fingerprint,
    own_ttl_against_renewal,
    clear_against_insertion,
    walks,
    filter,
    len_by_its_contract,
    orderings,
    four_threads,
];

/// Every scenario.
pub fn all() -> Vec<Scenario> {
    GROUPS.iter().flat_map(|group| group()).collect()
}

/// The scenario of that name.
///
/// # Panics
/// When there is none.
pub fn named(name: &str) -> Scenario {
    all()
        .into_iter()
        .find(|scenario| scenario.name() == name)
        .unwrap_or_else(|| panic!("no scenario is named {name}"))
}

/// 1. A recall hits before the newcomer's number and misses after it, and renewal changes neither.
pub fn eviction_against_recall() -> Vec<Scenario> {
    vec![
        on("evict-recall", 1)
            .first([remember(A, 1)])
            .thread([remember(B, 2)])
            .thread([recall(A), recall(A)]),
        on("evict-recall-2", 2)
            .first([remember(A, 1), remember(B, 2)])
            .thread([remember(C, 3)])
            .thread([recall(A), recall(B), recall(A)]),
        on("evict-renewed", 1)
            .first([remember(A, 1)])
            .thread([remember(B, 2).at(5)])
            .thread([recall(A).at(5), recall(A).at(12)]),
        on("evict-two-recalls", 1)
            .first([remember(A, 1)])
            .thread([remember(B, 2)])
            .thread([recall(A), recall(B)])
            .thread([recall(A)]),
    ]
}

/// 2. Who saw the newcomer remembers anew.
pub fn eviction_against_remember() -> Vec<Scenario> {
    vec![
        on("newcomer", 1)
            .first([remember(A, 1)])
            .thread([remember(B, 2)])
            .thread([recall(B), remember(A, 3), recall(A)]),
        on("newcomer-2", 2)
            .first([remember(A, 1), remember(B, 2)])
            .thread([remember(C, 3)])
            .thread([recall(C), remember(A, 4)]),
        on("f-evict", 1)
            .first([remember(A, 1)])
            .thread([remember(B, 2)])
            .thread([remember(A, 3), recall(A)]),
        on("evict-remember-3", 1)
            .first([remember(A, 1)])
            .thread([remember(B, 2)])
            .thread([remember(A, 3)])
            .thread([recall(A)]),
    ]
}

/// 3. The ticket of the evicted memory finds a newer one of the same fingerprint.
pub fn eviction_against_reinsertion() -> Vec<Scenario> {
    vec![
        on("evict-reinsert", 1)
            .first([remember(A, 1)])
            .thread([remember(B, 2)])
            .thread([forget(A), remember(A, 3)]),
        on("evict-reinsert-elsewhere", 2)
            .first([remember(A, 1), remember(B, 2)])
            .thread([remember(C, 3)])
            .thread([forget(A), remember(A, 4)]),
        on("evict-reinsert-twice", 1)
            .first([remember(A, 1)])
            .thread([remember(B, 2), remember(A, 3)])
            .thread([remember(A, 4), recall(A)]),
        on("reinsert-reinsert", 2)
            .first([remember(A, 1), forget(A), remember(A, 2)])
            .thread([remember(B, 3)])
            .thread([remember(C, 4)]),
        on("s-forget-1", 1)
            .thread([remember(A, 1)])
            .thread([remember(B, 2), forget(B)]),
        on("s-forget-2", 2)
            .first([remember(A, 1)])
            .thread([remember(B, 2)])
            .thread([remember(C, 3), remember(D, 4), forget(D)]),
        on("s-overtaken-1", 1)
            .thread([remember(A, 1)])
            .thread([remember(B, 2), remember(A, 3)]),
        on("s-other-residue-2", 2)
            .first([remember(A, 1), forget(A), remember(A, 2)])
            .thread([remember(B, 3)])
            .thread([remember(A, 4)]),
        on("s-expired-stale-2", 2).thread([remember(A, 1)]).thread([
            remember(B, 2),
            remember(C, 3),
            remember(C, 4).at(20),
        ]),
        on("s-expired-2", 2)
            .first([remember(A, 1)])
            .thread([remember(B, 2)])
            .thread([remember(C, 3), remember(A, 4).at(20)]),
        on("fingerprint-zero", 1)
            .first([remember(ZERO, 1)])
            .thread([remember(B, 2)])
            .thread([recall(ZERO), remember(ZERO, 3)]),
    ]
}

/// 4. A deadline never falls, and a memory that was renewed is not purged.
pub fn expiry_against_renewal() -> Vec<Scenario> {
    vec![
        on("expire-renew", 1)
            .first([remember(A, 1)])
            .thread([recall(A).at(5)])
            .thread([recall(A).at(12)]),
        on("renew", 1)
            .first([remember(A, 1)])
            .thread([recall(A).at(5)])
            .thread([recall(A).at(3), recall(A).at(14)]),
        on("remember-renew", 1)
            .first([remember(A, 1)])
            .thread([remember(A, 2).at(5)])
            .thread([recall(A).at(7), recall(A).at(16)]),
        on("remember-behind", 1)
            .first([remember(A, 1)])
            .thread([remember(A, 2).at(3)])
            .thread([recall(A).at(8)]),
        on("purge-renew", 1)
            .first([remember(A, 1)])
            .thread([recall(A).at(5), recall(A).at(12)])
            .thread([purge().at(11)]),
        on("purge-remember", 2)
            .first([remember(A, 1)])
            .thread([remember(A, 2).at(11)])
            .thread([purge().at(12), recall(A).at(12)]),
        on("purge-evict", 1)
            .first([remember(A, 1)])
            .thread([remember(B, 2).at(12)])
            .thread([purge().at(12), purge().at(12)]),
        on("purge-purge", 2)
            .first([remember(A, 1), remember(B, 2).at(5)])
            .thread([purge().at(12)])
            .thread([purge().at(12)]),
        on("expired-remember", 2)
            .first([remember(A, 1)])
            .thread([remember(A, 2).at(11), recall(A).at(11)])
            .thread([remember(A, 3).at(11)]),
    ]
}

/// 5. The smallest table with the most strife.
pub fn inserters_at_limit_one() -> Vec<Scenario> {
    vec![
        on("two-inserters-1", 1)
            .thread([remember(A, 1)])
            .thread([remember(B, 2)])
            .thread([recall(A), recall(B)]),
        on("two-by-two-1", 1)
            .thread([remember(A, 1), recall(B)])
            .thread([remember(B, 2), recall(A)]),
        on("two-by-two-read-1", 1)
            .thread([remember(A, 1), remember(B, 2)])
            .thread([remember(B, 3), remember(A, 4)]),
        on("nothing-0", 0)
            .thread([remember(A, 1), recall(A), len()])
            .thread([remember(A, 2), forget(A)]),
    ]
}

/// 6. Tickets that enter the ring in another order than their numbers, up to a lap late.
pub fn stragglers() -> Vec<Scenario> {
    vec![
        on("disorder", 2)
            .thread([remember(A, 1), remember(C, 3)])
            .thread([remember(B, 2), remember(D, 4)]),
        on("three-writers-1", 1)
            .thread([remember(A, 1)])
            .thread([remember(B, 2)])
            .thread([remember(C, 3)]),
        on("lap-late-1", 1)
            .thread([remember(A, 1)])
            .thread([remember(B, 2), remember(C, 3)]),
        on("lap-late-2", 2).thread([remember(A, 1)]).thread([
            remember(B, 2),
            remember(C, 3),
            remember(D, 4),
        ]),
        on("lap-late-3", 3)
            .first([remember(A, 1)])
            .thread([remember(B, 2)])
            .thread([remember(C, 3), remember(D, 4), remember(A, 5)]),
        on("s-same-residue-2", 2)
            .first([remember(A, 1)])
            .thread([remember(B, 2)])
            .thread([remember(C, 3)])
            .thread([remember(D, 4)]),
        on("s-same-key-3-1", 1)
            .thread([remember(A, 1)])
            .thread([remember(B, 2), forget(B)])
            .thread([remember(A, 3)]),
        on("s-three-forget-1", 1)
            .thread([remember(A, 1)])
            .thread([remember(B, 2)])
            .thread([remember(C, 3), forget(C)]),
    ]
}

/// 7. What is forgotten stays so unless it is remembered later.
pub fn forgetting_against_remember() -> Vec<Scenario> {
    vec![
        on("forget-remember", 2)
            .first([remember(A, 1)])
            .thread([forget(A), recall(A)])
            .thread([remember(A, 2), recall(A)]),
        on("forget-forget", 1)
            .first([remember(A, 1)])
            .thread([forget(A), remember(A, 2)])
            .thread([forget(A), recall(A)]),
        on("forget-evicted", 1)
            .first([remember(A, 1)])
            .thread([remember(B, 2)])
            .thread([recall(B), forget(A), recall(A)]),
        on("forget-expired", 2)
            .first([remember(A, 1)])
            .thread([forget(A).at(12)])
            .thread([recall(A).at(5)]),
        on("forget-channel", 2)
            .first([remember(A, 7)])
            .thread([forget_channel(7), recall(A)])
            .thread([remember(B, 7)]),
        on("forget-channel-rebound", 2)
            .first([remember(A, 7)])
            .thread([forget_channel(7)])
            .thread([remember(A, 8), recall(A)]),
        on("forget-channel-evicted", 1)
            .first([remember(A, 7)])
            .thread([forget_channel(7), remember(A, 8)])
            .thread([remember(B, 7)]),
        on("forget-channel-expired", 2)
            .first([remember(A, 7)])
            .thread([forget_channel(7).at(12)])
            .thread([recall(A).at(5)]),
        on("forget-channel-two", 2)
            .first([remember(A, 7), remember(B, 7)])
            .thread([forget_channel(7)])
            .thread([forget_channel(7), remember(A, 7)]),
    ]
}

/// 8. Two threads bind one fingerprint: one inserts, the other renews, and the later channel stays.
pub fn one_fingerprint() -> Vec<Scenario> {
    vec![
        on("same-key", 2)
            .thread([remember(A, 1), recall(A)])
            .thread([remember(A, 2), recall(A)]),
        on("same-key-1", 1)
            .thread([remember(A, 1), recall(A)])
            .thread([remember(A, 2), remember(B, 3)]),
        on("same-key-3", 2)
            .thread([remember(A, 1)])
            .thread([remember(A, 2)])
            .thread([recall(A), recall(A)]),
        on("same-key-expired", 2)
            .first([remember(A, 1)])
            .thread([remember(A, 2).at(10)])
            .thread([remember(A, 3).at(10), recall(A).at(10)]),
    ]
}

/// 9. A memory that has a lifetime of its own is renewed by that, and a later `remember` sets another.
pub fn own_ttl_against_renewal() -> Vec<Scenario> {
    vec![
        on("own-ttl", 1)
            .first([remember_for(A, 1, 4)])
            .thread([recall(A).at(3)])
            .thread([recall(A).at(5)]),
        on("own-ttl-longer", 1)
            .first([remember(A, 1)])
            .thread([remember_for(A, 2, 20).at(1)])
            .thread([recall(A).at(5), recall(A).at(21)]),
        on("own-ttl-shorter", 1)
            .first([remember(A, 1)])
            .thread([remember_for(A, 2, 2).at(1)])
            .thread([recall(A).at(5)]),
        on("own-ttl-expired", 2)
            .first([remember_for(A, 1, 4)])
            .thread([remember_for(A, 2, 2).at(4), recall(A).at(5)])
            .thread([recall(A).at(3)]),
    ]
}

/// 10. `clear` takes what is there, key by key, and nothing that comes after.
pub fn clear_against_insertion() -> Vec<Scenario> {
    vec![
        on("clear-insert", 2)
            .first([remember(A, 1)])
            .thread([clear(), recall(A)])
            .thread([remember(B, 2), recall(B)]),
        on("clear-evict", 1)
            .first([remember(A, 1)])
            .thread([clear(), remember(A, 3)])
            .thread([remember(B, 2)]),
        on("clear-clear", 2)
            .first([remember(A, 1), remember(B, 2)])
            .thread([clear(), remember(C, 3)])
            .thread([clear()]),
    ]
}

/// 11. A walk is a sequence of probes, in order, the last of which hits.
pub fn walks() -> Vec<Scenario> {
    vec![
        on("walk-evict", 1)
            .first([remember(A, 1)])
            .thread([walk([A, B])])
            .thread([remember(B, 2)]),
        on("walk-forget", 2)
            .first([remember(A, 1)])
            .thread([walk([A, B])])
            .thread([remember(B, 2), forget(A)]),
        on("walk-rebind", 2)
            .first([remember(A, 1)])
            .thread([walk([A, B])])
            .thread([remember(B, 2), remember(A, 3)]),
        on("walk-expired", 2)
            .first([remember(A, 1).at(5), remember(B, 2)])
            .thread([walk([A, B]).at(12)])
            .thread([walk([A, B]).at(8)]),
        on("walk-filter", 2)
            .first([remember(A, 1)])
            .thread([walk([B, A])])
            .thread([remember(B, 2), forget(A)]),
        on("walk-3", 1)
            .first([remember(A, 1)])
            .thread([walk([A, B])])
            .thread([remember(B, 2)])
            .thread([walk([B, A])]),
    ]
}

/// 12. A zero counter means absent, and all threads agree on the order in which it became so.
pub fn filter() -> Vec<Scenario> {
    vec![
        on("f-insert-remove", 2)
            .thread([remember(A, 1), forget(A)])
            .thread([recall(A), recall(A)]),
        on("f-same-counter", 2)
            .first([remember(A, 1)])
            .thread([remember(B, 2), recall(A)])
            .thread([forget(A), recall(B)])
            .one_counter(),
        on("f-same-counter-evict", 1)
            .first([remember(A, 1)])
            .thread([remember(B, 2)])
            .thread([remember(A, 3), recall(A)])
            .one_counter(),
        on("f-saturated", 2)
            .first([remember(A, 1)])
            .thread([remember(B, 2), forget(B)])
            .thread([forget(A), remember(A, 3)])
            .nearly_full_counter(),
        on("w-f-mp-evict", 1)
            .first([remember(A, 1)])
            .thread([remember(B, 2)])
            .thread([recall(A), recall(B)]),
        on("w-f-mp-forget", 2)
            .first([remember(A, 1)])
            .thread([remember(B, 2), forget(A)])
            .thread([recall(A), recall(B)]),
        on("w-f-sb", 2)
            .thread([remember(A, 1), recall(B)])
            .thread([remember(B, 2), recall(A)]),
    ]
}

/// 13. `len` is exact at rest, and off by the calls in flight at most.
pub fn len_by_its_contract() -> Vec<Scenario> {
    vec![
        on("len-insert", 2)
            .first([remember(A, 1), remember(B, 2), forget(B)])
            .thread([remember(C, 3)])
            .thread([len(), len()]),
        on("len-forget", 3)
            .first([remember(C, 3)])
            .thread([remember(A, 1), forget(C)])
            .thread([len(), len()]),
        on("len-full", 1)
            .first([remember(A, 1)])
            .thread([remember(B, 2), remember(C, 3)])
            .thread([len(), len()]),
        on("len-purge", 2)
            .first([remember(A, 1), remember(B, 2)])
            .thread([purge().at(10), len()])
            .thread([remember(C, 3).at(10), len()]),
        on("len-replaced", 2)
            .first([remember(A, 1), remember(B, 2)])
            .thread([remember(B, 3).at(20)])
            .thread([len(), recall(A)]),
        on("len-straggler", 1)
            .thread([remember(A, 1)])
            .thread([remember(B, 2), forget(B)])
            .thread([len()]),
    ]
}

/// Histories that only a weakened ordering lets happen.
pub fn orderings() -> Vec<Scenario> {
    vec![
        on("w-coherence", 2)
            .first([remember(A, 1), remember(B, 2)])
            .thread([remember(C, 3), remember(D, 4)])
            .thread([recall(B), recall(A)]),
        on("w-mp", 2)
            .first([remember(B, 2), remember(A, 1)])
            .thread([recall(A).at(5), remember(C, 3).at(5)])
            .thread([recall(B).at(5), recall(A).at(12)]),
        on("w-sb-deadlines", 2)
            .first([remember(A, 1), remember(B, 2)])
            .thread([recall(A).at(5), recall(B).at(12)])
            .thread([recall(B).at(5), recall(A).at(12)]),
        on("w-f-sb-deadline", 2)
            .first([remember(A, 1)])
            .thread([recall(A).at(5), recall(B).at(5)])
            .thread([remember(B, 2).at(5), recall(A).at(12)]),
        on("w-sb-next-3", 2)
            .first([remember(B, 2), remember(A, 1)])
            .thread([remember(C, 3).at(5)])
            .thread([recall(B).at(5), recall(A).at(12)])
            .thread([recall(A).at(5), recall(B).at(5)]),
        on("w-mp-renewal", 2)
            .first([remember(A, 1)])
            .thread([remember(B, 2).at(5), recall(A).at(5)])
            .thread([peek(A).at(12), recall(B).at(12)]),
        on("w-mp-renewals", 2)
            .first([remember(A, 1), remember(B, 2)])
            .thread([recall(B).at(5), recall(A).at(5)])
            .thread([peek(A).at(12), peek(B).at(12)]),
    ]
}

/// 12 again. Two insertions, and two readers that must agree which came first.
pub fn four_threads() -> Vec<Scenario> {
    vec![
        on("w-f-iriw", 2)
            .thread([remember(A, 1)])
            .thread([remember(B, 2)])
            .thread([recall(A), recall(B)])
            .thread([recall(B), recall(A)]),
    ]
}
