//! Ordering candidates by a key: ours, and what a user would pick instead.

mod by_hand;
mod ours;

#[cfg(feature = "peers")]
mod hrw_hash;
#[cfg(feature = "peers")]
mod ketama;
#[cfg(feature = "peers")]
mod rendezvous_hash;

pub use by_hand::{ConcatAndHash, FloatWeights};
pub use ours::{Ours, OursFunctions};

#[cfg(feature = "peers")]
pub use self::{hrw_hash::HrwHash, ketama::Ketama, rendezvous_hash::RendezvousHash};

/// Candidates that can be ordered by a key. Candidates are told by their index.
pub trait Order: Sized {
    /// The name in tables and plots.
    const NAME: &'static str;
    /// Whether it takes the weights.
    const WEIGHTED: bool;

    /// Candidates with a weight each.
    fn new(identities: &[String], weights: &[u32]) -> Self;

    /// The identity of the first of the order.
    fn pick(&self, key: &str) -> &str;

    /// The first three of the order (fewer if there are fewer).
    fn first3(&self, key: &str, out: &mut Vec<usize>);

    /// All of the order.
    fn order(&self, key: &str, out: &mut Vec<usize>);
}

/// Calls back with every compiled order's type.
pub trait Visitor {
    /// One order.
    fn visit<O: Order + 'static>(&mut self);
}

/// Visits ours, then every compiled peer.
pub fn visit(visitor: &mut impl Visitor) {
    visitor.visit::<Ours>();
    visitor.visit::<OursFunctions>();
    visitor.visit::<FloatWeights>();
    visitor.visit::<ConcatAndHash>();
    #[cfg(feature = "peers")]
    {
        visitor.visit::<HrwHash>();
        visitor.visit::<RendezvousHash>();
        visitor.visit::<Ketama>();
    }
}

/// Account names as a gateway has them, about 40 bytes.
pub fn identities(n: usize) -> Vec<String> {
    (0..n)
        .map(|i| format!("https://account-{i:05}.upstream.example:443"))
        .collect()
}

/// Session ids of 38 bytes.
pub fn keys(n: usize) -> Vec<String> {
    (0..n as u64)
        .map(|i| format!("sess-{:033x}", crate::rng::mix(i)))
        .collect()
}

/// Weights 1, 2, 4, 8 in turn.
pub fn four_weights(n: usize) -> Vec<u32> {
    (0..n).map(|i| 1 << (i % 4)).collect()
}

/// Weight 1 for all.
pub fn equal_weights(n: usize) -> Vec<u32> {
    vec![1; n]
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Check;

    impl Visitor for Check {
        fn visit<O: Order>(&mut self) {
            let identities = identities(16);
            let order = O::new(&identities, &equal_weights(16));
            let (mut all, mut three) = (Vec::new(), Vec::new());
            for key in keys(100) {
                order.order(&key, &mut all);
                order.first3(&key, &mut three);
                assert_eq!(identities[all[0]], order.pick(&key), "{}", O::NAME);
                assert_eq!(all[..3], three, "{}", O::NAME);
                all.sort_unstable();
                assert!(all.iter().copied().eq(0..16), "{}", O::NAME);
            }
        }
    }

    #[test]
    fn every_order_is_a_permutation_that_begins_with_its_pick() {
        visit(&mut Check);
    }
}
