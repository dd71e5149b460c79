//! Where a JSON string stops being plain text, a block at a time.

use wide::u8x16;

/// Bytes looked at together.
pub(super) const BLOCK: usize = 32;

/// A bit for each byte that is a quote, a backslash or a control character.
#[inline]
pub(super) fn stops(block: &[u8; BLOCK]) -> u32 {
    let (low, high) = block.split_at(16);
    stops_in(low) | stops_in(high) << 16
}

#[inline]
fn stops_in(half: &[u8]) -> u32 {
    let bytes = u8x16::new(half.try_into().expect("half a block"));
    let control = bytes.min(u8x16::splat(0x1F)).cmp_eq(bytes);
    let quote = bytes.cmp_eq(u8x16::splat(b'"'));
    let backslash = bytes.cmp_eq(u8x16::splat(b'\\'));
    (control | quote | backslash).move_mask() as u32
}

/// The number of leading bytes that are none of these.
#[inline]
pub(super) fn plain(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(block) = bytes[at..].first_chunk() {
        let stops = stops(block);
        if stops != 0 {
            return at + stops.trailing_zeros() as usize;
        }
        at += BLOCK;
    }
    let tail = &bytes[at..];
    let stop = tail
        .iter()
        .position(|byte| matches!(byte, 0..0x20 | b'"' | b'\\'));
    at + stop.unwrap_or(tail.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stop_is_found_at_every_place() {
        for stop in 0..=u8::MAX {
            for place in 0..100 {
                let mut bytes = [b'a'; 100];
                bytes[place] = stop;
                let stops = stop < 0x20 || stop == b'"' || stop == b'\\';
                assert_eq!(plain(&bytes), if stops { place } else { 100 });
            }
        }
    }

    #[test]
    fn all_stops_of_a_block_are_found() {
        let mut block = [0xFF; BLOCK];
        (block[0], block[5], block[21], block[31]) = (b'"', b'\\', 0, 0x1F);
        assert_eq!(stops(&block), 1 | 1 << 5 | 1 << 21 | 1 << 31);
    }
}
