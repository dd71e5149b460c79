//! What an order promises, for the free functions and for prepared candidates.

use affinity_hash::{Candidates, mix13, order, order_into, pick};
use proptest::prelude::*;
use rapidhash::v3::rapidhash_v3;

/// The definition: the highest score first, then the identity's bytes, then the index.
fn model(key: u64, identities: &[String]) -> Vec<usize> {
    let score =
        |i: usize| mix13(key ^ rapidhash_v3(identities[i].as_bytes()) ^ 0x1319_8a2e_0370_7344);
    let mut order: Vec<usize> = (0..identities.len()).collect();
    order.sort_by(|&a, &b| {
        let by_score = score(b).cmp(&score(a));
        by_score.then_with(|| identities[a].cmp(&identities[b]))
    });
    order
}

fn prepared(candidates: &Candidates, key: &str) -> Vec<usize> {
    let mut order = Vec::new();
    candidates.order(key, &mut order);
    order
}

fn names(identities: &[String], order: &[usize]) -> Vec<String> {
    order.iter().map(|&i| identities[i].clone()).collect()
}

/// Lists with repeated and empty identities, on both sides of each size where the method changes.
fn lists() -> impl Strategy<Value = Vec<String>> {
    let identity = prop_oneof![
        4 => (0u32..1000).prop_map(|i| format!("acct-{i}")),
        1 => (0u32..3).prop_map(|i| "x".repeat(i as usize)),
        1 => any::<String>(),
    ];
    let len = prop_oneof![0usize..20, 14usize..19, 60usize..70, 120usize..140];
    len.prop_flat_map(move |len| prop::collection::vec(identity.clone(), len))
}

