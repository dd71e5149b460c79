//! The beginning of an order.

use core::ops::Deref;

/// The first candidates of an order, at most `K`: a slice of indices, by value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct First<const K: usize> {
    items: [usize; K],
    len: usize,
}

impl<const K: usize> First<K> {
    pub(crate) const EMPTY: Self = Self {
        items: [0; K],
        len: 0,
    };

    pub(crate) fn push(&mut self, item: usize) {
        self.items[self.len] = item;
        self.len += 1;
    }

    pub(crate) fn map(&mut self, f: impl Fn(usize) -> usize) {
        for item in &mut self.items[..self.len] {
            *item = f(*item);
        }
    }
}

impl<const K: usize> Deref for First<K> {
    type Target = [usize];

    #[inline]
    fn deref(&self) -> &[usize] {
        &self.items[..self.len]
    }
}

impl<const K: usize> IntoIterator for First<K> {
    type Item = usize;
    type IntoIter = core::iter::Take<core::array::IntoIter<usize, K>>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter().take(self.len)
    }
}

impl<'a, const K: usize> IntoIterator for &'a First<K> {
    type Item = &'a usize;
    type IntoIter = core::slice::Iter<'a, usize>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
