//! What callers are told of one memory, of a walk and of the count.

use super::on;
use crate::scenario::{A, B, C, Scenario, forget, len, purge, recall, remember, walk};

pub(super) fn one_fingerprint() -> Vec<Scenario> {
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

pub(super) fn walks() -> Vec<Scenario> {
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

pub(super) fn len_by_its_contract() -> Vec<Scenario> {
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
