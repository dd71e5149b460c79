//! How a link follows from the one before: the two constructions behind [`Scope`](crate::Scope)
//! and [`Chain`](crate::Chain).

use core::hash::Hasher as _;

use siphasher::sip::SipHasher13;

use crate::mix::mix13;

/// What a link stands for. Part of the link, so that equal bytes of different kinds differ.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Entry = 0,
    Tenant = 1,
    Model = 2,
    Salt = 3,
    Id = 4,
}

/// The public chain's state before any link: the first hexadecimal digits of pi's fraction.
pub(crate) const START: u64 = 0x243f_6a88_85a3_08d3;

/// Kind and length in one word; what makes the sequence of links readable from its end.
#[inline(always)]
fn tag(kind: Kind, len: u64) -> u64 {
    (kind as u64) << 56 | len & (u64::MAX >> 8)
}

/// The public step: a bijection of `state` for every `hash` and `len`, so different histories stay
/// different under equal continuations.
#[inline(always)]
pub(crate) fn step(state: u64, hash: u64, kind: Kind, len: u64) -> u64 {
    let state = state.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32);
    mix13(state ^ hash ^ tag(kind, len).wrapping_mul(0xd6e8_feb8_6659_fd93))
}

/// The keyed step. Out of line, which keeps the public step beside it short.
#[inline(never)]
pub(crate) fn absorb(prf: &mut SipHasher13, bytes: &[u8], kind: Kind) -> u64 {
    prf.write(bytes);
    seal(prf, kind, bytes.len() as u64)
}

/// The end of the keyed step, after the link's bytes went into `prf`.
#[inline(always)]
pub(crate) fn seal(prf: &mut SipHasher13, kind: Kind, len: u64) -> u64 {
    // As `write(&tag.to_le_bytes())`, but inlined.
    prf.write_u64(tag(kind, len).to_le());
    prf.finish()
}
