//! Every scenario on the protocol as shipped, with both locks.

use loom_tests::{Keeping, Lock, Scenario, run, scenarios};

fn check(group: fn() -> Vec<Scenario>, lock: Lock, keeping: Keeping) {
    for scenario in group() {
        run(&scenario, lock, keeping);
    }
}

macro_rules! models {
    ($($group:ident)*) => {$(
        mod $group {
            use super::*;

            #[test]
            fn orders_real_time_under_looms_lock() {
                check(scenarios::$group, Lock::Loom, Keeping::RealTime);
            }

            #[test]
            fn orders_threads_under_the_weakest_lock() {
                check(scenarios::$group, Lock::PerThread, Keeping::ProgramOrder);
            }
        }
    )*};
}

models! {
    eviction_against_recall
    eviction_against_remember
    eviction_against_reinsertion
    expiry_against_renewal
    inserters_at_limit_one
    stragglers
    forgetting_against_remember
    one_fingerprint
    own_ttl_against_renewal
    clear_against_insertion
    walks
    filter
    len_by_its_contract
}

/// Taking the time would add the very order that these scenarios find missing.
mod orderings {
    use super::*;

    #[test]
    fn suffice_under_looms_lock() {
        check(scenarios::orderings, Lock::Loom, Keeping::ProgramOrder);
    }

    #[test]
    fn suffice_under_the_weakest_lock() {
        check(scenarios::orderings, Lock::PerThread, Keeping::ProgramOrder);
    }
}

/// loom's lock orders the readers besides, and takes the longest of all to explore.
#[test]
fn four_threads_agree_under_the_weakest_lock() {
    check(
        scenarios::four_threads,
        Lock::PerThread,
        Keeping::ProgramOrder,
    );
}
