//! Canonical bytes, read back: for people who want to see what two entries differ in.

use super::tag::{ARRAY, END, FIELD, Field, KEY, LITERAL, NUMBER, OBJECT, TEXT};

/// A text, a number, a truth value or a null of an entry, and where in the entry it is.
///
/// `Debug` shows the place and not the text.
#[derive(Clone, PartialEq, Eq)]
pub struct Leaf {
    /// Such as `content[0].text` or `tools[2].input_schema.type`.
    pub place: String,
    /// What it says. The conversation's text: not for logs.
    pub text: String,
}

impl std::fmt::Debug for Leaf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Leaf")
            .field("place", &self.place)
            .finish_non_exhaustive()
    }
}

/// The leaves of an entry in their canonical order.
pub(crate) fn leaves(entry: &[u8]) -> Vec<Leaf> {
    let mut reader = Leaves {
        rest: entry,
        leaves: Vec::new(),
    };
    reader.value(String::new());
    reader.leaves
}

struct Leaves<'e> {
    rest: &'e [u8],
    leaves: Vec<Leaf>,
}

impl<'e> Leaves<'e> {
    fn value(&mut self, place: String) {
        match self.tag() {
            Some(ARRAY) => {
                let mut index = 0;
                while !self.ends() {
                    self.value(format!("{place}[{index}]"));
                    index += 1;
                }
            }
            Some(OBJECT) => {
                while !self.ends() {
                    self.member(&place);
                }
            }
            Some(TEXT | NUMBER | LITERAL) => {
                let text = String::from_utf8_lossy(self.text()).into_owned();
                self.leaves.push(Leaf { place, text });
            }
            _ => {}
        }
    }

    fn member(&mut self, place: &str) {
        let dot = if place.is_empty() { "" } else { "." };
        if self.tag() == Some(KEY) {
            let key = String::from_utf8_lossy(self.text()).into_owned();
            return self.value(format!("{place}{dot}{key}"));
        }
        let (name, many) = self.tag().map_or(("", false), Field::describe);
        let mut index = 0;
        while !matches!(self.rest.first(), None | Some(&(KEY | FIELD | END))) {
            let at = if many {
                format!("[{index}]")
            } else {
                String::new()
            };
            self.value(format!("{place}{dot}{name}{at}"));
            index += 1;
        }
    }

    fn tag(&mut self) -> Option<u8> {
        let (tag, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*tag)
    }

    /// Takes the end of an array or object, if it is next; what is cut short ends too.
    fn ends(&mut self) -> bool {
        match self.rest.first() {
            Some(&END) => self.tag().is_some(),
            Some(_) => false,
            None => true,
        }
    }

    fn text(&mut self) -> &'e [u8] {
        let end = self
            .rest
            .iter()
            .position(|&byte| byte >= TEXT)
            .unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        text
    }
}