/// Two texts of one hash: the eight bytes at 96 multiply the last lane by zero, so what stands
/// behind them does not count.
fn colliding() -> [String; 2] {
    ["a", "b"].map(|different| {
        let head = "h".repeat(95);
        let zero = "\u{8c}8\u{1c}(e\u{17}\u{d400}";
        let text = format!("{head}{zero}{different}");
        let text = format!("{text}{}", "t".repeat(140 - text.len()));
        assert_eq!(
            text.as_bytes()[96..104],
            0x90ed_1765_281c_388cu64.to_le_bytes()
        );
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_way_to_ask_gives_the_defined_order(key: String, identities in lists()) {
        let expected = model(rapidhash_v3(key.as_bytes()), &identities);
        let mut sorted = expected.clone();
        sorted.sort_unstable();
        prop_assert_eq!(sorted, (0..identities.len()).collect::<Vec<_>>());

        prop_assert_eq!(&order(&key, &identities), &expected);
        let first = expected.first().map(|&first| &*identities[first]);
        prop_assert_eq!(pick(&key, &identities), first);

        let candidates = Candidates::new(&identities);
        prop_assert_eq!(&prepared(&candidates, &key), &expected);
        prop_assert_eq!(candidates.pick(&*key), expected.first().copied());
        prop_assert_eq!(candidates.pick(key.as_bytes()), expected.first().copied());
        prop_assert_eq!(candidates.iter(&key).collect::<Vec<_>>(), &expected[..]);
        prop_assert_eq!(&candidates.first::<0>(&key)[..], &[]);
        prop_assert_eq!(&candidates.first::<1>(&key)[..], &expected[..expected.len().min(1)]);
        prop_assert_eq!(&candidates.first::<5>(&key)[..], &expected[..expected.len().min(5)]);
        prop_assert_eq!(&candidates.first::<200>(&key)[..], &expected[..]);
    }

    #[test]
    fn a_number_is_a_key_as_it_is(key: u64, identities in lists()) {
        let candidates = Candidates::new(&identities);
        let mut order = Vec::new();
        candidates.order(key, &mut order);
        prop_assert_eq!(order, model(key, &identities));
    }

    #[test]
    fn the_kth_is_the_pick_without_the_ones_before(key: String, identities in lists()) {
        let mut left: Vec<String> = identities.clone();
        for next in names(&identities, &order(&key, &identities)).into_iter().take(30) {
            prop_assert_eq!(pick(&key, &left), Some(&*next));
            let at = left.iter().position(|identity| *identity == next);
            left.remove(at.expect("the pick is in the list"));
        }
    }

    #[test]
    fn a_shuffled_list_has_the_same_order(
        key: String,
        (identities, shuffled) in lists().prop_flat_map(|list| {
            (Just(list.clone()), Just(list).prop_shuffle())
        }),
    ) {
        let expected = names(&identities, &order(&key, &identities));
        prop_assert_eq!(&names(&shuffled, &order(&key, &shuffled)), &expected);
        let candidates = Candidates::new(&shuffled);
        prop_assert_eq!(&names(&shuffled, &prepared(&candidates, &key)), &expected);
    }

    #[test]
    fn removing_a_candidate_leaves_the_others_in_order(
        key: String,
        identities in lists(),
        removed: prop::sample::Index,
    ) {
        prop_assume!(!identities.is_empty());
        let mut left = identities.clone();
        let removed = left.remove(removed.index(left.len()));
        let mut expected = names(&identities, &order(&key, &identities));
        let at = expected.iter().position(|identity| *identity == removed);
        expected.remove(at.expect("every identity is in the order"));
        prop_assert_eq!(names(&left, &order(&key, &left)), expected);
    }
}

#[test]
fn a_repeated_identity_has_one_share() {
    let candidates = Candidates::new(["a", "a", "b"]);
    let keys = 20_000;
    let b = (0..keys)
        .filter(|&key: &u64| candidates.pick(key) == Some(2))
        .count();
    assert!((9_700..10_300).contains(&b), "{b} of {keys}");
    assert!((0..keys).all(|key| candidates.pick(key) != Some(1)));
}

#[test]
fn identities_of_one_hash_are_in_the_order_of_their_bytes() {
    let [a, b] = colliding();
    assert_eq!(rapidhash_v3(a.as_bytes()), rapidhash_v3(b.as_bytes()));
    let others = (0..100).map(|i| format!("acct-{i}"));
    for n in [0, 10, 40, 100] {
        let mut identities = vec![b.clone(), a.clone(), b.clone()];
        identities.extend(others.clone().take(n));
        for key in 0..50u64 {
            let key = key.to_string();
            let expected = model(rapidhash_v3(key.as_bytes()), &identities);
            let at = expected
                .iter()
                .position(|&i| i == 1)
                .expect("a is in the order");
            assert_eq!(expected[at..at + 3], [1, 0, 2]);
            assert_eq!(order(&key, &identities), expected);
            let candidates = Candidates::new(&identities);
            assert_eq!(prepared(&candidates, &key), expected);
            assert_eq!(candidates.iter(&key).collect::<Vec<_>>(), expected);
            assert_eq!(candidates.pick(&key), Some(expected[0]));
            assert_eq!(pick(&key, &identities), Some(&*identities[expected[0]]));
        }
    }
}

#[test]
fn a_hundred_thousand_candidates_are_all_in_the_order() {
    let identities: Vec<String> = (0..100_000).map(|i| format!("acct-{i}")).collect();
    let candidates = Candidates::new(&identities);
    let expected = model(rapidhash_v3(b"s-1"), &identities);
    assert_eq!(prepared(&candidates, "s-1"), expected);
    assert_eq!(order("s-1", &identities), expected);
    assert_eq!(candidates.pick("s-1"), Some(expected[0]));
    assert_eq!(candidates.first::<4>("s-1")[..], expected[..4]);
    assert!(
        candidates
            .iter("s-1")
            .take(9)
            .eq(expected[..9].iter().copied())
    );

    // All of one identity: every score is equal.
    let same = vec!["same"; 100_000];
    assert!(order("s-1", &same).into_iter().eq(0..100_000));
    assert!(
        prepared(&Candidates::new(&same), "s-1")
            .into_iter()
            .eq(0..100_000)
    );
}

#[test]
fn long_keys_and_identities_are_like_any_other() {
    let key = "k".repeat(1 << 20);
    let identities = ["i".repeat(1 << 20), "j".repeat(1 << 20), String::new()];
    assert_eq!(
        order(&key, &identities),
        model(rapidhash_v3(key.as_bytes()), &identities)
    );
    assert!(Candidates::new(&identities).pick(&key).is_some());
}

#[test]
fn an_empty_list_has_an_empty_order() {
    assert!(order::<&str>("key", &[]).is_empty());
    assert_eq!(pick::<&str>("", &[]), None);
    let candidates = Candidates::new::<[&str; 0]>([]);
    assert!(candidates.is_empty());
    assert_eq!(candidates.pick("key"), None);
    assert!(candidates.first::<3>("key").is_empty());
    assert_eq!(candidates.iter("key").next(), None);
    assert!(prepared(&candidates, "key").is_empty());
}

#[test]
fn an_empty_key_is_a_key() {
    let identities = ["a", "b", "c"];
    assert_eq!(
        order("", &identities),
        prepared(&Candidates::new(identities), "")
    );
    assert!(pick("", &identities).is_some());
}

#[test]
fn a_buffer_is_cleared_first() {
    let mut out = vec![9, 9, 9, 9];
    order_into("key", &["a", "b"], &mut out);
    assert_eq!(out.len(), 2);
    out.push(9);
    Candidates::new(["a"]).order("key", &mut out);
    assert_eq!(out, [0]);
}

/// With `hash(identity + key)` these two are one.
#[test]
fn key_and_identity_have_a_bound_between_them() {
    let first = |key: u64, identity: &str| model(key, &[identity.to_string(), "z".to_string()]);
    let keys = 0..64u32;
    let differ = keys.filter(|i| {
        let one = first(rapidhash_v3(format!("1x{i}").as_bytes()), "n1");
        let other = first(rapidhash_v3(format!("x{i}").as_bytes()), "n11");
        one != other
    });
    assert!(differ.count() > 10);
}

/// Without a constant between them, a key with a candidate's text would score zero there.
#[test]
fn a_key_with_the_text_of_a_candidate_does_not_avoid_it() {
    let identities: Vec<String> = (0..200).map(|i| format!("acct-{i}")).collect();
    let candidates = Candidates::new(&identities);
    let last = (0..200).filter(|&i| candidates.iter(&identities[i]).last() == Some(i));
    assert!(last.count() < 10);
}

#[test]
fn candidates_know_their_identities_and_weights() {
    let candidates = Candidates::weighted([("b", 2), ("", 0), ("a", 2)]);
    let all: Vec<(&str, u32)> = (0..candidates.len())
        .map(|i| (candidates.identity(i), candidates.weight(i)))
        .collect();
    assert_eq!(all, [("b", 2), ("", 0), ("a", 2)]);
    assert_eq!(Candidates::new(["a"]).weight(0), 1);
    assert_eq!(
        format!("{candidates:?}"),
        "Candidates { len: 3, weights: 2, .. }"
    );
}

#[test]
fn an_iterator_knows_its_length() {
    let candidates = Candidates::new(["a", "b", "c", "d", "e", "f"]);
    let mut iter = candidates.iter("key");
    for left in (0..6).rev() {
        assert!(iter.next().is_some());
        assert_eq!(iter.len(), left);
    }
    assert_eq!((iter.next(), iter.next()), (None, None));
}

#[test]
fn everything_can_cross_threads() {
    fn check<T: Send + Sync>() {}
    check::<Candidates>();
    check::<affinity_hash::Iter<'_>>();
    check::<affinity_hash::ChainBuilder>();
    check::<affinity_hash::Scope>();
    check::<affinity_hash::Key>();
    check::<affinity_hash::BoundedLoad>();
}
