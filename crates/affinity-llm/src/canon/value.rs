//! Any JSON value, canonical.

use super::{ARRAY, Canon, END, NUMBER};
use crate::json::{Scan, Scanner, write_number};

impl Canon {
    /// Takes a value: keys in order, numbers in one spelling, strings decoded, no white space.
    pub(crate) fn value(&mut self, scan: &mut Scanner<'_>) -> Scan<()> {
        match scan.peek()? {
            b'"' => {
                self.begin_text();
                scan.string(&mut self.bytes)
            }
            b'{' => self.object(scan),
            b'[' => {
                scan.open(b'[')?;
                self.bytes.push(ARRAY);
                let mut first = true;
                while scan.element(&mut first)? {
                    self.value(scan)?;
                }
                self.bytes.push(END);
                Ok(())
            }
            b'-' | b'0'..=b'9' => {
                let spelling = scan.number()?;
                self.bytes.push(NUMBER);
                write_number(spelling, &mut self.bytes);
                Ok(())
            }
            _ => {
                let first = scan.literal()?;
                self.literal(first);
                Ok(())
            }
        }
    }

    fn object(&mut self, scan: &mut Scanner<'_>) -> Scan<()> {
        scan.open(b'{')?;
        let mut group = self.open_object();
        let mut first = true;
        while scan.member(&mut first)? {
            let member = self.begin_key();
            scan.string(&mut self.bytes)?;
            let key = self.key(member).len() + 1;
            scan.take(b':')?;
            self.value(scan)?;
            self.keep(&mut group, member, key, false);
        }
        self.close_object(group, true);
        Ok(())
    }
}
