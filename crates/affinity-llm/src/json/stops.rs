//! Where JSON strings stop being plain text.

use fearless_simd::{Level, dispatch, prelude::*, u8x64};

/// Bytes looked at together, one word of bits.
pub(super) const BLOCK: usize = u64::BITS as usize;

/// A bit for each byte of a text that is a quote, a backslash or a control character; beyond its
/// end, every byte is one.
///
/// They are found for the whole text before it is read, with the widest vectors that the machine
/// has: then the next stop is a matter of a word or two, wherever reading is.
pub(crate) struct Stops {
    pub(super) words: Vec<u64>,
    /// All bytes are ASCII.
    pub(super) ascii: bool,
    pub(super) level: Level,
}

impl Stops {
    /// Finds those of this text.
    pub(super) fn find(&mut self, text: &[u8]) {
        let (blocks, rest) = text.as_chunks();
        // Zeros stop, too. A quote may be the last byte, and whoever looks behind it must find an
        // end.
        let mut last = [[0; BLOCK]; 2];
        last.as_flattened_mut()[..rest.len()].copy_from_slice(rest);
        self.words.resize(blocks.len() + last.len(), 0);
        let (words, last_words) = self.words.split_at_mut(blocks.len());
        self.ascii = dispatch!(self.level, simd => {
            find_in(simd, blocks, words) & find_in(simd, &last, last_words)
        });
    }

    pub(crate) fn shrink_to(&mut self, bytes: usize) {
        self.words.clear();
        self.words.shrink_to(bytes / size_of::<u64>());
    }
}

impl Default for Stops {
    fn default() -> Self {
        Self {
            words: Vec::new(),
            ascii: true,
            level: Level::new(),
        }
    }
}

/// Finds those of whole blocks, and whether all of their bytes are ASCII.
#[inline(always)]
fn find_in<S: Simd>(simd: S, blocks: &[[u8; BLOCK]], words: &mut [u64]) -> bool {
    let mut all = u8x64::splat(simd, 0);
    for (block, word) in blocks.iter().zip(words) {
        let bytes = u8x64::from_slice(simd, block);
        // Exchanges `"` and space, so that quotes and control characters are a range.
        let low = (bytes ^ (b'"' ^ b' ')).simd_le(b' ');
        *word = (low | bytes.simd_eq(b'\\')).to_bitmask();
        all |= bytes;
    }
    all.simd_lt(0x80).all_true()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stop_is_found_at_every_place() {
        let mut stops = Stops::default();
        for stop in 0..=u8::MAX {
            for place in 0..200 {
                let mut bytes = [b'a'; 200];
                bytes[place] = stop;
                stops.find(&bytes);
                let found = |at: &usize| stops.words[at / BLOCK] >> (at % BLOCK) & 1 == 1;
                let first = (0..).find(found);
                let stops_here = stop < 0x20 || stop == b'"' || stop == b'\\';
                assert_eq!(first, Some(if stops_here { place } else { 200 }));
                assert_eq!(stops.ascii, stop.is_ascii());
            }
        }
    }

    #[test]
    fn whatever_vectors_the_machine_has_the_stops_are_the_same() {
        let text: Vec<u8> = (0..10_000_u32).map(|at| ((at * at) >> 3) as u8).collect();
        let mut widest = Stops::default();
        let mut baseline = Stops {
            level: Level::baseline(),
            ..Stops::default()
        };
        for end in [0, 1, 63, 64, 65, 127, 128, 9999, 10_000] {
            widest.find(&text[..end]);
            baseline.find(&text[..end]);
            assert_eq!(widest.words, baseline.words);
            assert_eq!(widest.ascii, baseline.ascii);
        }
    }
}
