//! Threads that route, serve, fail over, cool, forget and change the set at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::common::{is_permutation, opener, talk};
use affinity_router::{ChannelSet, Identity, Router};

#[test]
fn orders_stay_permutations_while_everything_changes() {
    let router = Router::builder().limit(64).build();
    let set = ChannelSet::new((0..6).map(|i| router.channel(&format!("acct-{i}"))));
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..3_usize)
            .map(|worker| {
                let (router, set) = (&router, &set);
                scope.spawn(move || {
                    for round in 0..4000 {
                        let channels = set.load();
                        let first = opener(round % 97);
                        let decision = router.route(talk(&first), &channels);
                        assert!(is_permutation(decision.order(), channels.len()));
                        let position = decision.order()[(worker + round) % 2];
                        let channel = channels.get(position).unwrap();
                        let _in_flight = channel.begin();
                        match round % 7 {
                            0 => router.cool_for(channel, Duration::from_micros(50)),
                            1 => decision.spilled(position),
                            _ => decision.served(position),
                        }
                    }
                })
            })
            .collect();
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                set.remove("acct-5");
                router.forget_channel(&router.channel("acct-1"));
                router.forget(talk(&opener(3)));
                set.add(router.channel("acct-5").weight(2));
                set.reweight("acct-0", 3);
            }
        });
        for worker in workers {
            worker.join().unwrap();
        }
        done.store(true, Ordering::Relaxed);
    });
    assert!(router.memories() <= 64);
    assert!(set.load().iter().all(|c| c.in_flight() == 0));
}

#[test]
fn a_binding_that_races_with_forgetting_never_survives_it() {
    for round in 0..2000 {
        let router = Router::builder().limit(16).build();
        let set = ChannelSet::new([router.channel("a"), router.channel("b")]);
        let channels = set.load();
        let session = Identity::session(round);
        let older = router.route(session, &channels);
        thread::scope(|scope| {
            scope.spawn(|| older.served(0));
            match round % 2 {
                0 => router.forget(session),
                _ => {
                    router.forget_channel(channels.get(0).unwrap());
                }
            }
        });
        assert_eq!(router.memories(), 0, "round {round}");
    }
}

#[test]
fn parallel_first_turns_agree() {
    let router = Router::builder().build();
    let set = ChannelSet::new((0..16).map(|i| router.channel(&format!("acct-{i}"))));
    for number in 0..50 {
        let first = opener(number);
        let choices: Vec<usize> = thread::scope(|scope| {
            let turns: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| {
                        let channels = set.load();
                        let decision = router.route(talk(&first), &channels);
                        decision.served(decision.order()[0]);
                        decision.order()[0]
                    })
                })
                .collect();
            turns.into_iter().map(|t| t.join().unwrap()).collect()
        });
        assert!(choices.iter().all(|c| *c == choices[0]));
    }
}
