//! Memory that one request leaves to the next.

use core::fmt;

use crate::read::Buffers;

/// The buffers that reading needs. Once they have grown to the size of the requests, reading
/// allocates nothing.
///
/// Keep one per thread or in a pool. It holds the last request's texts until the next one is read.
#[derive(Default)]
pub struct Scratch {
    pub(crate) buffers: Buffers,
}

impl Scratch {
    /// Empty buffers. Does not allocate.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives memory back after an unusually large request: no buffer keeps more than about this
    /// many bytes. Also forgets the last request's texts.
    pub fn shrink_to(&mut self, bytes: usize) {
        self.buffers.shrink_to(bytes);
    }
}

impl fmt::Debug for Scratch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scratch").finish_non_exhaustive()
    }
}
