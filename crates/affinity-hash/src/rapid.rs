//! The public hash of a byte string: rapidhash V3 with its published secrets and seed 0.
//!
//! Scalar and the same on every CPU. Anybody can make collisions, so it protects from nobody: that
//! is what the keyed scope is for. The `rapidhash` crate is the oracle of the tests and not a
//! dependency: it has no streaming form without `std`, two implementations of one hash would be one
//! too many, and measured side by side this one costs 0.8 to 1.1 times as much from 8 B to 64 KiB.

const SECRET: [u64; 7] = [
    0x2d35_8dcc_aa6c_78a5,
    0x8bb8_4b93_962e_acc9,
    0x4b33_a62e_d433_d4a3,
    0x4d5a_2da5_1de1_aa47,
    0xa076_1d64_78bd_642f,
    0xe703_7ed1_a0b4_28db,
    0x90ed_1765_281c_388c,
];

/// Seed 0 after rapidhash's own preparation of the seed.
const SEED: u64 = fold(SECRET[2], SECRET[1]);

/// Bytes that the seven lanes take in one step.
const BLOCK: usize = 112;

/// The last bytes of the input, which the final step reads whatever the block boundaries are.
const LAST: usize = 16;

/// Both halves of the 128-bit product.
#[inline(always)]
const fn multiply(a: u64, b: u64) -> (u64, u64) {
    let product = a as u128 * b as u128;
    (product as u64, (product >> 64) as u64)
}

#[inline(always)]
const fn fold(a: u64, b: u64) -> u64 {
    let (low, high) = multiply(a, b);
    low ^ high
}

#[inline(always)]
fn word(bytes: &[u8], at: usize) -> u64 {
    let (word, _) = bytes[at..].split_first_chunk().expect("eight bytes");
    u64::from_le_bytes(*word)
}

#[inline(always)]
fn half_word(bytes: &[u8], at: usize) -> u64 {
    let (half, _) = bytes[at..].split_first_chunk().expect("four bytes");
    u64::from(u32::from_le_bytes(*half))
}

/// Hashes a whole byte string.
#[inline]
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    if bytes.len() <= LAST {
        hash_short(bytes)
    } else {
        hash_long(bytes)
    }
}

#[inline(always)]
fn hash_short(bytes: &[u8]) -> u64 {
    let len = bytes.len();
    let (a, b, seed) = if len >= 8 {
        (word(bytes, 0), word(bytes, len - 8), SEED ^ len as u64)
    } else if len >= 4 {
        (
            half_word(bytes, 0),
            half_word(bytes, len - 4),
            SEED ^ len as u64,
        )
    } else if len > 0 {
        let ends = u64::from(bytes[0]) << 45 | u64::from(bytes[len - 1]);
        (ends, u64::from(bytes[len / 2]), SEED)
    } else {
        (0, 0, SEED)
    };
    finish(a, b, seed, len as u64)
}

#[inline]
fn hash_long(bytes: &[u8]) -> u64 {
    let mut tail = bytes;
    let mut seed = SEED;
    if tail.len() > BLOCK {
        let mut lanes = [SEED; 7];
        while tail.len() > BLOCK {
            let (block, rest) = tail.split_first_chunk().expect("more than a block");
            absorb(&mut lanes, block);
            tail = rest;
        }
        seed = join(&lanes);
    }
    let (_, last) = bytes.split_last_chunk().expect("more than 16 bytes");
    hash_tail(seed, tail, last)
}

#[inline(always)]
fn absorb(lanes: &mut [u64; 7], block: &[u8; BLOCK]) {
    for (i, lane) in lanes.iter_mut().enumerate() {
        *lane = fold(
            word(block, 16 * i) ^ SECRET[i],
            word(block, 16 * i + 8) ^ *lane,
        );
    }
}

#[inline(always)]
fn join(lanes: &[u64; 7]) -> u64 {
    lanes.iter().fold(0, |all, lane| all ^ lane)
}

/// The end of an input of more than 16 bytes: `tail` is what the blocks left (1 to 112 bytes), and
/// `last` the last 16 bytes of the input, which may reach back into the last block.
#[inline(always)]
fn hash_tail(mut seed: u64, tail: &[u8], last: &[u8; LAST]) -> u64 {
    const SECRETS: [u64; 6] = [
        SECRET[2], SECRET[2], SECRET[1], SECRET[1], SECRET[2], SECRET[1],
    ];
    for (i, secret) in SECRETS.into_iter().enumerate() {
        if tail.len() <= 16 * (i + 1) {
            break;
        }
        seed = fold(word(tail, 16 * i) ^ secret, word(tail, 16 * i + 8) ^ seed);
    }
    let remainder = tail.len() as u64;
    finish(word(last, 0) ^ remainder, word(last, 8), seed, remainder)
}

