//! Sorting a few or many candidates by a 64-bit key, inside the caller's buffer.

use alloc::vec::Vec;
use core::cmp::Ordering;

/// Up to here, counting how many go before each one beats a sort.
const FEW: usize = 16;

/// Fills `out` with `0..n` by ascending `key`, and by `exact` where keys are equal.
///
/// `exact` must agree with `key`. Allocates only if `out` has no room for `n`.
#[inline]
pub(crate) fn sort_into(
    out: &mut Vec<usize>,
    n: usize,
    key: impl Fn(usize) -> u64,
    exact: impl Fn(usize, usize) -> Ordering,
) {
    out.clear();
    if n <= FEW {
        count(out, n, key, exact);
    } else if usize::BITS < u64::BITS {
        compare(out, n, key, exact);
    } else {
        let index_bits = usize::BITS - (n - 1).leading_zeros();
        pack(out, n, index_bits, key, exact);
    }
}

#[inline]
fn count(
    out: &mut Vec<usize>,
    n: usize,
    key: impl Fn(usize) -> u64,
    exact: impl Fn(usize, usize) -> Ordering,
) {
    let mut keys = [0; FEW];
    let keys = &mut keys[..n];
    for (i, slot) in keys.iter_mut().enumerate() {
        *slot = key(i);
    }
    let mut ranks = [0; FEW];
    let mut equal = false;
    for i in 1..n {
        for j in 0..i {
            let later = keys[i] < keys[j];
            equal |= keys[i] == keys[j];
            ranks[j] += usize::from(later);
            ranks[i] += usize::from(!later);
        }
    }
    out.resize(n, 0);
    for (i, &rank) in ranks[..n].iter().enumerate() {
        out[rank] = i;
    }
    if equal {
        out.sort_unstable_by(|&a, &b| keys[a].cmp(&keys[b]).then_with(|| exact(a, b)));
    }
}

/// Sorts words of the key's high bits over the index, then repairs the runs whose high bits are
/// equal.
#[inline]
fn pack(
    out: &mut Vec<usize>,
    n: usize,
    index_bits: u32,
    key: impl Fn(usize) -> u64,
    exact: impl Fn(usize, usize) -> Ordering,
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
            equal.sort_unstable_by(|&a, &b| key(a).cmp(&key(b)).then_with(|| exact(a, b)));
        }
        rest = after;
    }
}

/// Where a word is too narrow for key and index.
fn compare(
    out: &mut Vec<usize>,
    n: usize,
    key: impl Fn(usize) -> u64,
    exact: impl Fn(usize, usize) -> Ordering,
) {
    out.extend(0..n);
    out.sort_unstable_by(|&a, &b| key(a).cmp(&key(b)).then_with(|| exact(a, b)));
}
