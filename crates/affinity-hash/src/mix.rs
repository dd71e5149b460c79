//! The one bijection that everything rests on.

/// The finaliser of SplitMix64 in Stafford's variant 13: a bijection of `u64` whose output bits
/// each depend on all input bits.
///
/// Bijective, so two different identities never get one score under the same key, and two
/// different histories never get one link under equal continuations. About 1 ns.
///
/// ```
/// assert_eq!(affinity_hash::mix13(0), 0);
/// assert_eq!(affinity_hash::mix13(1), 0x5692161d100b05e5);
/// ```
#[inline]
#[must_use]
pub const fn mix13(z: u64) -> u64 {
    settle(spread(z))
}

/// The first step of [`mix13`]. Linear: `spread(a ^ b) = spread(a) ^ spread(b)`, so what is known
/// early can be spread early.
#[inline(always)]
pub(crate) const fn spread(z: u64) -> u64 {
    z ^ (z >> 30)
}

/// The rest of [`mix13`].
#[inline(always)]
pub(crate) const fn settle(z: u64) -> u64 {
    let z = z.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
