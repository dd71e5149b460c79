//! Rendezvous hashing as one writes it: key and identity hashed together, or weights by logarithm.

use std::hash::Hasher;

use siphasher::sip::SipHasher13;

use super::Order;
use crate::rng::mix;

/// Hashes `key`, then each identity with it, by SipHash, and sorts.
#[derive(Debug)]
pub struct ConcatAndHash(Vec<String>);

impl ConcatAndHash {
    fn scores(&self, key: &str) -> impl Iterator<Item = (u64, usize)> {
        self.0.iter().enumerate().map(move |(index, identity)| {
            let mut hasher = SipHasher13::new();
            hasher.write(key.as_bytes());
            hasher.write(identity.as_bytes());
            (hasher.finish(), index)
        })
    }
}

impl Order for ConcatAndHash {
    const NAME: &'static str = "concat and hash";
    const WEIGHTED: bool = false;

    fn new(identities: &[String], _weights: &[u32]) -> Self {
        Self(identities.to_vec())
    }

    fn pick(&self, key: &str) -> &str {
        &self.0[self.scores(key).max().expect("there are candidates").1]
    }

    fn first3(&self, key: &str, out: &mut Vec<usize>) {
        self.order(key, out);
        out.truncate(3);
    }

    fn order(&self, key: &str, out: &mut Vec<usize>) {
        let mut scores: Vec<_> = self.scores(key).collect();
        scores.sort_unstable_by(|a, b| b.cmp(a));
        out.clear();
        out.extend(scores.into_iter().map(|(_, index)| index));
    }
}

/// Identities hashed once, `-w / ln(u)` in floats: the published weighted formula, and the scheme
/// of the gateways that do rendezvous hashing with care.
#[derive(Debug)]
pub struct FloatWeights {
    /// Identity hash and weight.
    candidates: Vec<(u64, f64)>,
    identities: Vec<String>,
}

impl FloatWeights {
    fn scores(&self, key: &str) -> impl Iterator<Item = (f64, usize)> {
        let key = hash(key);
        self.candidates
            .iter()
            .enumerate()
            .map(move |(index, &(identity, weight))| {
                let unit = ((mix(key ^ identity) >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
                (-weight / unit.ln(), index)
            })
    }
}

impl Order for FloatWeights {
    const NAME: &'static str = "float -w/ln(u) by hand";
    const WEIGHTED: bool = true;

    fn new(identities: &[String], weights: &[u32]) -> Self {
        let candidate = |(id, &weight): (&String, &u32)| (hash(id), f64::from(weight));
        let candidates = identities.iter().zip(weights).map(candidate).collect();
        Self {
            candidates,
            identities: identities.to_vec(),
        }
    }

    fn pick(&self, key: &str) -> &str {
        let best = self.scores(key).max_by(|a, b| a.0.total_cmp(&b.0));
        &self.identities[best.expect("there are candidates").1]
    }

    fn first3(&self, key: &str, out: &mut Vec<usize>) {
        self.order(key, out);
        out.truncate(3);
    }

    fn order(&self, key: &str, out: &mut Vec<usize>) {
        let mut scores: Vec<_> = self.scores(key).collect();
        scores.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        out.clear();
        out.extend(scores.into_iter().map(|(_, index)| index));
    }
}

fn hash(bytes: &str) -> u64 {
    ahash::RandomState::with_seeds(1, 2, 3, 4).hash_one(bytes)
}
