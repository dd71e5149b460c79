//! Sorting a few or many candidates by a 64-bit key, inside the caller's buffer.

use alloc::vec::Vec;
use core::cmp::Ordering;

/// Up to here, counting how many go before each one beats a sort.
const FEW: usize = 64;
/// Up to here, there is a faster way to count.
const VERY_FEW: usize = 16;

/// Fills `out` with `0..n` by ascending `key`, and by `exact` where keys are equal.
///
/// Allocates only if `out` has no room for `n`.
#[inline]
pub(crate) fn sort_into(
    out: &mut Vec<usize>,
    n: usize,
    key: impl Fn(usize) -> u64,
    exact: impl Fn(usize, usize) -> Ordering,
) {
    out.clear();
    out.resize(n, 0);
    sort(out, key, exact);
}

/// The same for a slice, all of which is filled. Does not allocate.
#[inline]
pub(crate) fn sort(
    out: &mut [usize],
    key: impl Fn(usize) -> u64,
    exact: impl Fn(usize, usize) -> Ordering,
) {
    let n = out.len();
    let compare = |&a: &usize, &b: &usize| key(a).cmp(&key(b)).then_with(|| exact(a, b));
    let counted = if n <= VERY_FEW {
        count(&prefixes::<VERY_FEW>(n, &key), out)
    } else if n <= FEW {
        count(&prefixes::<FEW>(n, &key), out)
    } else if usize::BITS == u64::BITS {
        return pack(out, usize::BITS - (n - 1).leading_zeros(), &key, compare);
    } else {
        false
    };
    if !counted {
        for (i, slot) in out.iter_mut().enumerate() {
            *slot = i;
        }
        out.sort_unstable_by(compare);
    }
}

/// The high halves of the first `n` keys, as numbers with a sign, which all vector units can
/// compare; behind them the highest.
#[inline(always)]
fn prefixes<const N: usize>(n: usize, key: impl Fn(usize) -> u64) -> [i32; N] {
    let mut keys = [i32::MAX; N];
    for (i, slot) in keys[..n].iter_mut().enumerate() {
        *slot = ((key(i) >> 32) as u32 ^ 1 << 31) as i32;
    }
    keys
}

/// Ranks the first keys, as many as `out` has places, by counting how many go before each; false
/// if two of them are equal.
///
/// A whole number of vectors of keys, known to the compiler, whatever the length of `out`.
fn count<const N: usize>(keys: &[i32; N], out: &mut [usize]) -> bool {
    count_halves(keys, out) || count_whole(keys, out)
}

/// Half of the bits tell almost all keys apart, and the counts of all keys stay in registers.
fn count_halves<const N: usize>(keys: &[i32; N], out: &mut [usize]) -> bool {
    let keys = keys.map(|key| (key >> 16) as i16);
    let mut before = [0_i16; N];
    for &key in &keys[..out.len()] {
        for (before, &other) in before.iter_mut().zip(&keys) {
            *before += i16::from(key < other);
        }
    }
    place(before.into_iter().map(|before| before as usize), out)
}

fn count_whole<const N: usize>(keys: &[i32; N], out: &mut [usize]) -> bool {
    let before = |key: i32| {
        keys.iter()
            .map(|&other| u32::from(other < key))
            .sum::<u32>()
    };
    place(keys.iter().map(|&key| before(key) as usize), out)
}

/// Puts each index in the place of its rank; false if ranks are missing.
#[inline(always)]
fn place(ranks: impl Iterator<Item = usize>, out: &mut [usize]) -> bool {
    let n = out.len();
    let mut pairs = 0;
    for (i, rank) in ranks.take(n).enumerate() {
        out[rank] = i;
        pairs += rank;
    }
    // Each pair of different keys was counted once, and a pair of equal ones not at all.
    pairs == n * n.saturating_sub(1) / 2
}

/// Sorts words of the key's high bits over the index, then repairs the runs of equal high bits.
#[inline]
fn pack(
    out: &mut [usize],
    index_bits: u32,
    key: impl Fn(usize) -> u64,
    compare: impl Fn(&usize, &usize) -> Ordering,
) {
    let index = (1 << index_bits) - 1;
    for (i, slot) in out.iter_mut().enumerate() {
        *slot = key(i) as usize & !index | i;
    }
    out.sort_unstable();
    let mut rest = out;
    while let Some(&first) = rest.first() {
        let run = rest
            .iter()
            .position(|&packed| (packed ^ first) > index)
            .unwrap_or(rest.len());
        let (equal, after) = rest.split_at_mut(run);
        for packed in &mut *equal {
            *packed &= index;
        }
        if run > 1 {
            equal.sort_unstable_by(&compare);
        }
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mix13;

    fn is_sorted(out: &[usize], n: usize, key: impl Fn(usize) -> u64) -> bool {
        out.len() == n && out.is_sorted_by_key(|&i| (key(i), i))
    }

    #[test]
    fn keys_that_differ_in_their_low_bits_only_are_sorted() {
        let mut out = Vec::new();
        for shift in [0, 16, 32, 60] {
            for n in 0..=2 * FEW {
                let key = |i| mix13(i as u64) >> shift;
                sort_into(&mut out, n, key, |a, b| a.cmp(&b));
                assert!(is_sorted(&out, n, key), "{n} keys");
            }
        }
    }

    #[test]
    fn runs_of_equal_high_bits_are_repaired() {
        let key = |i| mix13(i as u64) & !0 << 8;
        let compare = |&a: &usize, &b: &usize| (key(a), a).cmp(&(key(b), b));
        for index_bits in [9, 32, 56, 60, 63] {
            let mut out = [0; 500];
            pack(&mut out, index_bits, key, compare);
            assert!(is_sorted(&out, 500, key), "{index_bits} bits of index");
        }
    }
}
