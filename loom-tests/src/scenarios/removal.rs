//! Forgetting and clearing.

use super::on;
use crate::scenario::{A, B, C, Scenario, clear, forget, forget_channel, recall, remember};

pub(super) fn forgetting_against_remember() -> Vec<Scenario> {
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

pub(super) fn clear_against_insertion() -> Vec<Scenario> {
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
