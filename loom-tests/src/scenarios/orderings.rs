//! Which order all threads agree on.

use super::on;
use crate::scenario::{A, B, C, D, Scenario, forget, peek, recall, remember};

pub(super) fn filter() -> Vec<Scenario> {
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
        on("f-tags", 2)
            .first([remember(A, 1)])
            .thread([remember(B, 2), recall(A)])
            .thread([forget(A), recall(B)])
            .one_counter_of_tags(),
        on("f-tags-evict", 1)
            .first([remember(A, 1)])
            .thread([remember(B, 2)])
            .thread([remember(A, 3), recall(A)])
            .one_counter_of_tags(),
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
        on("w-f-iriw", 2)
            .thread([remember(A, 1)])
            .thread([remember(B, 2)])
            .thread([recall(A), recall(B)])
            .thread([recall(B), recall(A)])
            .keeping_program_order_only(),
    ]
}

pub(super) fn handed_on() -> Vec<Scenario> {
    vec![
        on("w-coherence", 2)
            .first([remember(A, 1), remember(B, 2)])
            .thread([remember(C, 3), remember(D, 4)])
            .thread([recall(B), recall(A)])
            .keeping_program_order_only(),
        on("w-mp", 2)
            .first([remember(B, 2), remember(A, 1)])
            .thread([recall(A).at(5), remember(C, 3).at(5)])
            .thread([recall(B).at(5), recall(A).at(12)])
            .keeping_program_order_only(),
        on("w-sb-deadlines", 2)
            .first([remember(A, 1), remember(B, 2)])
            .thread([recall(A).at(5), recall(B).at(12)])
            .thread([recall(B).at(5), recall(A).at(12)])
            .keeping_program_order_only(),
        on("w-f-sb-deadline", 2)
            .first([remember(A, 1)])
            .thread([recall(A).at(5), recall(B).at(5)])
            .thread([remember(B, 2).at(5), recall(A).at(12)])
            .keeping_program_order_only(),
        on("w-sb-next-3", 2)
            .first([remember(B, 2), remember(A, 1)])
            .thread([remember(C, 3).at(5)])
            .thread([recall(B).at(5), recall(A).at(12)])
            .thread([recall(A).at(5), recall(B).at(5)])
            .keeping_program_order_only(),
        on("w-mp-renewal", 2)
            .first([remember(A, 1)])
            .thread([remember(B, 2).at(5), recall(A).at(5)])
            .thread([peek(A).at(12), recall(B).at(12)])
            .keeping_program_order_only(),
        on("w-mp-renewals", 2)
            .first([remember(A, 1), remember(B, 2)])
            .thread([recall(B).at(5), recall(A).at(5)])
            .thread([peek(A).at(12), peek(B).at(12)])
            .keeping_program_order_only(),
        on("w-mp-step", 2)
            .renewal_step(6)
            .first([remember(A, 1)])
            .thread([remember(B, 2).at(5), recall(A).at(5)])
            .thread([recall(A).at(11), recall(B).at(11)])
            .keeping_program_order_only(),
    ]
}
