//! What was forgotten stays forgotten; what was removed is not brought back.

use std::time::Duration;

use crate::common::{accounts, is_permutation, links, opener, talk};
use affinity_router::Clock;
use affinity_router::{ChannelSet, Channels, Identity, Router, Source};

#[test]
fn an_older_decision_cannot_bring_back_a_forgotten_conversation() {
    let router = Router::builder().build();
    let channels = accounts(&router, 4);
    let turns = links(&["system", "hi", "hello", "more", "yes", "again"]);
    router.route(talk(&turns[..2]), &channels).served(3);
    let same = router.route(talk(&turns[..4]), &channels);
    let later = router.route(talk(&turns), &channels);
    router.forget(talk(&turns[..4]));
    same.served(3);
    later.served(3);
    assert_eq!(router.memories(), 0);
    let next = router.route(talk(&turns), &channels);
    assert_eq!(next.source(), Source::Opener);
    next.served(2);
    assert_eq!(router.route(talk(&turns), &channels).order()[0], 2);
}

#[test]
fn an_older_decision_cannot_bring_back_a_forgotten_session() {
    let router = Router::builder().build();
    let channels = accounts(&router, 4);
    let session = Identity::session(77);
    let older = router.route(session, &channels);
    router.forget(session);
    older.served(1);
    router.alias(&older.ticket(), 77, channels.get(1).unwrap());
    assert_eq!(router.memories(), 0);
}

#[test]
fn an_older_decision_cannot_bring_back_a_forgotten_channel() {
    let router = Router::builder().build();
    let channels = accounts(&router, 3);
    let (one, two) = (opener(1), opener(2));
    router.route(talk(&one), &channels).served(0);
    router.route(talk(&two), &channels).served(1);
    let older = router.route(talk(&one), &channels);
    assert_eq!(router.forget_channel(channels.get(0).unwrap()), 1);
    older.served(0);
    assert_eq!(router.memories(), 1, "only the other channel's");
    older.served(2);
    assert_eq!(
        router.route(talk(&one), &channels).order()[0],
        2,
        "it may still bind to a channel that was not forgotten"
    );
    router.route(talk(&one), &channels).served(0);
    assert_eq!(router.route(talk(&one), &channels).order()[0], 0);
}

#[test]
fn forgetting_one_conversation_stops_no_other() {
    let router = Router::builder().build();
    let channels = accounts(&router, 3);
    let (one, two) = (links(&["s", "a"]), links(&["s", "b"]));
    let other = router.route(Identity::chain(&two, Some(1), 0), &channels);
    router.forget(Identity::chain(&one[1..], Some(0), 0));
    other.served(1);
    assert_eq!(router.memories(), 1);
}

#[test]
fn a_removed_channel_is_not_brought_back_and_its_memory_is_stepped_over() {
    let router = Router::builder().build();
    let set = ChannelSet::new((0..4).map(|i| router.channel(&format!("acct-{i}"))));
    let turns = links(&["system", "hi", "hello", "more"]);
    {
        let channels = set.load();
        router.route(talk(&turns[..2]), &channels).served(1);
        router.route(talk(&turns), &channels).served(3);
    }
    assert!(set.remove("acct-3"));
    {
        let channels = set.load();
        let decision = router.route(talk(&turns), &channels);
        assert!(is_permutation(decision.order(), 3));
        assert_eq!(decision.source(), Source::Memory { depth: 2, of: 4 });
        assert_eq!(decision.order()[0], 1);
    }
    set.add(router.channel("acct-3"));
    let channels = set.load();
    let back = router.route(talk(&turns), &channels);
    let first = back.channels().next().unwrap();
    assert_eq!(first.name(), "acct-3", "the account is back, its cache too");
}

#[test]
fn a_new_channel_is_never_taken_for_a_removed_one() {
    let router = Router::builder().build();
    let set = ChannelSet::new([router.channel("old"), router.channel("other")]);
    router.route(Identity::session(1), &set.load()).served(0);
    set.remove("old");
    set.add(router.channel("new"));
    let decision_source = router.route(Identity::session(1), &set.load()).source();
    assert_eq!(decision_source, Source::Session { remembered: false });
}

#[test]
fn changing_the_set_touches_no_memory_and_no_decision_under_way() {
    let router = Router::builder().build();
    let set = ChannelSet::new([router.channel("a"), router.channel("b")]);
    let before = set.load();
    let under_way = router.route(Identity::session(4), &before);
    assert!(set.reweight("b", 9));
    assert!(!set.reweight("c", 9));
    assert!(!set.remove("c"));
    set.replace([router.channel("b")]);
    under_way.served(1);
    let after = set.load();
    let decision = router.route(Identity::session(4), &after);
    assert_eq!(decision.source(), Source::Session { remembered: true });
    assert_eq!(decision.order(), [0]);
}

#[test]
fn only_the_keys_of_a_removed_channel_move() {
    let router = Router::builder().build();
    let all = accounts(&router, 10);
    let fewer = Channels::new(all.iter().take(9).cloned());
    for number in 0..500 {
        let first = opener(number);
        let before = router.route(talk(&first), &all).order()[0];
        let after = router.route(talk(&first), &fewer).order()[0];
        assert!(before == 9 || before == after);
    }
}

#[test]
fn each_channel_has_its_own_ttl_renewed_by_use() {
    let (clock, mock) = Clock::mock();
    let router = Router::builder()
        .clock(clock)
        .ttl(Duration::from_secs(300))
        .build();
    let channels = Channels::new([
        router.channel("short"),
        router
            .channel("long")
            .ttl(affinity_router::ttl::ANTHROPIC_1H),
    ]);
    let remembered = |session| {
        let decision = router.route(Identity::session(session), &channels);
        decision.is_remembered()
    };
    router.route(Identity::session(1), &channels).served(0);
    router.route(Identity::session(2), &channels).served(1);
    mock.increment(Duration::from_secs(299));
    assert!(remembered(1) && remembered(2));
    mock.increment(Duration::from_secs(299));
    assert!(remembered(1), "renewed by the look-up before");
    mock.increment(Duration::from_secs(300));
    assert!(!remembered(1), "gone exactly at the bound");
    mock.increment(Duration::from_secs(3000 - 1));
    assert!(remembered(2));
}
