//! Escapes, as what they say.

use super::scan::{Scan, Scanner};
use crate::malformed::Fault;

/// What the escapes of two characters say; 0 for those that are none, and for the carriage return,
/// which may be half of a line end.
pub(super) const SIMPLE: [u8; 256] = {
    let mut says = [0; 256];
    let pairs = *b"\"\"\\\\//b\x08f\x0Cn\nt\t";
    let mut at = 0;
    while at < pairs.len() {
        says[pairs[at] as usize] = pairs[at + 1];
        at += 2;
    }
    says
};

/// The values of hexadecimal digits; above 15 for what is none.
const HEX: [u8; 256] = {
    let mut values = [0xFF; 256];
    let mut value = 0;
    while value < 16 {
        let digit = b"0123456789abcdef"[value];
        values[digit as usize] = value as u8;
        values[digit.to_ascii_uppercase() as usize] = value as u8;
        value += 1;
    }
    values
};

impl Scanner<'_> {
    /// Takes one escape, at its backslash, or two that make a surrogate pair.
    #[inline(always)]
    pub(super) fn escape(&mut self) -> Scan<u32> {
        let letter = *self.bytes.get(self.at + 1).ok_or(Fault::End)?;
        let code = match (letter, SIMPLE[usize::from(letter)]) {
            (b'u', _) => return self.unicode(),
            (b'r', _) => 0x0D,
            (_, 0) => return Err(Fault::Escape),
            (_, byte) => u32::from(byte),
        };
        self.at += 2;
        Ok(code)
    }

    #[inline(always)]
    fn unicode(&mut self) -> Scan<u32> {
        let high = self.hex(self.at + 2)?;
        self.at += 6;
        if (0xD800..0xDC00).contains(&high) && self.bytes[self.at..].starts_with(b"\\u") {
            let low = self.hex(self.at + 2)?;
            if (0xDC00..0xE000).contains(&low) {
                self.at += 6;
                return Ok(0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00));
            }
        }
        Ok(high)
    }

    #[inline]
    fn hex(&self, at: usize) -> Scan<u32> {
        let digits: Option<&[u8; 4]> = self.bytes.get(at..).and_then(<[u8]>::first_chunk);
        let values = digits
            .ok_or(Fault::End)?
            .map(|digit| HEX[usize::from(digit)]);
        if values.iter().any(|&value| value > 15) {
            return Err(Fault::Escape);
        }
        Ok(values
            .iter()
            .fold(0, |code, &value| code << 4 | u32::from(value)))
    }
}

/// Generalized UTF-8, of so many bytes: `char` has no surrogates, and a client may send one that
/// has no partner.
#[inline]
pub(super) fn utf8(code: u32) -> ([u8; 4], usize) {
    let six = |shift: u32| 0x80 | (code >> shift) as u8 & 0x3F;
    let first = |shift: u32| (code >> shift) as u8;
    match code {
        0..0x80 => ([first(0), 0, 0, 0], 1),
        0x80..0x800 => ([0xC0 | first(6), six(0), 0, 0], 2),
        0x800..0x1_0000 => ([0xE0 | first(12), six(6), six(0), 0], 3),
        _ => ([0xF0 | first(18), six(12), six(6), six(0)], 4),
    }
}
