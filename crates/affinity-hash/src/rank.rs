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
    pub(crate) score: u64,
    pub(crate) weight: u32,
    pub(crate) position: usize,
}

impl Rank {
    /// `Less` is earlier. Total: equal only for the same position.
    #[inline]
    pub(crate) fn cmp(&self, other: &Self) -> Ordering {
        if self.weight == other.weight {
            return other
                .score
                .cmp(&self.score)
                .then(self.position.cmp(&other.position));
        }
        match (self.weight, other.weight) {
            (0, _) => Ordering::Greater,
            (_, 0) => Ordering::Less,
            (mine, theirs) => {
                let left = neg_ln(self.score) * u128::from(theirs);
                let right = neg_ln(other.score) * u128::from(mine);
                left.cmp(&right).then(other.score.cmp(&self.score))
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
