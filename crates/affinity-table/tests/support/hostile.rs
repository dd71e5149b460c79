//! Fingerprints that someone chose to hurt the table.

use affinity_hash::mix13;

/// How the n-th fingerprint of an attack looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pattern {
    /// What honest fingerprints look like; the measure of the others.
    Random,
    /// They differ in the high 32 bits only.
    SameLow,
    /// They differ in the low 32 bits only.
    SameHigh,
    /// They differ in 24 bits in the middle only, and go round.
    Middle,
}

impl Pattern {
    pub(crate) const ALL: [Pattern; 4] = [
        Pattern::Random,
        Pattern::SameLow,
        Pattern::SameHigh,
        Pattern::Middle,
    ];

    /// All different for different `n` below 2²⁴.
    pub(crate) fn fingerprint(self, n: u64) -> u64 {
        match self {
            Pattern::Random => mix13(n),
            Pattern::SameLow => (n << 32) | 0x0bad_cafe,
            Pattern::SameHigh => (0x0bad_cafe << 32) | (n & 0xffff_ffff),
            Pattern::Middle => (n & 0xff_ffff) << 20,
        }
    }
}
