//! A list of candidates, prepared once and ranked for many keys.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use crate::best::best;
use crate::first::First;
use crate::iter::Iter;
use crate::mix::spread;
use crate::rank::{self, Rank};
use crate::rendezvous::{RendezvousKey, score, spread_identity};
use crate::sort::sort;

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
/// let mut places = [0; 3];
/// accounts.order_slice("session-1", &mut places);
/// assert_eq!(places[..], order);
/// assert_eq!(accounts.pick("session-1"), Some(order[0]));
/// assert_eq!(accounts.first::<2>("session-1")[..], order[..2]);
/// assert!(accounts.iter("session-1").eq(order));
/// ```
#[derive(Clone)]
pub struct Candidates {
    /// What each candidate is ranked by: group after group, and in a group in the order that
    /// breaks ties. A position in here is what the other parts of the crate work with.
    spread: Box<[u64]>,
    /// The index in the caller's list of each position.
    indices: Box<[usize]>,
    /// Positions of equal weight, the largest weight first; none is empty.
    groups: Box<[Range<usize>]>,
    identities: Identities,
    /// By index.
    weights: Box<[u32]>,
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
        let mut spread = Vec::new();
        for (identity, weight) in candidates {
            identities.push(identity.as_ref());
            spread.push(spread_identity(identity.as_ref()));
            weights.push(weight);
        }
        let mut indices: Vec<usize> = (0..weights.len()).collect();
        indices.sort_unstable_by(|&a, &b| {
            let by_weight = weights[b].cmp(&weights[a]);
            let by_hash = || spread[a].cmp(&spread[b]);
            let by_identity = || identities.get(a).cmp(identities.get(b));
            by_weight
                .then_with(by_hash)
                .then_with(by_identity)
                .then(a.cmp(&b))
        });
        let mut start = 0;
        let groups = indices
            .chunk_by(|&a, &b| weights[a] == weights[b])
            .map(|group| {
                let range = start..start + group.len();
                start = range.end;
                range
            });
        Self {
            groups: groups.collect(),
            spread: indices.iter().map(|&index| spread[index]).collect(),
            indices: indices.into(),
            identities,
            weights: weights.into(),
        }
    }

    /// How many candidates there are.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.spread.len()
    }

    /// Whether there is none.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.spread.is_empty()
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
        let key = spread(key.mixed());
        let position = match &*self.groups {
            [] => return None,
            [_] => highest(key, &self.spread).1,
            _ => self.pick_weighted(key),
        };
        Some(self.indices[position])
    }

    fn pick_weighted(&self, spread_key: u64) -> usize {
        let mut heads = self.groups.iter().map(|group| {
            let (score, offset) = highest(spread_key, &self.spread[group.clone()]);
            let position = group.start + offset;
            Rank::new(score, self.weights[self.indices[position]], position)
        });
        let first = heads.next().expect("at least one group");
        heads
            .fold(
                first,
                |best, head| if head.is_before(&best) { head } else { best },
            )
            .position()
    }

    /// All candidates in the order for this key, into a buffer that is cleared first.
    ///
    /// Always a permutation of `0..self.len()`. Allocates only if `out` has no room.
    pub fn order(&self, key: impl RendezvousKey, out: &mut Vec<usize>) {
        out.clear();
        out.resize(self.len(), 0);
        self.order_slice(key, out);
    }

    /// The same, into a slice with a place for each candidate. Does not allocate.
    ///
    /// # Panics
    ///
    /// If the slice has another length than the list.
    pub fn order_slice(&self, key: impl RendezvousKey, out: &mut [usize]) {
        assert_eq!(out.len(), self.len(), "a place for each candidate");
        let key = spread(key.mixed());
        if self.is_weighted() {
            sort(
                out,
                |at| rank::sort_key(score(key, self.spread[at]), self.weights[self.indices[at]]),
                |a, b| self.rank(key, a).cmp(&self.rank(key, b)),
            );
        } else {
            sort(out, |at| !score(key, self.spread[at]), |a, b| a.cmp(&b));
        }
        for position in out {
            *position = self.indices[*position];
        }
    }

    /// The first `K` candidates for this key, or all if there are fewer.
    ///
    /// One walk over the list; meant for small `K`.
    #[must_use]
    pub fn first<const K: usize>(&self, key: impl RendezvousKey) -> First<K> {
        let mut first = best(self, spread(key.mixed()), None);
        first.map(|position| self.indices[position]);
        first
    }

    /// The order for this key, one candidate at a time: nothing is computed for candidates that
    /// are not asked for.
    ///
    /// Each four candidates cost one walk over the list, so for all of them
    /// [`order`](Self::order) is faster.
    #[must_use]
    pub fn iter(&self, key: impl RendezvousKey) -> Iter<'_> {
        Iter::new(self, spread(key.mixed()))
    }

    #[inline]
    pub(crate) fn is_weighted(&self) -> bool {
        self.groups.len() > 1
    }

    pub(crate) fn groups(&self) -> &[Range<usize>] {
        &self.groups
    }

    pub(crate) fn spread(&self) -> &[u64] {
        &self.spread
    }

    pub(crate) fn index(&self, position: usize) -> usize {
        self.indices[position]
    }

    #[inline]
    pub(crate) fn rank(&self, spread_key: u64, position: usize) -> Rank {
        let score = score(spread_key, self.spread[position]);
        Rank::new(score, self.weights[self.indices[position]], position)
    }
}

/// The highest score and its offset; of equal ones the first.
#[inline(always)]
fn highest(spread_key: u64, spread: &[u64]) -> (u64, usize) {
    let mut highest = (0, 0);
    for (offset, &identity) in spread.iter().enumerate() {
        let score = score(spread_key, identity);
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
