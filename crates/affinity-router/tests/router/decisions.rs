//! What a decision promises, one fact a test.

use crate::common::{accounts, is_permutation, links, links_in, opener, talk};
use affinity_router::{Channels, Identity, Router, Source};

#[test]
fn parallel_first_turns_agree_without_memory() {
    let replicas = [(); 8].map(|()| Router::builder().build());
    for number in 0..100 {
        let first = opener(number);
        let orders = replicas.each_ref().map(|router| {
            let channels = accounts(router, 10);
            router.route(talk(&first), &channels).order().to_vec()
        });
        assert!(orders.iter().all(|order| *order == orders[0]));
    }
}

#[test]
fn the_order_of_the_list_does_not_matter() {
    let router = Router::builder().build();
    let forward = accounts(&router, 7);
    let backward = Channels::new((0..7).rev().map(|i| router.channel(&format!("acct-{i}"))));
    let names = |channels: &Channels, number| {
        let first = opener(number);
        let decision = router.route(talk(&first), channels);
        let names: Vec<String> = decision.channels().map(|c| c.name().into()).collect();
        names
    };
    assert!((0..100).all(|n| names(&forward, n) == names(&backward, n)));
}

#[test]
fn a_fail_over_rebinds() {
    let router = Router::builder().build();
    let channels = accounts(&router, 3);
    let turn = links(&["system", "hi", "hello", "more"]);
    let first = router.route(talk(&turn[..2]), &channels);
    let other = first.order()[1];
    first.served(other);
    let next = router.route(talk(&turn), &channels);
    assert_eq!(next.order()[0], other);
    assert_eq!(next.source(), Source::Memory { depth: 2, of: 4 });
    assert!(next.is_remembered());
}

#[test]
fn the_last_success_wins() {
    let router = Router::builder().build();
    let channels = accounts(&router, 4);
    let first = opener(1);
    let (one, two) = (
        router.route(talk(&first), &channels),
        router.route(talk(&first), &channels),
    );
    two.served(2);
    one.served(3);
    assert_eq!(router.route(talk(&first), &channels).order()[0], 3);
}

#[test]
fn a_dropped_decision_binds_nothing() {
    let router = Router::builder().build();
    let channels = accounts(&router, 3);
    drop(router.route(talk(&opener(1)), &channels));
    assert_eq!(router.memories(), 0);
    let again = router.route(talk(&opener(1)), &channels).source();
    assert_eq!(again, Source::Opener);
}

#[test]
fn a_spilled_request_keeps_its_home() {
    let router = Router::builder().build();
    let channels = accounts(&router, 3);
    let first = opener(1);
    router.route(talk(&first), &channels).served(1);
    router.route(talk(&first), &channels).spilled(2);
    assert_eq!(router.route(talk(&first), &channels).order()[0], 1);
}

#[test]
fn a_session_decides_before_the_chain() {
    let router = Router::builder().build();
    let channels = accounts(&router, 8);
    let chain = opener(1);
    router.route(talk(&chain), &channels).served(0);
    let sessions = (0..50_u64).map(|s| {
        let decision = router.route(talk(&chain).with_session(s << 50 | s), &channels);
        assert_eq!(decision.source(), Source::Session { remembered: false });
        decision.order()[0]
    });
    assert!(sessions.collect::<std::collections::HashSet<_>>().len() > 1);
}

#[test]
fn a_session_that_failed_over_stays_where_it_went() {
    let router = Router::builder().build();
    let channels = accounts(&router, 4);
    let session = Identity::session(router.scope(None, None).fingerprint(b"s-1"));
    let first = router.route(session, &channels);
    let other = first.order()[1];
    first.served(other);
    let next = router.route(session, &channels);
    assert_eq!(next.order()[0], other);
    assert_eq!(next.source(), Source::Session { remembered: true });
}

