//! Comparing candidates of different weights, exactly.

use core::cmp::Ordering;

use crate::ln::neg_ln;

/// A candidate's place in the order under one key.
///
/// The order is by `-ln(score) / weight`, smallest first, which gives each candidate a share of
/// the keys in proportion to its weight; weight 0 goes behind every other. Equal weights are in
/// the order of their scores, so equal weights throughout give exactly the unweighted order.
#[derive(Clone, Copy)]
pub(crate) struct Rank {
    score: u64,
    neg_ln: u128,
    weight: u32,
    position: usize,
}

impl Rank {
    #[inline]
    pub(crate) fn new(score: u64, weight: u32, position: usize) -> Self {
        Self {
            score,
            neg_ln: neg_ln(score),
            weight,
            position,
        }
    }

    #[inline]
    pub(crate) const fn position(&self) -> usize {
        self.position
    }

    #[inline]
    pub(crate) fn is_before(&self, other: &Self) -> bool {
        self.cmp(other).is_lt()
    }

    /// `Less` is earlier. Total: equal only for the same position.
    #[inline]
    pub(crate) fn cmp(&self, other: &Self) -> Ordering {
        let by_score = other.score.cmp(&self.score);
        if self.weight == other.weight {
            return by_score.then(self.position.cmp(&other.position));
        }
        match (self.weight, other.weight) {
            (0, _) => Ordering::Greater,
            (_, 0) => Ordering::Less,
            (mine, theirs) => {
                let mine = other.neg_ln * u128::from(mine);
                let theirs = self.neg_ln * u128::from(theirs);
                theirs.cmp(&mine).then(by_score)
            }
        }
    }
}

/// A key that rises with the place in the order: equal for places that 64 bits cannot tell apart.
pub(crate) fn sort_key(score: u64, weight: u32) -> u64 {
    if weight == 0 {
        return 127 << 57 | !score >> 7;
    }
    let ratio = (neg_ln(score) << 32) / u128::from(weight);
    // As a floating-point number: 7 bits of magnitude, then the digits after the leading one.
    let zeros = ratio.leading_zeros();
    let digits = (ratio << zeros << 1) >> 71;
    u64::from(127 - zeros) << 57 | digits as u64
}
