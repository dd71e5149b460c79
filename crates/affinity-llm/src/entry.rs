//! One link's worth of a conversation.

use core::fmt;

use crate::canon::{self, Leaf};

/// What an entry stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EntryKind {
    /// The system prompt or instructions that stand apart from the messages.
    System,
    /// The tools.
    Tools,
    /// A message or item.
    Message,
}

/// The canonical form of one entry: what its link is the hash of.
///
/// `Debug` shows its size and none of its text.
#[derive(Clone, Copy)]
pub struct Entry<'r> {
    kind: EntryKind,
    bytes: &'r [u8],
}

impl<'r> Entry<'r> {
    pub(crate) const fn new(kind: EntryKind, bytes: &'r [u8]) -> Self {
        Self { kind, bytes }
    }

    /// What the entry stands for.
    #[must_use]
    pub const fn kind(&self) -> EntryKind {
        self.kind
    }

    /// The canonical bytes, in the encoding that `docs/spec-llm.md` specifies. They hold the
    /// conversation's text: not for logs.
    #[must_use]
    pub const fn bytes(&self) -> &'r [u8] {
        self.bytes
    }

    /// The entry read back, for people: each text and number and where it is. Allocates.
    #[must_use]
    pub fn leaves(&self) -> Vec<Leaf> {
        canon::leaves(self.bytes)
    }
}

impl fmt::Debug for Entry<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry")
            .field("kind", &self.kind)
            .field("bytes", &self.bytes.len())
            .finish()
    }
}
