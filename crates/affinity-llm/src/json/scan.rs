//! The scanner's grammar: values, members, elements, literals.

use fearless_simd::Level;

use super::stops::Stops;
use crate::malformed::Fault;

pub(crate) type Scan<T> = Result<T, Fault>;

/// What a nested value may be deep, counted from the body: what `serde_json` allows too.
const DEPTH: u8 = 128;

/// A position in JSON text. After an error, [`Scanner::at`] is where it was met.
#[derive(Clone, Copy)]
pub(crate) struct Scanner<'b> {
    pub(super) bytes: &'b [u8],
    /// Of these bytes, see [`Stops`](super::Stops).
    pub(super) stops: &'b [u64],
    pub(super) level: Level,
    ascii: bool,
    pub(super) at: usize,
    depth: u8,
}

impl<'b> Scanner<'b> {
    pub(crate) fn new(bytes: &'b [u8], stops: &'b mut Stops) -> Self {
        stops.find(bytes);
        Self {
            bytes,
            stops: &stops.words,
            level: stops.level,
            ascii: stops.ascii,
            at: 0,
            depth: 0,
        }
    }

    /// A scanner of JSON that was found inside a string: as deep as its surroundings.
    pub(crate) fn inside<'i>(&self, bytes: &'i [u8], stops: &'i mut Stops) -> Scanner<'i> {
        Scanner {
            depth: self.depth,
            ..Scanner::new(bytes, stops)
        }
    }

    /// Whether the text is UTF-8, all of it.
    pub(crate) fn is_utf8(&self) -> bool {
        self.ascii || simdutf8::basic::from_utf8(self.bytes).is_ok()
    }

    pub(crate) const fn at(&self) -> usize {
        self.at
    }

    /// A scanner at an earlier place, which must be in the same object or array.
    pub(crate) const fn back_at(&self, at: usize) -> Self {
        Self { at, ..*self }
    }

    /// The next byte that is not white space, which stays.
    #[inline]
    pub(crate) fn peek(&mut self) -> Scan<u8> {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
        self.bytes.get(self.at).copied().ok_or(Fault::End)
    }

    /// Takes this byte, after any white space.
    #[inline]
    pub(crate) fn take(&mut self, byte: u8) -> Scan<()> {
        if self.peek()? != byte {
            return Err(Fault::Grammar);
        }
        self.at += 1;
        Ok(())
    }

    /// Nothing but white space is left.
    pub(crate) fn finish(&mut self) -> Scan<()> {
        match self.peek() {
            Err(Fault::End) => Ok(()),
            _ => Err(Fault::Trailing),
        }
    }

    /// Takes the `{` or `[` of a value.
    #[inline]
    pub(crate) fn open(&mut self, opener: u8) -> Scan<()> {
        self.take(opener)?;
        if self.depth == DEPTH {
            return Err(Fault::Depth);
        }
        self.depth += 1;
        Ok(())
    }

    /// Whether an object has another member; stands at its key then. `first` starts as true.
    #[inline]
    pub(crate) fn member(&mut self, first: &mut bool) -> Scan<bool> {
        let more = self.more(b'}', first)?;
        if more && self.peek()? != b'"' {
            return Err(Fault::Grammar);
        }
        Ok(more)
    }

    /// Whether an array has another element; stands at it then. `first` starts as true.
    #[inline]
    pub(crate) fn element(&mut self, first: &mut bool) -> Scan<bool> {
        self.more(b']', first)
    }

    #[inline]
    fn more(&mut self, closer: u8, first: &mut bool) -> Scan<bool> {
        let byte = self.peek()?;
        if byte == closer {
            self.at += 1;
            self.depth -= 1;
            return Ok(false);
        }
        if !core::mem::take(first) {
            if byte != b',' {
                return Err(Fault::Grammar);
            }
            self.at += 1;
        }
        Ok(true)
    }

    /// Takes `true`, `false` or `null` and returns its first byte.
    pub(crate) fn literal(&mut self) -> Scan<u8> {
        let rest = &self.bytes[self.at..];
        for word in ["true", "false", "null"] {
            if rest.starts_with(word.as_bytes()) {
                self.at += word.len();
                return Ok(word.as_bytes()[0]);
            }
        }
        Err(Fault::Grammar)
    }

    /// Whether the next value is null, `""`, `[]` or `{}`. It stays.
    pub(crate) fn says_nothing(&self) -> Scan<bool> {
        let mut ahead = *self;
        let closer = match ahead.peek()? {
            b'n' => return Ok(true),
            b'"' => return Ok(self.bytes[ahead.at..].starts_with(b"\"\"")),
            b'[' => b']',
            b'{' => b'}',
            _ => return Ok(false),
        };
        ahead.at += 1;
        Ok(ahead.peek()? == closer)
    }

    /// Takes a value that nobody wants; it must be JSON all the same.
    pub(crate) fn skip(&mut self) -> Scan<()> {
        let mut first = true;
        match self.peek()? {
            b'"' => self.skip_string(),
            b'{' => {
                self.open(b'{')?;
                while self.member(&mut first)? {
                    self.skip_string()?;
                    self.take(b':')?;
                    self.skip()?;
                }
                Ok(())
            }
            b'[' => {
                self.open(b'[')?;
                while self.element(&mut first)? {
                    self.skip()?;
                }
                Ok(())
            }
            b'-' | b'0'..=b'9' => self.number().map(drop),
            _ => self.literal().map(drop),
        }
    }
}
