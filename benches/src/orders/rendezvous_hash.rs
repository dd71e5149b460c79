//! The crate `rendezvous_hash`.

use std::fmt;

use ::rendezvous_hash::{DefaultNodeHasher, KeyValueNode, RendezvousNodes};

use super::Order;

/// Unweighted nodes, each with its index as value.
pub struct RendezvousHash(RendezvousNodes<KeyValueNode<String, usize>, DefaultNodeHasher>);

impl fmt::Debug for RendezvousHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RendezvousHash").finish_non_exhaustive()
    }
}

impl Order for RendezvousHash {
    const NAME: &'static str = "rendezvous_hash";
    const WEIGHTED: bool = false;

    fn new(identities: &[String], _weights: &[u32]) -> Self {
        let mut nodes = RendezvousNodes::default();
        for (index, identity) in identities.iter().enumerate() {
            nodes.insert(KeyValueNode::new(identity.clone(), index));
        }
        Self(nodes)
    }

    fn pick(&self, key: &str) -> &str {
        &self
            .0
            .calc_candidates(&key)
            .next()
            .expect("there are candidates")
            .key
    }

    fn first3(&self, key: &str, out: &mut Vec<usize>) {
        out.clear();
        out.extend(self.0.calc_candidates(&key).take(3).map(|node| node.value));
    }

    fn order(&self, key: &str, out: &mut Vec<usize>) {
        out.clear();
        out.extend(self.0.calc_candidates(&key).map(|node| node.value));
    }
}
