//! Which of several names counts, where an object has one field under more than one.
//!
//! Every dialect has one name for each of its fields, but bodies are converted from dialect to
//! dialect, and some converters leave the old name beside the new one. The order of keys must not
//! decide then.

use crate::canon::Mark;
use crate::json::{Scan, Scanner};

use super::{OWN, Reader};

/// Whose names count first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Names {
    /// Chat Completions and Anthropic Messages.
    #[default]
    Messages,
    Responses,
    Gemini,
}

impl Names {
    /// The rank of `content` or `parts`.
    pub(super) fn of_content(self, name: &[u8]) -> u8 {
        u8::from((name == b"parts") != (self == Self::Gemini))
    }

    /// The rank of `arguments`, `args` or `input`.
    pub(super) fn of_input(self, name: &[u8]) -> u8 {
        match (name, self) {
            (b"args", Self::Gemini) | (b"arguments", Self::Messages | Self::Responses) => 0,
            (b"args" | b"arguments", _) => 1,
            _ => 2,
        }
    }
}

impl<'b> Reader<'b> {
    /// Whether an object says something under the name that counts first for its content. Only
    /// asked if it has the other name. `object`: a scanner at its first member.
    pub(super) fn finds_own_content(&mut self, mut object: Scanner<'b>) -> bool {
        let spare = self.canon.mark();
        // What is malformed is met again when it is read.
        let found = self.find_own_content(&mut object, spare).unwrap_or(false);
        self.canon.undo(spare);
        found
    }

    fn find_own_content(&mut self, object: &mut Scanner<'b>, spare: Mark) -> Scan<bool> {
        let mut first = true;
        while self.overwritten.member(object, &mut first)? {
            self.canon.undo(spare);
            let start = self.canon.bytes().len();
            object.string(self.canon.sink())?;
            let key = &self.canon.bytes()[start..];
            let own = matches!(key, b"content" | b"parts") && self.names.of_content(key) == OWN;
            object.take(b':')?;
            if own && !object.says_nothing()? {
                return Ok(true);
            }
            object.skip()?;
        }
        Ok(false)
    }
}
