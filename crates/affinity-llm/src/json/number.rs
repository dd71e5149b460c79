//! Numbers, in one spelling.

use std::io::Write as _;

use super::scan::{Scan, Scanner};
use super::sink::Sink;
use crate::malformed::Fault;

impl<'b> Scanner<'b> {
    /// Takes a number and returns its spelling.
    pub(crate) fn number(&mut self) -> Scan<&'b [u8]> {
        let start = self.at;
        self.skip_if(b"-");
        match self.bytes.get(self.at) {
            Some(b'0') => self.at += 1,
            _ => self.digits()?,
        }
        if self.skip_if(b".") {
            self.digits()?;
        }
        if self.skip_if(b"eE") {
            self.skip_if(b"+-");
            self.digits()?;
        }
        Ok(&self.bytes[start..self.at])
    }

    fn skip_if(&mut self, any: &[u8]) -> bool {
        let found = self
            .bytes
            .get(self.at)
            .is_some_and(|byte| any.contains(byte));
        self.at += usize::from(found);
        found
    }

    fn digits(&mut self) -> Scan<()> {
        let digits = self.bytes[self.at..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        self.at += digits;
        match (digits, self.bytes.get(self.at)) {
            (0, None) => Err(Fault::End),
            (0, _) => Err(Fault::Number),
            _ => Ok(()),
        }
    }
}

/// Appends a number in the one spelling of its value.
///
/// An integer that fits 64 bits is exact, since ids are sent as numbers; any other number is the
/// `f64` nearest to it, as almost every program that re-serialises a body would keep it. What is
/// too large for an `f64` stays as it is spelled.
pub(crate) fn write_number(spelling: &[u8], out: &mut Sink) {
    let text = str::from_utf8(spelling).unwrap_or_default();
    if let Ok(integer) = text.parse::<i64>() {
        return write_integer(integer, out);
    }
    if let Ok(integer) = text.parse::<u64>() {
        return write_integer(integer, out);
    }
    let float: f64 = text.parse().unwrap_or(f64::INFINITY);
    // The integers that are written as such above, however they are spelled.
    const INTEGERS: std::ops::Range<f64> = i64::MIN as f64..u64::MAX as f64;
    if float.is_infinite() {
        out.extend(spelling);
    } else if INTEGERS.contains(&float) && float.trunc() == float {
        write_integer(float as i128, out);
    } else {
        // Its bits: no printing routine's choice of digits may reach a fingerprint.
        write!(out, "x{:016x}", float.to_bits()).expect("a sink takes every write");
    }
}

/// Appends an integer, as [`write_number`] would.
pub(crate) fn write_integer(integer: impl std::fmt::Display, out: &mut Sink) {
    write!(out, "{integer}").expect("a sink takes every write");
}

#[cfg(test)]
mod tests {
    use super::super::stops::Stops;
    use super::*;

    fn canonical(spelling: &str) -> String {
        let mut stops = Stops::default();
        let mut scanner = Scanner::new(spelling.as_bytes(), &mut stops);
        let mut out = Sink::default();
        write_number(scanner.number().unwrap(), &mut out);
        scanner.finish().unwrap();
        String::from_utf8(out.to_vec()).unwrap()
    }

    #[test]
    fn spellings_that_parse_equal_are_one() {
        for same in [
            &["1", "1.0", "1e0", "10E-1", "0.1e+1"][..],
            &["0", "-0", "0.0", "-0.0e9"],
            &["0.1", "1e-1", "0.10", "0.1000000000000000055"],
            &["1e22", "10000000000000000000000", "1E+22"],
            &["-12", "-12.0", "-1.2e1"],
        ] {
            for spelling in same {
                assert_eq!(canonical(spelling), canonical(same[0]), "{spelling}");
            }
        }
    }

    #[test]
    fn large_integers_stay_exact() {
        assert_ne!(canonical("9007199254740993"), canonical("9007199254740992"));
        assert_eq!(canonical("18446744073709551615"), "18446744073709551615");
    }

    #[test]
    fn what_overflows_keeps_its_spelling() {
        assert_eq!(canonical("1e400"), "1e400");
        assert_eq!(canonical(&"9".repeat(400)), "9".repeat(400));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for (text, fault) in [
            ("-", Fault::End),
            ("01", Fault::Trailing),
            ("1.", Fault::End),
            ("1.e", Fault::Number),
            ("+1", Fault::Number),
        ] {
            let mut stops = Stops::default();
            let mut scanner = Scanner::new(text.as_bytes(), &mut stops);
            let met = scanner.number().and_then(|_| scanner.finish());
            assert_eq!(met, Err(fault), "{text}");
        }
    }
}
