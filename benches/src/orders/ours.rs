//! Our rendezvous hashing: identities hashed once, or on each call.

use affinity_hash::Candidates;

use super::Order;

/// `Candidates`: identities hashed when the list changes.
#[derive(Debug)]
pub struct Ours(Candidates);

impl Order for Ours {
    const NAME: &'static str = "affinity Candidates";
    const WEIGHTED: bool = true;

    fn new(identities: &[String], weights: &[u32]) -> Self {
        Self(Candidates::weighted(
            identities.iter().zip(weights.iter().copied()),
        ))
    }

    fn pick(&self, key: &str) -> &str {
        self.0
            .identity(self.0.pick(key).expect("there are candidates"))
    }

    fn first3(&self, key: &str, out: &mut Vec<usize>) {
        out.clear();
        out.extend_from_slice(&self.0.first::<3>(key));
    }

    fn order(&self, key: &str, out: &mut Vec<usize>) {
        self.0.order(key, out);
    }
}

/// The free functions, which hash the identities each time.
#[derive(Debug)]
pub struct OursFunctions(Vec<String>);

impl Order for OursFunctions {
    const NAME: &'static str = "affinity order()";
    const WEIGHTED: bool = false;

    fn new(identities: &[String], _weights: &[u32]) -> Self {
        Self(identities.to_vec())
    }

    fn pick(&self, key: &str) -> &str {
        affinity_hash::pick(key, &self.0).expect("there are candidates")
    }

    fn first3(&self, key: &str, out: &mut Vec<usize>) {
        self.order(key, out);
        out.truncate(3);
    }

    fn order(&self, key: &str, out: &mut Vec<usize>) {
        affinity_hash::order_into(key, &self.0, out);
    }
}
