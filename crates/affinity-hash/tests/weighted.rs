//! What weights promise.

use std::collections::HashMap;

use affinity_hash::{Candidates, mix13};
use proptest::prelude::*;
use rapidhash::v3::rapidhash_v3;

/// The definition in floating point: exact enough, unless two candidates nearly tie.
fn model(key: u64, list: &[(String, u32)]) -> Vec<usize> {
    let rank = |i: usize| {
        let (identity, weight) = &list[i];
        let score = mix13(key ^ rapidhash_v3(identity.as_bytes()) ^ 0x1319_8a2e_0370_7344);
        let neg_ln = -((score as f64 + 0.5) / 2f64.powi(64)).ln();
        let ratio = if *weight == 0 {
            f64::INFINITY
        } else {
            neg_ln / f64::from(*weight)
        };
        (ratio, !score)
    };
    let mut order: Vec<usize> = (0..list.len()).collect();
    order.sort_by(|&a, &b| rank(a).partial_cmp(&rank(b)).expect("no NaN"));
    order
}

fn order(candidates: &Candidates, key: u64) -> Vec<usize> {
    let mut order = Vec::new();
    candidates.order(key, &mut order);
    order
}

fn candidates(list: &[(String, u32)]) -> Candidates {
    Candidates::weighted(list.iter().map(|(identity, weight)| (identity, *weight)))
}

fn lists() -> impl Strategy<Value = Vec<(String, u32)>> {
    let weight = prop_oneof![
        3 => 0u32..4,
        1 => any::<u32>(),
        1 => prop::sample::select(vec![1, 1000, u32::MAX]),
    ];
    let len = prop_oneof![0usize..20, 14usize..19, 60usize..70, 120usize..140];
    len.prop_flat_map(move |len| prop::collection::vec(weight.clone(), len))
        .prop_map(|weights| {
            let name = |(i, weight)| (format!("acct-{i}"), weight);
            weights.into_iter().enumerate().map(name).collect()
        })
}

/// How often each candidate comes first, of `keys` keys.
fn firsts(candidates: &Candidates, keys: u64) -> HashMap<usize, u64> {
    let mut firsts = HashMap::new();
    for key in 0..keys {
        *firsts
            .entry(candidates.pick(mix13(key)).expect("a candidate"))
            .or_default() += 1;
    }
    firsts
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_way_to_ask_gives_the_defined_order(key: u64, list in lists()) {
        let expected = model(key, &list);
        let candidates = candidates(&list);
        prop_assert_eq!(&order(&candidates, key), &expected);
        prop_assert_eq!(candidates.pick(key), expected.first().copied());
        prop_assert_eq!(candidates.iter(key).collect::<Vec<_>>(), &expected[..]);
        prop_assert_eq!(&candidates.first::<5>(key)[..], &expected[..expected.len().min(5)]);
    }

    #[test]
    fn equal_weights_give_the_unweighted_order(key: u64, n in 0usize..80, weight: u32) {
        let list: Vec<(String, u32)> = (0..n).map(|i| (format!("acct-{i}"), weight)).collect();
        let unweighted = Candidates::new(list.iter().map(|(identity, _)| identity));
        prop_assert_eq!(order(&candidates(&list), key), order(&unweighted, key));
    }

    #[test]
    fn a_shuffled_list_has_the_same_order(
        key: u64,
        (list, shuffled) in lists().prop_flat_map(|list| {
            (Just(list.clone()), Just(list).prop_shuffle())
        }),
    ) {
        let names = |list: &[(String, u32)]| -> Vec<String> {
            let order = order(&candidates(list), key);
            order.into_iter().map(|i| list[i].0.clone()).collect()
        };
        prop_assert_eq!(names(&list), names(&shuffled));
    }

    #[test]
    fn changing_one_weight_moves_that_candidate_only(
        key: u64,
        list in lists(),
        changed: prop::sample::Index,
        weight: u32,
    ) {
        prop_assume!(!list.is_empty());
        let changed = changed.index(list.len());
        let others = |list: &[(String, u32)]| -> Vec<usize> {
            let order = order(&candidates(list), key);
            order.into_iter().filter(|&i| i != changed).collect()
        };
        let mut after = list.clone();
        after[changed].1 = weight;
        prop_assert_eq!(others(&list), others(&after));
    }
}

#[test]
fn shares_are_in_proportion_to_the_weights() {
    let keys = 200_000;
    for weights in [
        &[1, 2, 3, 10][..],
        &[1, 1, 1, 97],
        &[5, 0, 5],
        &[1, 1_000_000],
    ] {
        let list: Vec<(String, u32)> = weights
            .iter()
            .enumerate()
            .map(|(i, &weight)| (format!("acct-{i}"), weight))
            .collect();
        let firsts = firsts(&candidates(&list), keys);
        let total: u32 = weights.iter().sum();
        for (i, &weight) in weights.iter().enumerate() {
            let share = f64::from(weight) / f64::from(total);
            let expected = share * keys as f64;
            let deviation = (expected * (1.0 - share)).sqrt();
            let found = firsts.get(&i).copied().unwrap_or(0) as f64;
            let error = (found - expected).abs();
            assert!(
                error <= 4.0 * deviation,
                "weight {weight} of {weights:?}: {found}"
            );
        }
    }
}

#[test]
fn doubling_one_weight_moves_the_ideal_share_to_it() {
    let weights = |of_the_first: u32| {
        let weight = move |i| if i == 0 { of_the_first } else { 10 };
        Candidates::weighted((0..10).map(|i| (format!("acct-{i}"), weight(i))))
    };
    let (before, after) = (weights(10), weights(20));
    let keys = 100_000;
    let mut moved = 0;
    for key in (0..keys).map(mix13) {
        let (from, to) = (before.pick(key), after.pick(key));
        if from != to {
            moved += 1;
            assert_eq!(to, Some(0));
        }
    }
    // 20 / 110 - 10 / 100 of the keys.
    assert!((7_900..8_460).contains(&moved), "{moved} of {keys}");
}

#[test]
fn an_identity_with_two_weights_counts_with_the_larger() {
    let twice = Candidates::weighted([("a", 1), ("a", 3), ("b", 1)]);
    let once = Candidates::weighted([("a", 3), ("b", 1)]);
    for key in 0..1000 {
        let expected: &[usize] = if once.pick(key) == Some(0) {
            &[1]
        } else {
            &[2]
        };
        assert_eq!(twice.pick(key).as_slice(), expected);
        let order = order(&twice, key);
        let place = |i| order.iter().position(|&other| other == i);
        assert!(place(1) < place(0));
    }
}

#[test]
fn weight_zero_is_last_and_never_absent() {
    let candidates = Candidates::weighted([("a", 0), ("b", 1), ("c", 0), ("d", u32::MAX)]);
    for key in 0..1000 {
        let order = order(&candidates, key);
        assert!(order[..2].contains(&1) && order[..2].contains(&3));
        assert!(order[2..].contains(&0) && order[2..].contains(&2));
    }
}

#[test]
fn a_hundred_thousand_different_weights_are_all_in_the_order() {
    let list: Vec<(String, u32)> = (0..100_000).map(|i| (format!("acct-{i}"), i)).collect();
    let candidates = candidates(&list);
    let order = order(&candidates, 7);
    assert_eq!(order, model(7, &list));
    assert_eq!(candidates.pick(7), Some(order[0]));
    assert_eq!(candidates.first::<3>(7)[..], order[..3]);
}
