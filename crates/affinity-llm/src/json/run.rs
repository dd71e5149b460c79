//! How far a JSON string goes on without anything to decode.

/// Bytes looked at together where a long text is likely.
const BLOCK: usize = 32;
const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// The number of leading bytes that are neither a quote, nor a backslash, nor a control character.
///
/// Whole blocks first, in a form that compilers turn into vector code on every platform; then
/// words; then bytes. The compiler's vectors rather than a library's, because none of them looks
/// for "a quote, a backslash or less than a space" in one pass.
#[inline]
pub(super) fn plain(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(block) = bytes[at..].first_chunk::<BLOCK>() {
        if block.iter().fold(false, |any, &byte| any | stops(byte)) {
            break;
        }
        at += BLOCK;
    }
    while let Some(word) = bytes[at..].first_chunk::<8>() {
        let found = stops_in(u64::from_le_bytes(*word));
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let tail = &bytes[at..];
    at + tail
        .iter()
        .position(|&byte| stops(byte))
        .unwrap_or(tail.len())
}

#[inline]
const fn stops(byte: u8) -> bool {
    (byte == b'"') | (byte == b'\\') | (byte < b' ')
}

/// The high bit of every byte at which a run stops. Bits above the first one may be wrong (a
/// borrow runs upward), which is why only the lowest is used.
#[inline]
const fn stops_in(word: u64) -> u64 {
    let quote = word ^ (ONES * b'"' as u64);
    let backslash = word ^ (ONES * b'\\' as u64);
    let below = word.wrapping_sub(ONES * b' ' as u64) & !word;
    let quote = quote.wrapping_sub(ONES) & !quote;
    let backslash = backslash.wrapping_sub(ONES) & !backslash;
    (below | quote | backslash) & HIGHS
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn every_stop_is_found_at_every_distance() {
        for stop in 0..=u8::MAX {
            for distance in 0..100 {
                let mut bytes = vec![b'a'; 100];
                bytes[distance] = stop;
                let stops = stop < 0x20 || stop == b'"' || stop == b'\\';
                assert_eq!(plain(&bytes), if stops { distance } else { 100 });
            }
        }
    }

    #[test]
    fn the_first_of_two_stops_is_found() {
        for (first, second) in [
            (b'"', b'\\'),
            (b'\\', 0),
            (0x1f, b'"'),
            (b'"', b'#'),
            (b'"', b'!'),
        ] {
            let bytes = [b'x', b'y', first, second, b'z', b'z', b'z', b'z', b'z'];
            assert_eq!(plain(&bytes), 2);
        }
    }
}
