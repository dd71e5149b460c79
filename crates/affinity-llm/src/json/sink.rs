//! Where decoded text goes.

use std::ops::Deref;

use super::stops::BLOCK;

/// Bytes that are written by whole blocks: a text is copied without asking how long it is, and
/// only as much as belongs to it counts. That makes decoding twice as fast as appending each run to
/// a `Vec`.
#[derive(Default)]
pub(crate) struct Sink {
    /// All of it is initialized; what follows `len` is waste.
    bytes: Vec<u8>,
    len: usize,
}

impl Sink {
    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    #[inline]
    pub(crate) fn push(&mut self, byte: u8) {
        if self.len == self.bytes.len() {
            self.grow(1);
        }
        self.bytes[self.len] = byte;
        self.len += 1;
    }

    pub(crate) fn extend(&mut self, bytes: &[u8]) {
        self.room(bytes.len())[..bytes.len()].copy_from_slice(bytes);
        self.len += bytes.len();
    }

    /// Appends the first `len` of the bytes, at most a block, if a whole block can be copied.
    #[inline]
    pub(super) fn run(&mut self, bytes: &[u8], len: usize) -> bool {
        debug_assert!(len <= BLOCK);
        let room = self.bytes[self.len..].first_chunk_mut::<BLOCK>();
        let (Some(block), Some(room)) = (bytes.first_chunk(), room) else {
            return false;
        };
        *room = *block;
        self.len += len;
        true
    }

    /// Appends the first `len` of the bytes.
    #[inline]
    pub(super) fn few(&mut self, bytes: [u8; 4], len: usize) {
        self.room(bytes.len())[..bytes.len()].copy_from_slice(&bytes);
        self.len += len;
    }

    /// Space behind the bytes, so much of it or more; [`Sink::took`] tells how much was used.
    #[inline]
    pub(super) fn room(&mut self, bytes: usize) -> &mut [u8] {
        if self.bytes.len() - self.len < bytes {
            self.grow(bytes);
        }
        &mut self.bytes[self.len..]
    }

    /// So much of the room belongs to the bytes now.
    #[inline]
    pub(super) fn took(&mut self, len: usize) {
        self.len += len;
    }

    /// Removes the bytes from `start` up to `end`.
    pub(crate) fn cut(&mut self, start: usize, end: usize) {
        self.bytes.copy_within(end..self.len, start);
        self.len -= end - start;
    }

    /// Gives memory back, down to this many bytes, and forgets what it held.
    pub(crate) fn shrink_to(&mut self, bytes: usize) {
        self.len = 0;
        self.bytes.clear();
        self.bytes.shrink_to(bytes);
    }

    #[cold]
    fn grow(&mut self, more: usize) {
        self.bytes.reserve(more);
        self.bytes.resize(self.bytes.capacity(), 0);
    }
}

impl Deref for Sink {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

impl std::io::Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_said_to_belong_counts() {
        let mut sink = Sink::default();
        assert!(!sink.run(&[b'a'; BLOCK], 3), "there is no room yet");
        sink.room(2 * BLOCK)[..5].copy_from_slice(b"aaaxx");
        sink.took(2);
        assert!(sink.run(&[b'a'; BLOCK], 1));
        sink.push(b'b');
        sink.extend(b"cd");
        assert_eq!(&*sink, b"aaabcd");
        sink.cut(1, 4);
        assert_eq!(&*sink, b"acd");
        sink.truncate(1);
        sink.truncate(5);
        assert_eq!(&*sink, b"a");
    }
}
