//! Expiry and renewal.

use super::on;
use crate::scenario::{A, B, Scenario, peek, purge, recall, remember, remember_for};

pub(super) fn against_renewal() -> Vec<Scenario> {
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

pub(super) fn own_ttl_against_renewal() -> Vec<Scenario> {
    vec![
        on("own-ttl", 1)
            .first([remember_for(A, 1, 4)])
            .thread([recall(A).at(3)])
            .thread([recall(A).at(4)]),
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

pub(super) fn renewal_in_steps() -> Vec<Scenario> {
    vec![
        on("step-hits", 1)
            .renewal_step(4)
            .first([remember(A, 1)])
            .thread([recall(A).at(3), recall(A).at(6)])
            .thread([recall(A).at(4), recall(A).at(12)]),
        on("step-behind", 1)
            .renewal_step(4)
            .first([remember(A, 1)])
            .thread([recall(A).at(5)])
            .thread([recall(A).at(3), recall(A).at(16)]),
        on("step-remember", 1)
            .renewal_step(4)
            .first([remember(A, 1)])
            .thread([remember(A, 2).at(2)])
            .thread([recall(A).at(3), recall(A).at(14)]),
        on("step-purge", 1)
            .renewal_step(4)
            .first([remember(A, 1)])
            .thread([recall(A).at(5), recall(A).at(16)])
            .thread([purge().at(16)]),
        // The second recall may have read the deadline before the first raised it, and raises it too:
        // how much of the step a memory gets is nobody's to say.
        on("step-peeks", 1)
            .renewal_step(4)
            .first([remember(A, 1)])
            .thread([recall(A).at(5)])
            .thread([recall(A).at(6)])
            .thread([peek(A).at(19), peek(A).at(19)]),
        on("step-evict", 1)
            .renewal_step(4)
            .first([remember(A, 1)])
            .thread([remember(B, 2).at(5)])
            .thread([recall(A).at(5), recall(A).at(6)]),
    ]
}
