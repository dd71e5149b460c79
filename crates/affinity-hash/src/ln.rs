//! The negative natural logarithm in integers: the same bits on every platform, which `f64::ln`
//! does not promise.

/// `-ln(j / 256)` in Q64, rounded to nearest, at index `j - 128` for `j` in `128..=256`.
const NEG_LN: [u64; 129] = neg_ln_table();

/// `ln 2` in Q64.
const LN_2: u64 = NEG_LN[0];

/// 1/2 to 1/6 in Q64, rounded down.
const HALF: u64 = 1 << 63;
const THIRD: u64 = u64::MAX / 3;
const QUARTER: u64 = 1 << 62;
const FIFTH: u64 = u64::MAX / 5;
const SIXTH: u64 = u64::MAX / 6;

/// `-ln(score / 2^64)` in Q64, to 2^-44 of its value or to 2: at least 1, below 2^71, and never
/// rising with `score`.
#[inline]
pub(crate) fn neg_ln(score: u64) -> u128 {
    let odd = score | 1;
    let zeros = odd.leading_zeros();
    let mantissa = odd << zeros;
    // The mantissa is `top - below - 1` with `top` a multiple of 2^56:
    // -ln(mantissa / 2^64) = -ln(top / 2^64) - ln(1 - z), z = below / top.
    let below = !mantissa & (u64::MAX >> 8);
    let top = (mantissa >> 56) + 1;
    let z = (below << 8) / top;
    let mut series = FIFTH + high(z, SIXTH);
    series = QUARTER + high(z, series);
    series = THIRD + high(z, series);
    series = HALF + high(z, series);
    let fraction = z + high(high(z, z), series);
    u128::from(zeros) * u128::from(LN_2)
        + u128::from(NEG_LN[(top - 128) as usize])
        + u128::from(fraction)
        + 1
}

/// The product of two Q64 fractions, rounded down.
#[inline(always)]
const fn high(a: u64, b: u64) -> u64 {
    ((a as u128 * b as u128) >> 64) as u64
}

const fn neg_ln_table() -> [u64; 129] {
    let mut table = [0; 129];
    let mut sum: u128 = 0;
    let mut j = 256;
    while j > 128 {
        j -= 1;
        sum += ln_ratio(j);
        table[j - 128] = ((sum + (1 << 55)) >> 56) as u64;
    }
    table
}

/// `ln((j + 1) / j)` in Q120, as `2 atanh(1 / (2j + 1))`.
const fn ln_ratio(j: usize) -> u128 {
    let x = 2 * j as u128 + 1;
    let mut power = (2 << 120) / x;
    let mut sum = 0;
    let mut n = 1;
    while power > 0 {
        sum += power / n;
        power /= x * x;
        n += 2;
    }
    sum
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::prelude::rust_2024::*;

    use super::*;

    #[test]
    fn is_the_specified_one() {
        let tables = include_str!("../tests/golden/weighted.json");
        let tables: serde_json::Value = serde_json::from_str(tables).expect("JSON");
        let cases = tables["neg_ln"].as_array().expect("a table of cases");
        assert!(cases.len() > 100);
        for case in cases {
            let number = |i: usize| {
                let text = case[i].as_str().expect("a text");
                u128::from_str_radix(text, 16).expect("a hexadecimal number")
            };
            assert_eq!(neg_ln(number(0) as u64), number(1), "{case}");
        }
    }

    #[test]
    fn is_the_logarithm() {
        for i in 0..200_000 {
            let score = crate::mix13(i) >> (i % 64);
            let exact = -((score | 1) as f64 / 2f64.powi(64)).ln() * 2f64.powi(64);
            let error = (neg_ln(score) as f64 - exact).abs() / exact;
            assert!(
                error < 1e-12 || score > u64::MAX - (1 << 30),
                "{score}: {error}"
            );
        }
    }

    /// Inside a segment every step of the formula is monotone, so the edges decide.
    #[test]
    fn never_rises_with_the_score() {
        assert_eq!(neg_ln(u64::MAX), 1);
        for zeros in 0..64 {
            for segment in 128..=255u64 {
                let edge = segment << 56 >> zeros;
                let (below, at) = (neg_ln(edge.saturating_sub(1)), neg_ln(edge));
                assert!(below >= at, "{edge}: {below} < {at}");
            }
        }
    }
}
