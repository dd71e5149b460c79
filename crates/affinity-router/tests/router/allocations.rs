//! A decision and its binding allocate nothing.

use std::time::Duration;

use affinity_hash::BoundedLoad;
use affinity_router::{Identity, Router};

use crate::common::{accounts, opener, talk};

#[test]
fn sixteen_channels_are_decided_and_bound_without_allocation() {
    let bound = BoundedLoad {
        factor_percent: 200,
        floor: 4,
    };
    let router = Router::builder().limit(64).bounded_load(bound).build();
    let channels = accounts(&router, 16);
    router.cool_for(channels.get(3).unwrap(), Duration::from_secs(60));
    let first = opener(1);
    let turn = |identity: Identity<'_>| {
        let decision = router.route(identity, &channels);
        let position = decision.order()[1];
        let _in_flight = channels.get(position).unwrap().begin();
        decision.served(position);
    };
    let all = || {
        turn(talk(&first));
        turn(Identity::session(9));
        turn(Identity::anonymous());
        router.rotate(&channels).served(0);
    };
    all();
    let allocated = allocation_counter::measure(all);
    assert_eq!(allocated.count_total, 0);
}
