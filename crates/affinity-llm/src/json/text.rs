//! Strings, decoded.

use super::run;
use super::scan::{Scan, Scanner};
use crate::malformed::Fault;

impl Scanner<'_> {
    /// Takes a string, at its quote, and appends what it says: UTF-8, lone surrogates as their
    /// three bytes (WTF-8), a carriage return before a line feed left out.
    #[inline]
    pub(crate) fn string(&mut self, out: &mut Vec<u8>) -> Scan<()> {
        let start = out.len();
        self.at += 1;
        loop {
            let rest = &self.bytes[self.at..];
            let plain = run::plain(rest);
            out.extend_from_slice(&rest[..plain]);
            self.at += plain;
            match rest.get(plain) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => match self.escape()? {
                    0x0A if out.len() > start && out.ends_with(b"\r") => {
                        out.pop();
                        out.push(b'\n');
                    }
                    code @ 0..0x80 => out.push(code as u8),
                    code => push_code(out, code),
                },
                Some(_) => return Err(Fault::Control),
                None => return Err(Fault::End),
            }
        }
    }

    pub(super) fn skip_string(&mut self) -> Scan<()> {
        self.at += 1;
        loop {
            let rest = &self.bytes[self.at..];
            let plain = run::plain(rest);
            self.at += plain;
            match rest.get(plain) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => drop(self.escape()?),
                Some(_) => return Err(Fault::Control),
                None => return Err(Fault::End),
            }
        }
    }

    /// Takes one escape, at its backslash, or two that make a surrogate pair.
    #[inline]
    fn escape(&mut self) -> Scan<u32> {
        let code = match self.bytes.get(self.at + 1) {
            Some(b'n') => 0x0A,
            Some(b'"') => u32::from(b'"'),
            Some(b'\\') => u32::from(b'\\'),
            Some(b'/') => u32::from(b'/'),
            Some(b't') => 0x09,
            Some(b'r') => 0x0D,
            Some(b'b') => 0x08,
            Some(b'f') => 0x0C,
            Some(b'u') => return self.unicode(),
            Some(_) => return Err(Fault::Escape),
            None => return Err(Fault::End),
        };
        self.at += 2;
        Ok(code)
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

/// Generalized UTF-8: `char` has no surrogates, and a client may send one that has no partner.
fn push_code(out: &mut Vec<u8>, code: u32) {
    if let Some(char) = char::from_u32(code) {
        out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
    } else {
        let six = |shift: u32| 0x80 | (code >> shift) as u8 & 0x3F;
        out.extend_from_slice(&[0xE0 | (code >> 12) as u8, six(6), six(0)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(json: &str) -> Scan<Vec<u8>> {
        let mut out = Vec::new();
        Scanner::new(json.as_bytes()).string(&mut out).map(|()| out)
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