#[test]
fn sessions_are_not_remembered_when_told_so() {
    let router = Router::builder().remember_sessions(false).build();
    let channels = accounts(&router, 4);
    let session = Identity::session(7);
    let first = router.route(session, &channels);
    first.served(first.order()[1]);
    router.alias(&first.ticket(), 8, channels.get(0).unwrap());
    assert_eq!(router.memories(), 0);
    let next = router.route(session, &channels);
    assert_eq!(next.order(), first.order());
}

#[test]
fn an_alias_leads_to_the_channel_that_served() {
    let router = Router::builder().build();
    let channels = accounts(&router, 5);
    let first = router.route(Identity::session(1), &channels);
    router.alias(&first.ticket(), 2, channels.get(3).unwrap());
    assert_eq!(router.route(Identity::session(2), &channels).order()[0], 3);
}

#[test]
fn tenants_with_equal_conversations_never_meet() {
    let router = Router::builder().build();
    let channels = accounts(&router, 16);
    let entries = ["system", "the same question"];
    let of = |tenant| links_in(router.scope(Some(tenant), Some("m")), &entries);
    router.route(talk(&of("a")), &channels).served(5);
    assert_eq!(
        router.route(talk(&of("b")), &channels).source(),
        Source::Opener
    );
    let session = |tenant| router.scope(Some(tenant), None).fingerprint(b"s");
    assert_ne!(session("a"), session("b"));
}

#[test]
fn models_are_different_conversations_unless_told_otherwise() {
    let entries = ["system", "question"];
    let apart = Router::builder().build();
    let links_for = |router: &Router, model| links_in(router.scope(None, Some(model)), &entries);
    assert_ne!(links_for(&apart, "small"), links_for(&apart, "large"));
    let joined = Router::builder().scope_model(false).build();
    assert_eq!(links_for(&joined, "small"), links_for(&joined, "large"));
}

#[test]
fn a_key_changes_every_fingerprint() {
    let plain = Router::builder().build().scope(Some("t"), None);
    let key = affinity_hash::Key::new([7; 16]);
    let keyed = Router::builder().key(key).build().scope(Some("t"), None);
    assert_ne!(plain.fingerprint(b"x"), keyed.fingerprint(b"x"));
}

#[test]
fn a_short_prefix_is_ordered_but_not_remembered_and_stops_no_longer_one() {
    let router = Router::builder().min_prefix_bytes(1000).build();
    let channels = accounts(&router, 4);
    let turns = links(&["system", "hi", "hello", "more"]);
    let short = Identity::chain(&turns[..2], Some(1), 999);
    let decision = router.route(short, &channels);
    decision.served(decision.order()[1]);
    assert_eq!(router.memories(), 0);

    let long = Identity::chain(&turns, Some(1), 1000);
    let decision = router.route(long, &channels);
    assert_eq!(decision.source(), Source::Opener);
    let other = decision.order()[1];
    decision.served(other);
    assert_eq!(router.route(long, &channels).order()[0], other);
}

#[test]
fn a_prefix_without_a_user_turn_is_never_remembered() {
    let router = Router::builder().build();
    let channels = accounts(&router, 4);
    let system = links(&["everybody's system prompt"]);
    let identity = Identity::chain(&system, None, 100_000);
    router.route(identity, &channels).served(0);
    assert_eq!(router.memories(), 0);
}

#[test]
fn a_shared_system_prompt_spreads_over_the_channels() {
    let router = Router::builder().build();
    let channels = accounts(&router, 8);
    let mut load = [0; 8];
    for number in 0..800 {
        let first = opener(number);
        let decision = router.route(talk(&first), &channels);
        load[decision.order()[0]] += 1;
        decision.served(decision.order()[0]);
    }
    assert!(load.iter().all(|n| (60..150).contains(n)), "{load:?}");
}

