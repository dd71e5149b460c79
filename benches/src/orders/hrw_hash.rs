//! The crate `hrw-hash`.

use std::fmt;
use std::hash::{Hash, Hasher};

use ::hrw_hash::{HrwNode, HrwNodes};

use super::Order;

/// Its default hasher; the weight is the node's capacity.
pub struct HrwHash(HrwNodes<Node>);

/// A node that knows its index.
#[derive(PartialEq, Eq)]
struct Node {
    identity: String,
    weight: usize,
    index: usize,
}

impl Hash for Node {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.identity.hash(state);
    }
}

impl HrwNode for Node {
    fn capacity(&self) -> usize {
        self.weight
    }
}

impl fmt::Debug for HrwHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HrwHash").finish_non_exhaustive()
    }
}

impl Order for HrwHash {
    const NAME: &'static str = "hrw-hash";
    const WEIGHTED: bool = true;

    fn new(identities: &[String], weights: &[u32]) -> Self {
        let nodes = identities.iter().zip(weights).enumerate();
        Self(HrwNodes::new(nodes.map(|(index, (identity, &weight))| {
            Node {
                identity: identity.clone(),
                weight: weight as usize,
                index,
            }
        })))
    }

    fn pick(&self, key: &str) -> &str {
        &self
            .0
            .sorted(&key)
            .next()
            .expect("there are candidates")
            .identity
    }

    fn first3(&self, key: &str, out: &mut Vec<usize>) {
        out.clear();
        out.extend(self.0.sorted(&key).take(3).map(|node| node.index));
    }

    fn order(&self, key: &str, out: &mut Vec<usize>) {
        out.clear();
        out.extend(self.0.sorted(&key).map(|node| node.index));
    }
}
