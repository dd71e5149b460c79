//! The golden vectors of docs/spec-hash.md, which `golden/reference.py` derives from its text.
//!
//! CI runs this file in debug, in release and with `-C target-cpu=native`.

use std::hash::Hasher as _;

use affinity_hash::{
    BoundedLoad, Candidates, Chain, ChainBuilder, Key, Scope, chain, mix13, order, pick,
    prefix_bytes,
};
use serde_json::Value;
use siphasher::sip::SipHasher13;

fn load(text: &str) -> Value {
    serde_json::from_str(text).expect("the vectors are JSON")
}

fn chains() -> Value {
    load(include_str!("golden/chains.json"))
}

fn cases<'a>(tables: &'a Value, name: &str, at_least: usize) -> &'a [Value] {
    let cases = tables[name].as_array().expect("a table of cases");
    assert!(cases.len() >= at_least, "{} {name}", cases.len());
    cases
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

fn number(value: &Value) -> u64 {
    value.as_u64().expect("a number")
}

fn hexadecimal(value: &Value) -> u64 {
    u64::from_str_radix(text(value), 16).expect("a hexadecimal number")
}

/// A text, or `{"seed", "len"}`: byte i is mix13(seed * 2^32 + i) mod 256.
fn bytes(value: &Value) -> Vec<u8> {
    if let Some(text) = value.as_str() {
        return text.into();
    }
    let seed = number(&value["seed"]);
    let byte = |i| mix13(seed << 32 | i) as u8;
    (0..number(&value["len"])).map(byte).collect()
}

/// A list of texts, or `{"prefix", "count"}`: the prefix and 0, 1, 2, … in decimal.
fn identities(value: &Value) -> Vec<String> {
    if let Some(list) = value.as_array() {
        return list.iter().map(|identity| text(identity).into()).collect();
    }
    let prefix = text(&value["prefix"]);
    (0..number(&value["count"]))
        .map(|i| format!("{prefix}{i}"))
        .collect()
}

fn indices(value: &Value) -> Vec<usize> {
    let list = value.as_array().expect("a list of indices");
    list.iter().map(|index| number(index) as usize).collect()
}

fn scope(case: &Value) -> Scope {
    let key = case["key"].as_str();
    let start = key.map_or_else(Scope::public, |hex| {
        Scope::keyed(&Key::from_hex(hex).expect("a key"))
    });
    let parts = case["scope"].as_array().expect("the parts of a scope");
    parts.iter().fold(start, |scope, part| {
        let value = text(&part[1]).as_bytes();
        match text(&part[0]) {
            "tenant" => scope.tenant(value),
            "model" => scope.model(value),
            "salt" => scope.salt(value),
            kind => panic!("no part of a scope: {kind}"),
        }
    })
}

#[test]
fn chains_are_the_specified_ones() {
    let tables = chains();
    let mut builder = ChainBuilder::new();
    for case in cases(&tables, "chains", 200) {
        let entries = case["entries"].as_array().expect("entries");
        let entries: Vec<Vec<u8>> = entries.iter().map(bytes).collect();
        let links = case["links"].as_array().expect("links");
        let links: Vec<u64> = links.iter().map(hexadecimal).collect();

        builder.start(scope(case));
        let mut in_pieces = Chain::new(scope(case));
        for (entry, &link) in entries.iter().zip(&links) {
            builder.push(entry);
            for piece in entry.chunks(37) {
                in_pieces.piece(piece);
            }
            assert_eq!(in_pieces.end(), link, "in pieces: {case}");
        }
        assert_eq!(builder.links(), links, "{case}");
        assert_eq!(builder.prefix_bytes(), prefix_bytes(&entries), "{case}");
        if case["key"].is_null() && case["scope"] == Value::Array(Vec::new()) {
            assert_eq!(chain(&entries), links, "{case}");
        }
    }
}

#[test]
fn fingerprints_of_ids_are_the_specified_ones() {
    for case in cases(&chains(), "ids", 40) {
        let found = scope(case).fingerprint(text(&case["id"]).as_bytes());
        assert_eq!(found, hexadecimal(&case["fingerprint"]), "{case}");
    }
}

#[test]
fn check_values_are_the_specified_ones() {
    for case in cases(&chains(), "check_values", 4) {
        let key = Key::from_hex(text(&case["key"])).expect("a key");
        let found = u32::from_be_bytes(key.check_value());
        assert_eq!(format!("{found:08x}"), text(&case["check_value"]), "{case}");
    }
}

#[test]
fn siphash_is_the_published_function() {
    let published = load(include_str!("golden/siphash-1-3.json"));
    let published = published.as_array().expect("outputs");
    assert_eq!(published.len(), 64);
    let mut prf = SipHasher13::new_with_key(&std::array::from_fn(|i| i as u8));
    for (n, output) in published.iter().enumerate() {
        let found = u64::from_be_bytes(prf.finish().to_le_bytes());
        assert_eq!(format!("{found:016x}"), text(output), "{n} bytes");
        prf.write(&[n as u8]);
    }
}

/// The order by every way to ask for it, each of which must agree with the others.
fn all_orders(candidates: &Candidates, key: &Value) -> Vec<usize> {
    match key["u64"].as_str() {
        Some(hex) => {
            let key = u64::from_str_radix(hex, 16).expect("a hexadecimal number");
            orders_of(candidates, key)
        }
        None => orders_of(candidates, &*bytes(key)),
    }
}

fn orders_of<K: affinity_hash::RendezvousKey + Copy>(
    candidates: &Candidates,
    key: K,
) -> Vec<usize> {
    let mut order = Vec::new();
    candidates.order(key, &mut order);
    assert_eq!(candidates.pick(key), order.first().copied());
    assert_eq!(candidates.first::<3>(key)[..], order[..order.len().min(3)]);
    assert!(candidates.iter(key).eq(order.iter().copied()));
    order
}

#[test]
fn orders_are_the_specified_ones() {
    let tables = load(include_str!("golden/orders.json"));
    for case in cases(&tables, "orders", 200) {
        let identities = identities(&case["identities"]);
        let expected = indices(&case["order"]);
        let candidates = Candidates::new(&identities);
        assert_eq!(all_orders(&candidates, &case["key"]), expected, "{case}");
        if let Some(key) = case["key"].as_str() {
            assert_eq!(order(key, &identities), expected, "{case}");
            let first = expected.first().map(|&first| &*identities[first]);
            assert_eq!(pick(key, &identities), first, "{case}");
        }
    }
}

#[test]
fn weighted_orders_are_the_specified_ones() {
    let tables = load(include_str!("golden/weighted.json"));
    for case in cases(&tables, "weighted", 100) {
        let weights = indices(&case["weights"]);
        let identities = identities(&case["identities"]);
        let weights = weights.iter().map(|&weight| weight as u32);
        let candidates = Candidates::weighted(identities.iter().zip(weights));
        let expected = indices(&case["order"]);
        assert_eq!(all_orders(&candidates, &case["key"]), expected, "{case}");
    }
}

/// Vectors small enough for a page: those of the section "Bounded load".
#[test]
fn caps_are_the_specified_ones() {
    let bound = BoundedLoad {
        factor_percent: 125,
        floor: 2,
    };
    assert_eq!(bound.cap(7, 1, 4), 3);
    assert_eq!(bound.cap(0, 1, 4), 2);
    assert_eq!(bound.cap(7, 3, 4), 8);
    assert_eq!(bound.cap(7, 3, 0), 2);
}
