//! Sorting a few or many candidates by a 64-bit key, inside the caller's buffer.

use alloc::vec::Vec;
use core::cmp::Ordering;

/// Up to here, counting how many go before each one beats a sort.
const FEW: usize = 64;

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
    let compare = |&a: &usize, &b: &usize| key(a).cmp(&key(b)).then_with(|| exact(a, b));
    out.clear();
    if n <= FEW {
        let mut keys = [i32::MAX; FEW];
        for (i, slot) in keys[..n].iter_mut().enumerate() {
            *slot = prefix(key(i));
        }
        if count(&keys, n, out) {
            return;
        }
    } else if usize::BITS == u64::BITS {
        return pack(out, n, usize::BITS - (n - 1).leading_zeros(), &key, compare);
    }
    out.clear();
    out.extend(0..n);
    out.sort_unstable_by(compare);
}

/// The high half of a key, in the order of signed numbers, which all vector units can compare.
#[inline(always)]
const fn prefix(key: u64) -> i32 {
    ((key >> 32) as u32 ^ 1 << 31) as i32
}

/// Ranks the first `n` keys by counting; false if two of them are equal.
fn count(keys: &[i32; FEW], n: usize, out: &mut Vec<usize>) -> bool {
    out.resize(n, 0);
    if n <= 16 {
        count_among::<16>(keys, out)
    } else {
        count_among::<FEW>(keys, out)
    }
}

/// A whole number of vectors of keys, known to the compiler, whatever the length of `out`.
#[inline(always)]
fn count_among<const N: usize>(keys: &[i32; FEW], out: &mut [usize]) -> bool {
    let (keys, _) = keys.split_first_chunk::<N>().expect("at most all keys");
    let n = out.len();
    let mut pairs = 0;
    for (i, &key) in keys.iter().enumerate().take(n) {
        let before: u32 = keys.iter().map(|&other| u32::from(other < key)).sum();
        out[before as usize] = i;
        pairs += before as usize;
    }
    // Each pair of different keys was counted once, and a pair of equal ones not at all.
    pairs == n * n.saturating_sub(1) / 2
}

/// Sorts words of the key's high bits over the index, then repairs the runs of equal high bits.
#[inline]
fn pack(
    out: &mut Vec<usize>,
    n: usize,
    index_bits: u32,
    key: impl Fn(usize) -> u64,
    compare: impl Fn(&usize, &usize) -> Ordering,
) {
    let index = (1 << index_bits) - 1;
    out.extend((0..n).map(|i| key(i) as usize & !index | i));
    out.sort_unstable();
    let mut rest = out.as_mut_slice();
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
    fn keys_that_differ_in_the_low_half_only_are_sorted() {
        let mut out = Vec::new();
        for n in 0..=2 * FEW {
            let key = |i| mix13(i as u64) >> 32;
            sort_into(&mut out, n, key, |a, b| a.cmp(&b));
            assert!(is_sorted(&out, n, key), "{n} keys");
        }
    }

    #[test]
    fn runs_of_equal_high_bits_are_repaired() {
        let key = |i| mix13(i as u64) & !0 << 8;
        let compare = |&a: &usize, &b: &usize| (key(a), a).cmp(&(key(b), b));
        for index_bits in [9, 32, 56, 60, 63] {
            let mut out = Vec::new();
            pack(&mut out, 500, index_bits, key, compare);
            assert!(is_sorted(&out, 500, key), "{index_bits} bits of index");
        }
    }
}
