//! Every planted fault is found, by the scenario and under the lock that are named here.

use loom_tests::{FAULTS, Fault, Keeping, Lock, scenarios};

macro_rules! twins {
    ($($fault:ident: $scenario:literal, $lock:ident, $keeping:ident, $says:literal;)*) => {
        $(
            #[test]
            #[should_panic(expected = $says)]
            fn $fault() {
                let scenario = scenarios::named($scenario);
                Fault::named(stringify!($fault)).run(&scenario, Lock::$lock, Keeping::$keeping);
            }
        )*

        const TWINS: &[&str] = &[$(stringify!($fault)),*];
    };
}

twins! {
    removal_by_key: "f-evict", Loom, RealTime, "not linearizable";
    last_removal_by_key: "s-overtaken-1", Loom, RealTime, "not linearizable";
    no_last_look: "s-forget-1", Loom, RealTime, "I9: at rest an evicted memory is left";
    last_look_at_own_only: "s-three-forget-1", Loom, RealTime, "I9: at rest an evicted memory is left";
    last_look_after_stale_only: "s-three-forget-1", Loom, RealTime, "I9: at rest an evicted memory is left";
    number_outside_lock: "w-f-mp-evict", Loom, RealTime, "not linearizable";
    evicted_one_early: "two-by-two-1", Loom, RealTime, "not linearizable";
    no_logical_check_in_remember: "newcomer", Loom, RealTime, "not linearizable";
    no_logical_check_in_recall: "two-by-two-1", Loom, RealTime, "not linearizable";
    renewal_may_shorten: "renew", Loom, RealTime, "not linearizable";
    step_not_renewed: "step-hits", Loom, RealTime, "not linearizable";
    remember_may_shorten: "own-ttl-shorter", Loom, RealTime, "not linearizable";
    place_replaced_blindly: "disorder", Loom, RealTime, "I6: at rest a memory is not in its place";
    no_place_test: "s-other-residue-2", Loom, RealTime, "exceeded maximum number of branches";
    raised_after_number: "w-f-mp-evict", Loom, RealTime, "not linearizable";
    lowered_before_removal: "f-evict", Loom, RealTime, "I8: a counter at 0 over 1 memories";
    lowered_without_tag: "f-tags", Loom, RealTime, "I8: at rest a counter of tags";
    map_call_under_lock: "same-key", Loom, RealTime, "I10: a map or ring call under a shard's lock";

    next_add_relaxed: "w-f-mp-evict", PerThread, ProgramOrder, "not linearizable";
    next_add_acquire: "w-f-mp-evict", PerThread, ProgramOrder, "not linearizable";
    next_add_release: "w-f-sb", PerThread, ProgramOrder, "not linearizable";
    next_load_relaxed: "w-f-mp-evict", PerThread, ProgramOrder, "not linearizable";
    lower_relaxed: "w-f-mp-forget", PerThread, ProgramOrder, "not linearizable";
    absent_relaxed: "w-f-mp-forget", PerThread, ProgramOrder, "not linearizable";
    all_absent_relaxed: "walk-filter", PerThread, ProgramOrder, "not linearizable";
    deadline_load_relaxed: "w-mp-renewal", PerThread, ProgramOrder, "not linearizable";
    verdict_by_load: "w-sb-deadlines", PerThread, ProgramOrder, "not linearizable";
    verdict_relaxed: "w-sb-next-3", PerThread, ProgramOrder, "not linearizable";
    verdict_acquire: "w-sb-next-3", PerThread, ProgramOrder, "not linearizable";
    verdict_release: "w-mp-renewal", PerThread, ProgramOrder, "not linearizable";
    renewal_relaxed: "w-mp-renewal", PerThread, ProgramOrder, "not linearizable";
    renewal_acquire: "w-mp-renewal", PerThread, ProgramOrder, "not linearizable";
    renewal_release: "w-sb-next-3", PerThread, ProgramOrder, "not linearizable";
    swap_relaxed: "s-three-forget-1", PerThread, ProgramOrder, "I9: at rest an evicted memory is left";
    swap_acquire: "s-three-forget-1", PerThread, ProgramOrder, "I9: at rest an evicted memory is left";
    swap_release: "s-three-forget-1", PerThread, ProgramOrder, "I9: at rest an evicted memory is left";
}

#[test]
fn every_fault_has_its_twin() {
    let without: Vec<_> = FAULTS
        .iter()
        .map(Fault::name)
        .filter(|name| !TWINS.contains(name))
        .collect();
    // The feature `mutants` adds faults that ci/mutants.sh looks after.
    assert!(
        without.is_empty() || cfg!(feature = "mutants"),
        "{without:?}"
    );
}
