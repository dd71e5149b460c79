//! For any channels, loads and identity: the order is a permutation, demoted behind the others.

use std::time::Duration;

use crate::common::is_permutation;
use affinity_hash::BoundedLoad;
use affinity_router::{Channels, Identity, Router, Source};
use proptest::prelude::*;

#[derive(Debug, Clone)]
struct Member {
    name: u8,
    weight: u32,
    in_flight: usize,
    max_in_flight: u32,
    cooling: bool,
}

fn member() -> impl Strategy<Value = Member> {
    (0..40_u8, 0..5_u32, 0..4_usize, 1..6_u32, any::<bool>()).prop_map(
        |(name, weight, in_flight, max_in_flight, cooling)| Member {
            name,
            weight,
            in_flight,
            max_in_flight,
            cooling,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn the_order_is_always_a_permutation(
        members in prop::collection::vec(member(), 0..24),
        links in prop::collection::vec(any::<u64>(), 0..6),
        opener in prop::option::of(0..8_usize),
        session in prop::option::of(any::<u64>()),
        bounded in prop::option::of((100..300_u32, 0..4_u32)),
        served in any::<prop::sample::Index>(),
    ) {
        let mut builder = Router::builder();
        if let Some((factor_percent, floor)) = bounded {
            builder = builder.bounded_load(BoundedLoad { factor_percent, floor });
        }
        let router = builder.build();
        let channels = Channels::new(members.iter().map(|m| {
            router
                .channel(&m.name.to_string())
                .weight(m.weight)
                .max_in_flight(m.max_in_flight)
        }));
        let mut identity = Identity::chain(&links, opener, 0);
        if let Some(session) = session {
            identity = identity.with_session(session);
        }
        let mut held = Vec::new();
        for round in 0..3 {
            let decision = router.route(identity, &channels);
            prop_assert!(is_permutation(decision.order(), channels.len()));
            prop_assert_eq!(decision.home().is_none(), decision.source() == Source::None || channels.is_empty());
            prop_assert!(is_permutation(router.rotate(&channels).order(), channels.len()));
            if channels.is_empty() {
                break;
            }
            let position = served.index(channels.len());
            decision.served(position);
            if round == 0 {
                for (member, channel) in members.iter().zip(&channels) {
                    held.extend((0..member.in_flight).map(|_| channel.begin()));
                    if member.cooling {
                        router.cool_for(channel, Duration::from_secs(60));
                    }
                }
            }
            let cooling: Vec<bool> = channels.iter().map(|c| router.cooling(c).is_some()).collect();
            let again = router.route(identity, &channels);
            if bounded.is_none() {
                let behind = |p: &usize| {
                    let channel = channels.get(*p).unwrap();
                    cooling[*p] || channel.in_flight() >= members[*p].max_in_flight
                };
                prop_assert!(again.order().is_sorted_by_key(behind) || again.order().iter().all(behind));
            }
        }
    }
}
