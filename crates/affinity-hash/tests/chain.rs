//! What a chain promises, in both constructions.

use affinity_hash::{Chain, ChainBuilder, Key, Scope, chain, prefix_bytes};
use proptest::prelude::*;

fn scopes() -> [Scope; 2] {
    [Scope::public(), Scope::keyed(&Key::new([7; 16]))]
}

fn links<E: AsRef<[u8]>>(scope: Scope, entries: &[E]) -> Vec<u64> {
    let mut builder = ChainBuilder::with_scope(scope);
    for entry in entries {
        builder.push(entry.as_ref());
    }
    builder.links().to_vec()
}

/// A conversation's fingerprint, `None` for the empty one.
fn fingerprint(scope: Scope, entries: &[&str]) -> Option<u64> {
    links(scope, entries).last().copied()
}

fn entries() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let entry = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..20),
        prop::collection::vec(any::<u8>(), 100..400),
    ];
    prop::collection::vec(entry, 0..8)
}

#[test]
fn ambiguous_conversations_differ() {
    let conversations: [&[&str]; 14] = [
        &[],
        &[""],
        &["", ""],
        &["ab", "c"],
        &["a", "bc"],
        &["abc"],
        &["a", "b"],
        &["b", "a"],
        &["a", "a"],
        &["a"],
        &["a", ""],
        &["", "a"],
        &["a\0"],
        &["\0a"],
    ];
    for scope in scopes() {
        for (i, one) in conversations.iter().enumerate() {
            for other in &conversations[..i] {
                let (a, b) = (fingerprint(scope, one), fingerprint(scope, other));
                assert_ne!(a, b, "{one:?} and {other:?}");
            }
        }
    }
}

#[test]
fn scopes_are_typed_and_ordered() {
    for scope in scopes() {
        let different = [
            scope,
            scope.tenant(b"X").salt(b""),
            scope.tenant(b"").salt(b"X"),
            scope.salt(b"X").tenant(b""),
            scope.tenant(b"X"),
            scope.model(b"X"),
            scope.salt(b"X"),
            scope.tenant(b""),
            scope.tenant(b"").tenant(b""),
            Scope::keyed(&Key::new([8; 16])).tenant(b"X"),
        ];
        let mut seen = std::collections::HashSet::new();
        for scope in different {
            assert!(seen.insert(links(scope, &["X"])[0]));
            assert!(seen.insert(scope.fingerprint(b"X")));
        }
    }
}

/// With rapidhash seeded by the previous link, an entry whose first word is the secret multiplies
/// the state by zero: all histories before it are forgotten.
#[test]
fn no_entry_makes_a_chain_forget_its_history() {
    for secret in [
        0x2d35_8dcc_aa6c_78a5u64,
        0x8bb8_4b93_962e_acc9,
        0x4b33_a62e_d433_d4a3,
        0x4d5a_2da5_1de1_aa47,
        0xa076_1d64_78bd_642f,
        0xe703_7ed1_a0b4_28db,
        0x90ed_1765_281c_388c,
    ] {
        for len in [16, 17, 32, 48, 112, 113, 128, 240] {
            let words = secret.to_le_bytes().into_iter().cycle();
            let attack: Vec<u8> = words.take(len).collect();
            for scope in scopes() {
                let one = links(scope, &[b"tenant A's secret".as_slice(), &attack, b"hi"]);
                let other = links(scope, &[b"other history".as_slice(), &attack, b"hi"]);
                assert_ne!(one[1], other[1], "{secret:x}, {len} bytes");
                assert_ne!(one[2], other[2], "{secret:x}, {len} bytes");
            }
        }
    }
}

#[test]
fn different_histories_never_merge_under_equal_continuations() {
    for scope in scopes() {
        let mut chains: Vec<Chain> = (0..100u32)
            .map(|i| {
                let mut chain = Chain::new(scope);
                chain.push(&i.to_le_bytes());
                chain
            })
            .collect();
        for turn in 0..50u32 {
            let links = chains
                .iter_mut()
                .map(|chain| chain.push(&turn.to_le_bytes()));
            let distinct: std::collections::HashSet<u64> = links.collect();
            assert_eq!(distinct.len(), 100);
        }
    }
}

#[test]
fn the_public_chain_is_the_free_function() {
    assert_eq!(
        links(Scope::default(), &["a", "", "b"]),
        chain(&["a", "", "b"])
    );
}

#[test]
fn push_ends_the_entry_that_pieces_began() {
    for scope in scopes() {
        let mut chain = Chain::new(scope);
        chain.piece(b"hel");
        assert_eq!(chain.link(), None);
        let link = chain.push(b"lo");
        assert_eq!(vec![link], links(scope, &["hello"]));
        assert_eq!(chain.link(), Some(link));
    }
}

