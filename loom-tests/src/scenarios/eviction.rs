//! What an insertion evicts, and how that is reclaimed.

use super::on;
use crate::scenario::{A, B, C, D, Scenario, ZERO, forget, len, recall, remember};

pub(super) fn against_recall() -> Vec<Scenario> {
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

pub(super) fn against_remember() -> Vec<Scenario> {
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

pub(super) fn against_reinsertion() -> Vec<Scenario> {
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

pub(super) fn at_limit_one() -> Vec<Scenario> {
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

pub(super) fn stragglers() -> Vec<Scenario> {
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
