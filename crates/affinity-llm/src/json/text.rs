//! Strings, decoded.

use super::block::{self, BLOCK};
use super::scan::{Scan, Scanner};
use super::sink::Sink;
use crate::malformed::Fault;

/// What the escapes of two characters say; 0 for those that are none.
const ESCAPES: [u8; 256] = {
    let mut says = [0; 256];
    let pairs = *b"\"\"\\\\//b\x08f\x0Cn\nr\rt\t";
    let mut at = 0;
    while at < pairs.len() {
        says[pairs[at] as usize] = pairs[at + 1];
        at += 2;
    }
    says
};

impl Scanner<'_> {
    /// Takes a string, at its quote, and appends what it says: UTF-8, lone surrogates as their
    /// three bytes (WTF-8), a carriage return before a line feed left out.
    #[inline]
    pub(crate) fn string(&mut self, out: &mut Sink) -> Scan<()> {
        let start = out.len();
        self.at += 1;
        while let Some(window) = self.bytes[self.at..].first_chunk() {
            if self.block(window, start, out)? {
                return Ok(());
            }
        }
        loop {
            let rest = &self.bytes[self.at..];
            let plain = block::plain(rest);
            out.extend(&rest[..plain]);
            self.at += plain;
            if self.ends()? {
                return Ok(());
            }
            self.decode(start, out)?;
        }
    }

    /// Takes a block of a string, and whether the string ends in it.
    ///
    /// All stops of the block are found at once, and runs are copied as whole blocks, so that the
    /// next block waits neither for this one's escapes nor for the length of a run.
    #[inline]
    fn block(&mut self, window: &[u8; 2 * BLOCK], start: usize, out: &mut Sink) -> Scan<bool> {
        let mut stops = block::stops(window.first_chunk().expect("half a window"));
        let room = out.room();
        // Taken from the window and put into the room so far.
        let (mut from, mut to) = (0, 0);
        let ended = loop {
            room[to..][..BLOCK].copy_from_slice(&window[from..][..BLOCK]);
            if stops == 0 {
                to += BLOCK - from;
                from = BLOCK;
                break false;
            }
            let stop = stops.trailing_zeros() as usize;
            to += stop - from;
            from = stop;
            if window[stop] == b'"' {
                from += 1;
                break true;
            }
            let says = ESCAPES[usize::from(window[stop + 1])];
            let joins = says == b'\n' && (to == 0 || room[to - 1] == b'\r');
            if window[stop] != b'\\' || says == 0 || joins {
                // The rare rest: pairs of line ends, code points, faults.
                out.took(to);
                self.at += stop;
                self.ends()?;
                self.decode(start, out)?;
                return Ok(false);
            }
            room[to] = says;
            to += 1;
            from += 2;
            if from >= BLOCK {
                break false;
            }
            // What was escaped is no stop.
            stops &= u32::MAX << from;
        };
        out.took(to);
        self.at += from;
        Ok(ended)
    }

    pub(super) fn skip_string(&mut self) -> Scan<()> {
        self.at += 1;
        loop {
            self.at += block::plain(&self.bytes[self.at..]);
            if self.ends()? {
                return Ok(());
            }
            self.escape()?;
        }
    }

    /// Whether the string ends where plain text does; a backslash follows if not.
    #[inline]
    fn ends(&mut self) -> Scan<bool> {
        match self.bytes.get(self.at) {
            Some(b'"') => {
                self.at += 1;
                Ok(true)
            }
            Some(b'\\') => Ok(false),
            Some(_) => Err(Fault::Control),
            None => Err(Fault::End),
        }
    }

    /// Takes one escape and appends what it says. The text began at `start`.
    #[inline]
    fn decode(&mut self, start: usize, out: &mut Sink) -> Scan<()> {
        match self.escape()? {
            0x0A => push_line_feed(start, out),
            code @ 0..0x80 => out.push(code as u8),
            code => push_code(code, out),
        }
        Ok(())
    }

    /// Takes one escape, at its backslash, or two that make a surrogate pair.
    #[inline]
    fn escape(&mut self) -> Scan<u32> {
        let letter = *self.bytes.get(self.at + 1).ok_or(Fault::End)?;
        match ESCAPES[usize::from(letter)] {
            0 if letter == b'u' => self.unicode(),
            0 => Err(Fault::Escape),
            byte => {
                self.at += 2;
                Ok(u32::from(byte))
            }
        }
    }

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

    fn hex(&self, at: usize) -> Scan<u32> {
        let digits = self.bytes.get(at..at + 4).ok_or(Fault::End)?;
        digits.iter().try_fold(0, |code, &digit| {
            let value = char::from(digit).to_digit(16).ok_or(Fault::Escape)?;
            Ok(code << 4 | value)
        })
    }
}

#[inline]
fn push_line_feed(start: usize, out: &mut Sink) {
    if out[start..].ends_with(b"\r") {
        out.truncate(out.len() - 1);
    }
    out.push(b'\n');
}

/// Generalized UTF-8: `char` has no surrogates, and a client may send one that has no partner.
fn push_code(code: u32, out: &mut Sink) {
    if let Some(char) = char::from_u32(code) {
        out.extend(char.encode_utf8(&mut [0; 4]).as_bytes());
    } else {
        let six = |shift: u32| 0x80 | (code >> shift) as u8 & 0x3F;
        out.extend(&[0xE0 | (code >> 12) as u8, six(6), six(0)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(json: &str) -> Scan<Vec<u8>> {
        let mut out = Sink::default();
        Scanner::new(json.as_bytes())
            .string(&mut out)
            .map(|()| out.to_vec())
    }

    #[test]
    fn escapes_say_what_the_characters_say() {
        assert_eq!(
            decoded(r#""\u0061\/\n\t\b\f\"\\""#).unwrap(),
            b"a/\n\t\x08\x0c\"\\"
        );
        assert_eq!(decoded(r#""\ud83d\ude00é""#).unwrap(), "😀é".as_bytes());
    }

    #[test]
    fn carriage_return_before_line_feed_is_left_out() {
        assert_eq!(decoded(r#""a\r\nb\rc\u000d\u000a""#).unwrap(), b"a\nb\rc\n");
    }

    #[test]
    fn lone_surrogates_are_kept_apart() {
        assert_eq!(decoded(r#""\ud800""#).unwrap(), [0xED, 0xA0, 0x80]);
        assert_eq!(
            decoded(r#""\udc00\ud800""#).unwrap(),
            [0xED, 0xB0, 0x80, 0xED, 0xA0, 0x80]
        );
        assert_eq!(
            decoded(r#""\ud800\ud800\udc00""#).unwrap()[..3],
            [0xED, 0xA0, 0x80]
        );
    }

    #[test]
    fn what_no_string_may_hold_is_refused() {
        assert_eq!(decoded("\"a\nb\""), Err(Fault::Control));
        assert_eq!(decoded(r#""\x""#), Err(Fault::Escape));
        assert_eq!(decoded(r#""\u12G4""#), Err(Fault::Escape));
        assert_eq!(decoded(r#""\u12"#), Err(Fault::End));
        assert_eq!(decoded(r#""open"#), Err(Fault::End));
    }
}
