//! The bytes of conversations, all from one pool that stays in the second-level cache, as the bytes of
//! a request do that was just read.

use crate::rng::{Rng, mix};

/// Entries of a request, and bytes of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Entries.
    pub entries: usize,
    /// Bytes of an entry.
    pub bytes: usize,
}

/// 20 entries of 800 bytes: 16 kB, an agent's early turn.
pub const SMALL: Shape = Shape {
    entries: 20,
    bytes: 800,
};
/// 2000 entries of 64 bytes: many tiny messages.
pub const MANY: Shape = Shape {
    entries: 2000,
    bytes: 64,
};
/// 100 entries of 4 KiB: 400 kB, a long session.
pub const LARGE: Shape = Shape {
    entries: 100,
    bytes: 4096,
};

const POOL: usize = 1 << 18;

/// Conversations of one shape.
#[derive(Debug)]
pub struct Bodies {
    shape: Shape,
    pool: Vec<u8>,
}

impl Bodies {
    /// A pool of random letters with a fixed seed.
    pub fn new(shape: Shape) -> Self {
        let mut rng = Rng::new(0);
        let letter = |byte: u8| b'a' + byte % 26;
        let words = (0..POOL / 8).flat_map(|_| rng.next_u64().to_le_bytes());
        let pool = words.map(letter).collect();
        Self { shape, pool }
    }

    /// The shape of every conversation.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The entries of one conversation, which follow from its number alone: two scattered ones, which
    /// tell it from all others, and the rest in one stretch, as in a body that was just parsed.
    pub fn entries(&self, conversation: u64) -> impl Iterator<Item = &[u8]> {
        let bytes = self.shape.bytes;
        let places = POOL - bytes;
        let scattered = move |entry: u64| {
            let random = u128::from(mix(conversation << 12 | entry));
            ((random * places as u128) >> 64) as usize
        };
        let mut next = scattered(2);
        (0..self.shape.entries as u64).map(move |entry| {
            let at = if entry < 2 { scattered(entry) } else { next };
            next = if next + bytes < places {
                next + bytes
            } else {
                0
            };
            &self.pool[at..at + bytes]
        })
    }
}
