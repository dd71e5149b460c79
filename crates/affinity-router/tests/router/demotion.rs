//! Cooling down, too much load: who goes behind, and for how long.

use std::time::Duration;

use crate::common::{accounts, is_permutation, opener, talk};
use affinity_hash::BoundedLoad;
use affinity_router::Clock;
use affinity_router::{Channels, Demoted, Identity, Router};

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn a_cooling_channel_goes_behind_and_keeps_its_memory() {
    let router = Router::builder().build();
    let channels = accounts(&router, 4);
    let first = opener(1);
    router.route(talk(&first), &channels).served(2);
    router.cool_for(channels.get(2).unwrap(), 60 * SECOND);
    let decision = router.route(talk(&first), &channels);
    assert_eq!(decision.order().last(), Some(&2));
    assert_eq!(decision.home(), Some(2));
    assert_eq!(decision.demoted(), Some(Demoted::Cooling));
    assert!(is_permutation(decision.order(), 4));
    assert_eq!(router.memories(), 1);
}

#[test]
fn demoted_channels_go_behind_in_order() {
    let router = Router::builder().build();
    let channels = accounts(&router, 8);
    let first = opener(1);
    let before = router.route(talk(&first), &channels).order().to_vec();
    for position in [before[0], before[3], before[4]] {
        router.cool_for(channels.get(position).unwrap(), SECOND);
    }
    let after = router.route(talk(&first), &channels);
    let expected = [1, 2, 5, 6, 7, 0, 3, 4].map(|rank| before[rank]);
    assert_eq!(after.order(), expected);
}

#[test]
fn all_demoted_is_as_none_demoted() {
    let router = Router::builder().build();
    let channels = accounts(&router, 5);
    let first = opener(1);
    router.route(talk(&first), &channels).served(4);
    let before = router.route(talk(&first), &channels).order().to_vec();
    for channel in &channels {
        router.cool_for(channel, SECOND);
    }
    let after = router.route(talk(&first), &channels);
    assert_eq!(after.order(), before);
    assert_eq!(after.order()[0], 4);
}

#[test]
fn time_lifts_a_cooldown_at_its_end() {
    let (clock, mock) = Clock::mock();
    let router = Router::builder().clock(clock.clone()).build();
    let channels = accounts(&router, 2);
    let channel = channels.get(0).unwrap();
    router.cool(channel, clock.now() + 10 * SECOND);
    assert_eq!(router.cooling(channel), Some(10 * SECOND));
    router.cool_for(channel, SECOND);
    assert_eq!(router.cooling(channel), Some(10 * SECOND), "the later end");
    mock.increment(10 * SECOND);
    assert_eq!(router.cooling(channel), None);
}

#[test]
fn a_success_decided_since_lifts_a_cooldown_and_an_older_one_does_not() {
    let (clock, mock) = Clock::mock();
    let router = Router::builder().clock(clock).build();
    let channels = accounts(&router, 2);
    let channel = channels.get(0).unwrap();
    let older = router.route(Identity::session(1), &channels);
    mock.increment(SECOND);
    router.cool_for(channel, 60 * SECOND);
    older.served(0);
    assert!(router.cooling(channel).is_some());
    mock.increment(SECOND);
    router.route(Identity::session(2), &channels).spilled(0);
    assert_eq!(router.cooling(channel), None);
}

/// The time of requests may lag, by default; no decision may seem younger than it is.
#[test]
fn a_success_decided_moments_before_a_cooldown_does_not_lift_it() {
    let router = Router::builder().build();
    let channels = accounts(&router, 2);
    let channel = channels.get(0).unwrap();
    for session in 0..1000 {
        let older = router.route(Identity::session(session), &channels);
        router.cool_for(channel, 60 * SECOND);
        older.served(0);
        assert!(router.cooling(channel).is_some());
    }
}

#[test]
fn a_full_channel_goes_behind_until_a_request_ends() {
    let router = Router::builder().build();
    let channels = Channels::new([
        router.channel("a").max_in_flight(1),
        router.channel("b").max_in_flight(1),
    ]);
    let session = Identity::session(9);
    router.route(session, &channels).served(0);
    let request = channels.get(0).unwrap().begin();
    let decision = router.route(session, &channels);
    assert_eq!(decision.order(), [1, 0]);
    assert_eq!(decision.demoted(), Some(Demoted::OverLoad));
    drop(request);
    assert_eq!(router.route(session, &channels).order(), [0, 1]);
}

#[test]
fn bounded_load_sends_the_overloaded_behind_and_the_home_stays() {
    let bound = BoundedLoad {
        factor_percent: 150,
        floor: 2,
    };
    let router = Router::builder().bounded_load(bound).build();
    let channels = accounts(&router, 4);
    let session = Identity::session(3);
    router.route(session, &channels).served(1);
    let held: Vec<_> = (0..2).map(|_| channels.get(1).unwrap().begin()).collect();
    let decision = router.route(session, &channels);
    assert_eq!(decision.home(), Some(1));
    assert_eq!(decision.demoted(), Some(Demoted::OverLoad));
    assert_eq!(decision.order().last(), Some(&1));
    decision.spilled(decision.order()[0]);
    drop(held);
    assert_eq!(router.route(session, &channels).order()[0], 1);
}

#[test]
fn the_shares_of_cooling_channels_go_to_the_others() {
    // Eight in flight on one of four: the cap is ceil(1.5 * 9 / 4) = 4. With three cooling it is
    // ceil(1.5 * 9) = 14, and the working one may keep all.
    let bound = BoundedLoad {
        factor_percent: 150,
        floor: 1,
    };
    let router = Router::builder().bounded_load(bound).build();
    let channels = accounts(&router, 4);
    let held: Vec<_> = (0..8).map(|_| channels.get(0).unwrap().begin()).collect();
    let session = Identity::session(5);
    router.route(session, &channels).served(0);
    assert_eq!(
        router.route(session, &channels).demoted(),
        Some(Demoted::OverLoad)
    );
    for position in 1..4 {
        router.cool_for(channels.get(position).unwrap(), SECOND);
    }
    assert_eq!(router.route(session, &channels).demoted(), None);
    drop(held);
}

#[test]
fn handles_of_one_name_share_load_and_cooldown() {
    let router = Router::builder().build();
    let (one, two) = (router.channel("a"), router.channel("a").weight(5));
    let request = one.begin();
    router.cool_for(&one, SECOND);
    assert_eq!(two.in_flight(), 1);
    assert!(router.cooling(&two).is_some());
    drop(request);
    assert_eq!(one.in_flight(), 0);
}
