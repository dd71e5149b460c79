//! A list of candidates, prepared once and ranked for many keys.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::first::First;
use crate::iter::{Iter, best};
use crate::rank::{self, Rank};
use crate::rendezvous::{RendezvousKey, identity_hash, score};
use crate::sort::sort_into;

/// A list of candidates whose identities were hashed once.
///
/// Every call ranks them for one key: by index into the list they were built from, the same
/// indices as [`order`](crate::order) gives for the same list and key. Nothing allocates after
/// construction. Rebuild it when the list changes; health and load are filters of the order.
///
/// ```
/// use affinity_hash::Candidates;
///
/// let accounts = Candidates::new(["acct-1", "acct-2", "acct-3"]);
/// let mut order = Vec::new();
/// accounts.order("session-1", &mut order);
/// assert_eq!(order, affinity_hash::order("session-1", &["acct-1", "acct-2", "acct-3"]));
/// assert_eq!(accounts.pick("session-1"), Some(order[0]));
/// assert_eq!(accounts.first::<2>("session-1")[..], order[..2]);
/// assert!(accounts.iter("session-1").eq(order));
/// ```
#[derive(Clone)]
pub struct Candidates {
    /// Identity hashes, by group, and in a group in the order that breaks ties: by hash, identity
    /// and index. A position in here is what the other parts of the crate work with.
    hashes: Box<[u64]>,
    /// The index in the caller's list of each position.
    indices: Box<[usize]>,
    /// Positions of equal weight, the largest weight first.
    groups: Box<[Group]>,
    identities: Identities,
    /// By index.
    weights: Box<[u32]>,
}

#[derive(Clone)]
pub(crate) struct Group {
    pub(crate) weight: u32,
    /// Where the next group begins.
    pub(crate) end: usize,
}

impl Candidates {
    /// Candidates of equal weight.
    ///
    /// Repeated identities are allowed, rank side by side, and have one share together.
    pub fn new<I>(identities: I) -> Self
    where
        I: IntoIterator<Item: AsRef<str>>,
    {
        Self::weighted(identities.into_iter().map(|identity| (identity, 1)))
    }

    /// Candidates that come first for a share of the keys in proportion to their weight.
    ///
    /// Weight 0 ranks behind every other, never absent. Equal weights, zeros too, give the order
    /// of [`new`](Self::new). Changing one weight moves keys only to or from that candidate. An
    /// identity given twice with different weights counts with the larger one.
    ///
    /// ```
    /// use affinity_hash::Candidates;
    ///
    /// let accounts = Candidates::weighted([("large", 3), ("small", 1), ("drained", 0)]);
    /// let large = (0..10_000u64).filter(|&key| accounts.pick(key) == Some(0)).count();
    /// assert!((7_300..7_700).contains(&large));
    /// assert_eq!(accounts.iter(1).last(), Some(2));
    /// ```
    pub fn weighted<I, S>(candidates: I) -> Self
    where
        I: IntoIterator<Item = (S, u32)>,
        S: AsRef<str>,
    {
        let mut identities = Identities::default();
        let mut weights = Vec::new();
        let mut hashes = Vec::new();
        for (identity, weight) in candidates {
            identities.push(identity.as_ref());
            hashes.push(identity_hash(identity.as_ref()));
            weights.push(weight);
        }
        let mut indices: Vec<usize> = (0..weights.len()).collect();
        indices.sort_unstable_by(|&a, &b| {
            let by_weight = weights[b].cmp(&weights[a]);
            let by_hash = || hashes[a].cmp(&hashes[b]);
            let by_identity = || identities.get(a).cmp(identities.get(b));
            by_weight
                .then_with(by_hash)
                .then_with(by_identity)
                .then(a.cmp(&b))
        });
        let mut groups: Vec<Group> = Vec::new();
        for (position, &index) in indices.iter().enumerate() {
            let (weight, end) = (weights[index], position + 1);
            match groups.last_mut() {
                Some(group) if group.weight == weight => group.end = end,
                _ => groups.push(Group { weight, end }),
            }
        }
        Self {
            hashes: indices.iter().map(|&index| hashes[index]).collect(),
            indices: indices.into(),
            groups: groups.into(),
            identities,
            weights: weights.into(),
        }
    }

