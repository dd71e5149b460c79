//! Strings, decoded.

use fearless_simd::dispatch;

use super::escape::{SIMPLE, utf8};
use super::scan::{Scan, Scanner};
use super::sink::Sink;
use super::stops::BLOCK;
use crate::malformed::Fault;

/// A block, and as much again: an escape may begin in its last byte, and a run of its last bytes is
/// copied as a whole block.
const WINDOW: usize = 2 * BLOCK;

/// Bytes that are decoded before asking for more room.
const ROOM: usize = 1 << 14;

impl Scanner<'_> {
    /// Takes a string, at its quote, and appends what it says: UTF-8, lone surrogates as their
    /// three bytes (WTF-8), a carriage return before a line feed left out.
    #[inline]
    pub(crate) fn string(&mut self, out: &mut Sink) -> Scan<()> {
        self.at += 1;
        // Keys, roles, ids and names: plain, and not longer than a block.
        let plain = self.plain();
        let ends = self.bytes.get(self.at + plain) == Some(&b'"');
        if ends && out.run(&self.bytes[self.at..], plain) {
            self.at += plain + 1;
            return Ok(());
        }
        self.long_string(out)
    }

    fn long_string(&mut self, out: &mut Sink) -> Scan<()> {
        loop {
            dispatch!(self.level, _ => self.runs(out));
            // Mostly the end. What else is left: the last bytes of the text or of the room, and what is
            // no simple escape.
            if self.bytes.get(self.at) != Some(&b'"') {
                let stop = self.stop();
                out.extend(&self.bytes[self.at..stop]);
                self.at = stop;
            }
            if self.ends()? {
                return Ok(());
            }
            self.decode(out)?;
        }
    }

    /// Takes what is plain or a simple escape, as far as there are windows.
    ///
    /// Runs are copied as whole blocks, and the next one over what was too much of the last: so
    /// nothing waits for the length of a run. Always inlined, to be compiled for the vectors that
    /// the machine has.
    #[inline(always)]
    fn runs(&mut self, out: &mut Sink) {
        let mut room = out.room(ROOM.min(self.bytes.len() - self.at) + WINDOW);
        let all = room.len();
        // Which block, and where in it the next run begins.
        let (word, mut from) = (self.at / BLOCK, self.at % BLOCK);
        let mut words = self.stops[word..].iter();
        let mut rest = &self.bytes[word * BLOCK..];
        while let (Some(window), Some(word), Some(place)) = (
            rest.first_chunk::<WINDOW>(),
            words.next(),
            room.first_chunk_mut::<WINDOW>(),
        ) {
            let mut stops = word >> from << from;
            let mut to = 0;
            loop {
                place[to..][..BLOCK].copy_from_slice(&window[from..][..BLOCK]);
                if stops == 0 {
                    to += BLOCK - from;
                    from = BLOCK;
                    break;
                }
                let stop = stops.trailing_zeros() as usize;
                to += stop - from;
                from = stop;
                let says = SIMPLE[usize::from(window[stop + 1])];
                if window[stop] != b'\\' || says == 0 {
                    break;
                }
                place[to] = says;
                to += 1;
                from += 2;
                // What was escaped is no stop.
                stops &= !(0b11 << stop);
                if from >= BLOCK {
                    break;
                }
            }
            room = &mut room[to..];
            if from < BLOCK {
                break;
            }
            from -= BLOCK;
            rest = &rest[BLOCK..];
        }
        self.at = self.bytes.len() - rest.len() + from;
        let took = all - room.len();
        out.took(took);
    }

    pub(super) fn skip_string(&mut self) -> Scan<()> {
        self.at += 1;
        loop {
            self.at = self.stop();
            if self.ends()? {
                return Ok(());
            }
            self.escape()?;
        }
    }

    /// How many plain bytes follow; a block of them if there are more.
    #[inline]
    fn plain(&self) -> usize {
        let (word, bit) = (self.at / BLOCK, self.at % BLOCK);
        let bits = match self.stops.get(word..word + 2) {
            Some(&[low, high]) => low >> bit | high << 1 << (BLOCK - 1 - bit),
            _ => u64::MAX,
        };
        bits.trailing_zeros() as usize
    }

    /// Where the next stop is: at the end of the text at the latest.
    fn stop(&self) -> usize {
        let mut word = self.at / BLOCK;
        let mut stops = self.stops[word] & (u64::MAX << (self.at % BLOCK));
        while stops == 0 {
            word += 1;
            stops = self.stops[word];
        }
        word * BLOCK + stops.trailing_zeros() as usize
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

    /// Takes an escape and the code points that follow it, and appends what they say: many
    /// programs spell whole texts so.
    fn decode(&mut self, out: &mut Sink) -> Scan<()> {
        loop {
            let code = self.escape()?;
            if code != 0x0D || !self.line_feed_follows() {
                let (bytes, len) = utf8(code);
                out.few(bytes, len);
            }
            if !self.bytes[self.at..].starts_with(b"\\u") {
                return Ok(());
            }
        }
    }

    /// Whether the next escape is a line feed, which no string may spell otherwise.
    fn line_feed_follows(&self) -> bool {
        self.bytes.get(self.at) == Some(&b'\\') && Self::clone(self).escape() == Ok(0x0A)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::stops::Stops;
    use super::*;

    fn decoded(json: &str) -> Scan<Vec<u8>> {
        let mut out = Sink::default();
        Scanner::new(json.as_bytes(), &mut Stops::default())
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
        assert_eq!(decoded(r#""\ran\r\r\n""#).unwrap(), b"\ran\r\n");
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

    /// Byte by byte, as the grammar has it. Whatever stands wrong is an error of one kind.
    fn by_hand(text: &[u8]) -> Option<(Vec<u8>, usize)> {
        let mut units = Vec::new();
        let mut at = 1;
        loop {
            let byte = *text.get(at)?;
            let (unit, taken) = match byte {
                b'"' => break,
                0..0x20 => return None,
                b'\\' => match text.get(at + 1)? {
                    b'u' => {
                        let digits = text.get(at + 2..at + 6)?;
                        if !digits.iter().all(u8::is_ascii_hexdigit) {
                            return None;
                        }
                        let code =
                            u32::from_str_radix(str::from_utf8(digits).unwrap(), 16).unwrap();
                        (code, 6)
                    }
                    letter => {
                        let place = b"\"\\/bfnrt".iter().position(|known| known == letter)?;
                        (u32::from(b"\"\\/\x08\x0c\n\r\t"[place]), 2)
                    }
                },
                // What is no escape goes through as it is, byte by byte.
                byte => (0x100_0000 | u32::from(byte), 1),
            };
            units.push(unit);
            at += taken;
        }
        let mut out = Vec::new();
        let mut next = units.iter().copied().peekable();
        while let Some(unit) = next.next() {
            let low = next
                .peek()
                .filter(|low| (0xDC00..0xE000).contains(*low))
                .copied();
            let code = match (unit, low) {
                (0x0D, _) if next.peek() == Some(&0x0A) => continue,
                (0xD800..0xDC00, Some(low)) => {
                    next.next();
                    0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00)
                }
                (unit, _) => unit,
            };
            match char::from_u32(code) {
                _ if code >= 0x100_0000 => out.push(code as u8),
                Some(char) => out.extend(char.encode_utf8(&mut [0; 4]).bytes()),
                None => {
                    let six = |shift: u32| 0x80 | (code >> shift & 0x3F) as u8;
                    out.extend([0xE0 | (code >> 12) as u8, six(6), six(0)]);
                }
            }
        }
        Some((out, at + 1))
    }

    /// What may stand in a string, and what may not.
    fn piece() -> impl Strategy<Value = String> {
        prop_oneof![
            4 => "[a-z]{0,9}",
            2 => "[ -!#-\\[\\]-~é-ü\u{4e00}-\u{4eff}\u{1f600}]{0,140}",
            6 => r#"\\["\\/bfnrtu]"#,
            2 => r"\\r\\n|\\r|\\u000[aAdD]",
            4 => "\\\\u[0-9a-fA-F]{4}",
            2 => "\\\\u[dD][89a-fA-F][0-9a-f]{2}",
            1 => "[\"\\x00-\\x1f\\\\]",
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]
        #[test]
        fn strings_read_as_they_do_byte_by_byte(
            pieces in prop::collection::vec(piece(), 0..40),
            before in 0_usize..140,
            after in 0_usize..140,
            closed in any::<bool>(),
        ) {
            let text = format!(
                "{}\"{}{}{}",
                " ".repeat(before), pieces.concat(), if closed { "\"" } else { "" }, "x".repeat(after)
            );
            let mut stops = Stops::default();
            let mut scanner = Scanner::new(text.as_bytes(), &mut stops);
            scanner.at = before;
            let (mut skipping, mut out) = (scanner, Sink::default());
            out.extend(b"\r");
            let read = scanner.string(&mut out);
            let expected = by_hand(&text.as_bytes()[before..]);
            prop_assert_eq!(read.is_ok(), expected.is_some(), "{}", text);
            prop_assert_eq!(skipping.skip_string(), read, "{}", text);
            prop_assert_eq!(skipping.at, scanner.at);
            if let Some((said, length)) = expected {
                prop_assert_eq!(&out[1..], said, "{}", text);
                prop_assert_eq!(scanner.at, before + length);
            }
        }
    }
}