#[inline(always)]
fn finish(a: u64, b: u64, seed: u64, remainder: u64) -> u64 {
    let (a, b) = multiply(a ^ SECRET[1], b ^ seed);
    fold(a ^ 0xaaaa_aaaa_aaaa_aaaa, b ^ SECRET[1] ^ remainder)
}

/// The same hash of a byte string that arrives in pieces, in constant memory.
#[derive(Clone)]
pub(crate) struct Stream {
    lanes: [u64; 7],
    /// The 16 bytes before the pending ones, then the pending ones. A block is absorbed only when
    /// more bytes follow it, so the end of the input is always here.
    window: [u8; LAST + BLOCK],
    pending: usize,
    /// Whether a block was absorbed.
    long: bool,
}

impl Stream {
    pub(crate) const fn new() -> Self {
        Self {
            lanes: [SEED; 7],
            window: [0; LAST + BLOCK],
            pending: 0,
            long: false,
        }
    }

    pub(crate) fn write(&mut self, mut bytes: &[u8]) {
        if self.pending + bytes.len() > BLOCK {
            let (head, mut rest) = bytes.split_at(BLOCK - self.pending);
            self.window[LAST + self.pending..].copy_from_slice(head);
            let (_, block) = self.window.split_last_chunk().expect("a whole block");
            absorb(&mut self.lanes, block);
            self.window.copy_within(BLOCK.., 0);
            while rest.len() > BLOCK {
                let (block, after) = rest.split_first_chunk().expect("more than a block");
                absorb(&mut self.lanes, block);
                self.window[..LAST].copy_from_slice(&block[BLOCK - LAST..]);
                rest = after;
            }
            self.pending = 0;
            self.long = true;
            bytes = rest;
        }
        self.window[LAST + self.pending..][..bytes.len()].copy_from_slice(bytes);
        self.pending += bytes.len();
    }

    /// The hash of all that was written; the stream is empty again.
    pub(crate) fn finish(&mut self) -> u64 {
        let pending = &self.window[LAST..][..self.pending];
        let hash = if !self.long && self.pending <= LAST {
            hash_short(pending)
        } else {
            let seed = if self.long { join(&self.lanes) } else { SEED };
            let (_, last) = self.window[..LAST + self.pending]
                .split_last_chunk()
                .expect("16 bytes before the pending ones");
            hash_tail(seed, pending, last)
        };
        self.lanes = [SEED; 7];
        self.pending = 0;
        self.long = false;
        hash
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::vec::Vec;

    use proptest::prelude::*;
    use rapidhash::v3::rapidhash_v3;

    use super::*;

    fn bytes(len: usize) -> Vec<u8> {
        (0..len as u64).map(|i| crate::mix13(i) as u8).collect()
    }

    #[test]
    fn equals_the_published_function_at_every_length() {
        let bytes = bytes(3000);
        for len in 0..=bytes.len() {
            assert_eq!(
                hash(&bytes[..len]),
                rapidhash_v3(&bytes[..len]),
                "{len} bytes"
            );
        }
    }

    #[test]
    fn gives_the_values_of_the_specification() {
        assert_eq!(SEED, 0x4227_6556_7d8f_bfd6);
        assert_eq!(hash(b""), 0x0338_dc4b_e2ce_cdae);
        assert_eq!(hash(b"a"), 0x599f_47df_33a2_e1eb);
        assert_eq!(hash(b"hello, world"), 0x8a7a_af63_fc0a_fcf6);
        assert_eq!(hash(&[b'x'; 300]), 0x4b76_dcb5_4c63_1707);
    }

    #[test]
    fn two_pieces_give_the_hash_of_the_whole_at_every_split() {
        let bytes = bytes(460);
        let mut stream = Stream::new();
        for len in 0..=bytes.len() {
            let whole = hash(&bytes[..len]);
            for split in 0..=len {
                stream.write(&bytes[..split]);
                stream.write(&bytes[split..len]);
                assert_eq!(stream.finish(), whole, "{split} of {len} bytes");
            }
        }
    }

    proptest! {
        #[test]
        fn any_pieces_give_the_hash_of_the_whole(
            bytes in prop::collection::vec(any::<u8>(), 0..1500),
            mut cuts in prop::collection::vec(0usize..1500, 0..12),
        ) {
            cuts.iter_mut().for_each(|cut| *cut = (*cut).min(bytes.len()));
            cuts.sort_unstable();
            let mut stream = Stream::new();
            let mut start = 0;
            for cut in cuts {
                stream.write(&bytes[start..cut]);
                start = cut;
            }
            stream.write(&bytes[start..]);
            prop_assert_eq!(stream.finish(), rapidhash_v3(&bytes));
        }
    }
}