#[test]
fn forks_of_a_conversation_stay_apart() {
    let router = Router::builder().build();
    let channels = accounts(&router, 6);
    let one = links(&["system", "hi", "hello", "left"]);
    let two = links(&["system", "hi", "hello", "right"]);
    router.route(talk(&one), &channels).served(0);
    router.route(talk(&two), &channels).served(1);
    assert_eq!(router.route(talk(&one), &channels).order()[0], 0);
    assert_eq!(router.route(talk(&two), &channels).order()[0], 1);
}

#[test]
fn the_second_choice_differs_between_conversations() {
    let router = Router::builder().build();
    let channels = accounts(&router, 5);
    let seconds: std::collections::HashSet<usize> = (0..1000)
        .map(opener)
        .map(|first| router.route(talk(&first), &channels).order().to_vec())
        .filter(|order| order[0] == 0)
        .map(|order| order[1])
        .collect();
    assert_eq!(seconds.len(), 4, "fail-over from one channel spreads");
}

#[test]
fn an_unknown_request_is_spread_by_weight_and_has_no_home() {
    let router = Router::builder().build();
    let channels = Channels::new([
        router.channel("small"),
        router.channel("large").weight(3),
        router.channel("drained").weight(0),
    ]);
    let mut load = [0; 3];
    for _ in 0..4000 {
        let decision = router.route(Identity::anonymous(), &channels);
        assert_eq!(decision.source(), Source::None);
        assert_eq!(decision.home(), None);
        decision.served(decision.order()[0]);
        load[decision.order()[0]] += 1;
    }
    assert_eq!(load[2], 0);
    assert!((850..1150).contains(&load[0]), "{load:?}");
    assert_eq!(router.memories(), 0);
}

#[test]
fn round_robin_takes_turns() {
    let router = Router::builder().build();
    let channels = accounts(&router, 3);
    let firsts: Vec<usize> = (0..6)
        .map(|_| router.rotate(&channels).order()[0])
        .collect();
    assert_eq!(firsts, [0, 1, 2, 0, 1, 2]);
    assert_eq!(router.rotate(&Channels::new([])).order(), []);
}

#[test]
fn no_channels_give_an_empty_order() {
    let router = Router::builder().build();
    let none = Channels::new([]);
    assert_eq!(router.route(talk(&opener(1)), &none).order(), []);
    assert_eq!(router.route(Identity::session(1), &none).order(), []);
    assert_eq!(router.route(Identity::anonymous(), &none).home(), None);
}

#[test]
fn more_channels_than_fit_inline_are_ordered_too() {
    let router = Router::builder().build();
    for n in [15, 16, 17, 100] {
        let channels = accounts(&router, n);
        let first = opener(n);
        router.route(talk(&first), &channels).served(n - 1);
        let decision = router.route(talk(&first), &channels);
        assert_eq!(decision.order()[0], n - 1);
        assert!(is_permutation(decision.order(), n));
    }
}

#[test]
fn nothing_shows_a_fingerprint() {
    let router = Router::builder().build();
    let channels = accounts(&router, 2);
    let chain = [0x1234_5678_9abc_def0, 0x0fed_cba9_8765_4321];
    let identity = Identity::chain(&chain, Some(1), 0).with_session(0x1111_2222_3333_4444);
    let decision = router.route(identity, &channels);
    decision.served(0);
    let shown = format!("{identity:?}{decision:?}{:?}{router:?}", decision.ticket());
    for secret in chain.into_iter().chain(identity_session()) {
        assert!(!shown.contains(&secret.to_string()), "{shown}");
        assert!(!shown.contains(&format!("{secret:x}")), "{shown}");
    }
}

fn identity_session() -> Option<u64> {
    Some(0x1111_2222_3333_4444)
}

#[test]
fn everything_is_send_and_sync() {
    fn check<T: Send + Sync>() {}
    check::<Router>();
    check::<Channels>();
    check::<affinity_router::ChannelSet>();
    check::<affinity_router::Decision<'_>>();
    check::<affinity_router::Ticket>();
    check::<affinity_router::InFlight>();
}
