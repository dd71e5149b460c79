//! The order one candidate at a time.

use core::fmt;
use core::iter::FusedIterator;

use crate::best::best;
use crate::candidates::Candidates;
use crate::first::First;

/// Candidates found per walk over the list.
const BATCH: usize = 4;

/// The iterator of [`Candidates::iter`].
#[derive(Clone)]
pub struct Iter<'a> {
    candidates: &'a Candidates,
    spread_key: u64,
    batch: First<BATCH>,
    /// How many of the batch were yielded.
    taken: usize,
    remaining: usize,
}

impl<'a> Iter<'a> {
    pub(crate) fn new(candidates: &'a Candidates, spread_key: u64) -> Self {
        Self {
            candidates,
            spread_key,
            batch: First::EMPTY,
            taken: 0,
            remaining: candidates.len(),
        }
    }
}

impl Iterator for Iter<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        self.remaining = self.remaining.checked_sub(1)?;
        if self.taken == self.batch.len() {
            let last = self.batch.last().copied();
            self.batch = best(self.candidates, self.spread_key, last);
            self.taken = 0;
        }
        let position = self.batch[self.taken];
        self.taken += 1;
        Some(self.candidates.index(position))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.remaining, Some(self.remaining))
    }
}

impl ExactSizeIterator for Iter<'_> {}

impl FusedIterator for Iter<'_> {}

impl fmt::Debug for Iter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Iter")
            .field("remaining", &self.remaining)
            .finish_non_exhaustive()
    }
}