    /// How many candidates there are.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Whether there is none.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// The identity of candidate `index`.
    ///
    /// # Panics
    ///
    /// If there is no such candidate.
    #[must_use]
    pub fn identity(&self, index: usize) -> &str {
        self.identities.get(index)
    }

    /// The weight of candidate `index`; 1 in an unweighted list.
    ///
    /// # Panics
    ///
    /// If there is no such candidate.
    #[must_use]
    pub fn weight(&self, index: usize) -> u32 {
        self.weights[index]
    }

    /// The first candidate for this key; `None` only if there is none.
    ///
    /// About 1 ns per candidate, and 10 ns per different weight if there are several.
    #[inline]
    #[must_use]
    pub fn pick(&self, key: impl RendezvousKey) -> Option<usize> {
        let key = key.mixed();
        let position = match &*self.groups {
            [] => return None,
            [_] => highest(key, &self.hashes).1,
            groups => self.pick_weighted(key, groups),
        };
        Some(self.indices[position])
    }

    fn pick_weighted(&self, key: u64, groups: &[Group]) -> usize {
        let mut start = 0;
        let mut best: Option<Rank> = None;
        for group in groups {
            let (score, offset) = highest(key, &self.hashes[start..group.end]);
            let rank = Rank {
                score,
                weight: group.weight,
                position: start + offset,
            };
            if best.is_none_or(|best| rank.cmp(&best).is_lt()) {
                best = Some(rank);
            }
            start = group.end;
        }
        best.map_or(0, |best| best.position)
    }

    /// All candidates in the order for this key, into a buffer that is cleared first.
    ///
    /// Always a permutation of `0..self.len()`. Allocates only if `out` has no room.
    pub fn order(&self, key: impl RendezvousKey, out: &mut Vec<usize>) {
        let key = key.mixed();
        let score = |position: usize| score(key, self.hashes[position]);
        if let [_] = &*self.groups {
            sort_into(out, self.len(), |at| !score(at), |a, b| a.cmp(&b));
        } else {
            sort_into(
                out,
                self.len(),
                |at| rank::sort_key(score(at), self.weight(self.indices[at])),
                |a, b| self.rank(key, a).cmp(&self.rank(key, b)),
            );
        }
        for position in out {
            *position = self.indices[*position];
        }
    }

    /// The first `K` candidates for this key, or all if there are fewer.
    ///
    /// One walk over the list for small `K`.
    #[must_use]
    pub fn first<const K: usize>(&self, key: impl RendezvousKey) -> First<K> {
        let mut first = best(self, key.mixed(), None);
        first.map(|position| self.indices[position]);
        first
    }

    /// The order for this key, one candidate at a time: nothing is computed for candidates that
    /// are not asked for.
    ///
    /// Each few candidates cost one walk over the list, so for all of them
    /// [`order`](Self::order) is faster.
    #[must_use]
    pub fn iter(&self, key: impl RendezvousKey) -> Iter<'_> {
        Iter::new(self, key.mixed())
    }

    pub(crate) fn rank(&self, key: u64, position: usize) -> Rank {
        Rank {
            score: score(key, self.hashes[position]),
            weight: self.weights[self.indices[position]],
            position,
        }
    }

    pub(crate) fn index(&self, position: usize) -> usize {
        self.indices[position]
    }
}

/// The highest score and its offset; of equal ones the first.
#[inline(always)]
fn highest(key: u64, hashes: &[u64]) -> (u64, usize) {
    let mut highest = (0, 0);
    for (offset, &hash) in hashes.iter().enumerate() {
        let score = score(key, hash);
        if score > highest.0 {
            highest = (score, offset);
        }
    }
    highest
}

impl fmt::Debug for Candidates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Candidates")
            .field("len", &self.len())
            .field("weights", &self.groups.len())
            .finish_non_exhaustive()
    }
}

/// Texts one after another in one allocation.
#[derive(Clone, Default)]
struct Identities {
    text: String,
    ends: Vec<usize>,
}

impl Identities {
    fn push(&mut self, identity: &str) {
        self.text.push_str(identity);
        self.ends.push(self.text.len());
    }

    fn get(&self, index: usize) -> &str {
        let start = match index {
            0 => 0,
            _ => self.ends[index - 1],
        };
        &self.text[start..self.ends[index]]
    }
}