#[test]
fn a_builder_counts_ended_entries_only() {
    let mut builder = ChainBuilder::new();
    builder.push(b"four");
    builder.piece(b"open");
    assert_eq!((builder.len(), builder.prefix_bytes()), (1, 4));
    builder.end();
    assert_eq!((builder.len(), builder.prefix_bytes()), (2, 8));
    builder.clear();
    assert_eq!((builder.len(), builder.prefix_bytes()), (0, 0));
    assert_eq!(builder.push(b"x"), chain(&["x"])[0]);
}

#[test]
fn a_cleared_builder_forgets_an_open_entry() {
    let mut builder = ChainBuilder::with_scope(Scope::public().tenant(b"t"));
    builder.piece(b"half an entry");
    builder.clear();
    assert_eq!(builder.prefix_bytes(), 0);
    assert_eq!(
        builder.push(b"x"),
        links(Scope::public().tenant(b"t"), &["x"])[0]
    );
}

#[test]
fn a_mebibyte_is_an_entry_like_any_other() {
    let large = vec![b'x'; 1 << 20];
    for scope in scopes() {
        let mut chain = Chain::new(scope);
        for piece in large.chunks(1000) {
            chain.piece(piece);
        }
        assert_eq!(vec![chain.end()], links(scope, &[&large]));
    }
}

#[test]
fn prefix_bytes_are_the_sum_of_the_lengths() {
    assert_eq!(prefix_bytes::<&str>(&[]), 0);
    assert_eq!(prefix_bytes(&["", "ab", "c"]), 3);
}

#[test]
fn nothing_secret_or_private_is_shown() {
    let key = Key::from_hex("6b6579206d6174657269616c2d2d2d21").expect("a key");
    let scope = Scope::keyed(&key).tenant(b"tenant name");
    let mut builder = ChainBuilder::with_scope(scope);
    builder.push(b"prompt");
    let chain = Chain::new(scope);
    let shown = format!("{key:?} {scope:?} {chain:?} {builder:?}");
    let expected = "Key(..) Scope(keyed, ..) Chain(keyed, ..) \
        ChainBuilder { scope: Scope(keyed, ..), len: 1, prefix_bytes: 6 }";
    assert_eq!(shown, expected);
}

#[test]
fn a_key_is_32_hexadecimal_digits() {
    use affinity_hash::KeyError;

    let refused = |hex: &str| Key::from_hex(hex).err();
    assert_eq!(refused(""), Some(KeyError::Length { found: 0 }));
    assert_eq!(
        refused(&"0".repeat(33)),
        Some(KeyError::Length { found: 33 })
    );
    assert_eq!(
        refused("0000000000000000000000000000000g"),
        Some(KeyError::Digit { at: 31 })
    );
    assert_eq!(
        refused("00000000000000é00000000000000000"),
        Some(KeyError::Length { found: 33 })
    );
    assert_eq!(
        refused("00000000000000é0000000000000000"),
        Some(KeyError::Digit { at: 14 })
    );
    let upper = Key::from_hex("ABCDEF00000000000000000000000000").expect("a key");
    let lower = Key::from_hex("abcdef00000000000000000000000000").expect("a key");
    assert_eq!(upper.check_value(), lower.check_value());
}

proptest! {
    #[test]
    fn the_chain_of_a_turn_is_a_prefix_of_the_next(entries in entries(), turn in 0usize..8) {
        let turn = turn.min(entries.len());
        for scope in scopes() {
            let all = links(scope, &entries);
            prop_assert_eq!(&links(scope, &entries[..turn])[..], &all[..turn]);
        }
    }

    #[test]
    fn any_pieces_of_an_entry_give_its_link(entries in entries(), size in 1usize..200) {
        for scope in scopes() {
            let mut pieces = ChainBuilder::with_scope(scope);
            for entry in &entries {
                entry.chunks(size).for_each(|piece| pieces.piece(piece));
                pieces.end();
            }
            prop_assert_eq!(pieces.links(), links(scope, &entries));
            prop_assert_eq!(pieces.prefix_bytes(), prefix_bytes(&entries));
        }
    }

    #[test]
    fn different_conversations_differ(one in entries(), other in entries()) {
        prop_assume!(one != other);
        for scope in scopes() {
            let (one, other) = (links(scope, &one), links(scope, &other));
            prop_assert!(one.is_empty() && other.is_empty() || one.last() != other.last());
        }
    }

    #[test]
    fn a_clone_continues_on_its_own(entries in entries(), more in entries()) {
        for scope in scopes() {
            let mut chain = Chain::new(scope);
            entries.iter().for_each(|entry| { chain.push(entry); });
            let mut clone = chain.clone();
            clone.push(b"elsewhere");
            let whole = links(scope, &[&entries[..], &more[..]].concat());
            let rest: Vec<u64> = more.iter().map(|entry| chain.push(entry)).collect();
            prop_assert_eq!(&whole[entries.len()..], rest);
        }
    }
}
