//! Bounded load, against a model with lists and floating-point-free fractions.

use affinity_hash::BoundedLoad;
use proptest::prelude::*;

/// The definition, with the division and with two lists.
fn model(bound: BoundedLoad, order: &[usize], in_flight: &[u32], weights: &[u32]) -> Vec<usize> {
    let total = order.iter().map(|&i| u64::from(in_flight[i])).sum();
    let total_weight = order.iter().map(|&i| u64::from(weights[i])).sum();
    let has_room =
        |&&i: &&usize| u64::from(in_flight[i]) < bound.cap(total, weights[i], total_weight);
    let (first, behind): (Vec<usize>, Vec<usize>) = order.iter().partition(has_room);
    [first, behind].concat()
}

fn applied(
    bound: BoundedLoad,
    order: &[usize],
    in_flight: &[u32],
    weights: Option<&[u32]>,
) -> Vec<usize> {
    let mut order = order.to_vec();
    bound.apply(&mut order, in_flight, weights);
    order
}

proptest! {
    #[test]
    fn who_is_at_the_cap_goes_behind_in_order(
        loads in prop::collection::vec((0u32..20, 0u32..5), 0..40),
        factor_percent in 0u32..400,
        floor in 0u32..6,
        seed: u64,
    ) {
        let bound = BoundedLoad { factor_percent, floor };
        let (in_flight, weights): (Vec<u32>, Vec<u32>) = loads.into_iter().unzip();
        let mut order: Vec<usize> = (0..in_flight.len()).collect();
        order.sort_by_key(|&i| affinity_hash::mix13(seed ^ i as u64));

        let alike = vec![1; weights.len()];
        prop_assert_eq!(applied(bound, &order, &in_flight, None), model(bound, &order, &in_flight, &alike));
        prop_assert_eq!(
            applied(bound, &order, &in_flight, Some(&weights)),
            model(bound, &order, &in_flight, &weights)
        );
    }
}

#[test]
fn below_the_cap_nothing_moves() {
    let bound = BoundedLoad {
        factor_percent: 150,
        floor: 0,
    };
    assert_eq!(applied(bound, &[2, 0, 1], &[3, 3, 3], None), [2, 0, 1]);
}

#[test]
fn when_all_are_at_the_cap_nothing_moves() {
    let bound = BoundedLoad {
        factor_percent: 0,
        floor: 0,
    };
    assert_eq!(applied(bound, &[2, 0, 1], &[5, 6, 7], None), [2, 0, 1]);
}

#[test]
fn at_the_cap_is_over() {
    // ceil(1.5 · (5 + 1) / 3) = 3
    let bound = BoundedLoad {
        factor_percent: 150,
        floor: 0,
    };
    assert_eq!(bound.cap(5, 1, 3), 3);
    assert_eq!(applied(bound, &[0, 1, 2], &[3, 2, 0], None), [1, 2, 0]);
}

#[test]
fn the_floor_keeps_small_replicas_from_spilling() {
    let bound = BoundedLoad {
        factor_percent: 150,
        floor: 4,
    };
    assert_eq!(applied(bound, &[0, 1, 2], &[3, 0, 0], None), [0, 1, 2]);
    assert_eq!(applied(bound, &[0, 1, 2], &[4, 0, 0], None), [1, 2, 0]);
}

#[test]
fn weights_widen_the_cap() {
    let bound = BoundedLoad {
        factor_percent: 100,
        floor: 0,
    };
    assert_eq!(applied(bound, &[0, 1], &[3, 1], Some(&[3, 1])), [0, 1]);
    assert_eq!(applied(bound, &[0, 1], &[3, 1], None), [1, 0]);
}

#[test]
fn shares_are_taken_over_the_candidates_in_the_order() {
    let bound = BoundedLoad {
        factor_percent: 150,
        floor: 0,
    };
    // Candidate 2 is filtered out; its hundred requests do not make room for the others.
    assert_eq!(applied(bound, &[0, 1], &[3, 0, 100], None), [1, 0]);
}

#[test]
fn any_numbers_are_accepted() {
    let most = BoundedLoad {
        factor_percent: u32::MAX,
        floor: u32::MAX,
    };
    assert_eq!(most.cap(u64::MAX, u32::MAX, 1), u64::MAX);
    assert_eq!(most.cap(0, 1, 0), u64::from(u32::MAX));
    let full = [u32::MAX; 3];
    assert_eq!(applied(most, &[2, 1, 0], &full, Some(&full)), [2, 1, 0]);
    assert_eq!(applied(most, &[], &[], None), []);
    // No counts and no weights for the candidates: nothing in flight, weight 0.
    let none = BoundedLoad {
        factor_percent: 150,
        floor: 0,
    };
    assert_eq!(applied(none, &[7, 3], &[], Some(&[])), [7, 3]);
    let large: Vec<usize> = (0..100_000).rev().collect();
    assert_eq!(applied(BoundedLoad::default(), &large, &[], None), large);
}
