//! The order one candidate at a time.

use core::fmt;
use core::iter::FusedIterator;

use crate::candidates::Candidates;
use crate::first::First;
use crate::rank::Rank;

/// Candidates found per walk over the list.
const BATCH: usize = 4;

/// The positions of the best `K` candidates that come after `last`, in order.
pub(crate) fn best<const K: usize>(
    candidates: &Candidates,
    key: u64,
    last: Option<Rank>,
) -> First<K> {
    let mut best: [Option<Rank>; K] = [None; K];
    for position in 0..candidates.len() {
        let rank = candidates.rank(key, position);
        if last.is_some_and(|last| rank.cmp(&last).is_le()) {
            continue;
        }
        let mut carried = Some(rank);
        for held in &mut best {
            let (Some(new), Some(old)) = (carried, *held) else {
                if held.is_none() {
                    *held = carried.take();
                }
                continue;
            };
            if new.cmp(&old).is_lt() {
                *held = Some(new);
                carried = Some(old);
            }
        }
    }
    let mut first = First::EMPTY;
    for rank in best.into_iter().flatten() {
        first.push(rank.position);
    }
    first
}

/// The iterator of [`Candidates::iter`].
#[derive(Clone)]
pub struct Iter<'a> {
    candidates: &'a Candidates,
    key: u64,
    batch: First<BATCH>,
    /// How many of the batch were yielded.
    taken: usize,
    remaining: usize,
}

impl<'a> Iter<'a> {
    pub(crate) fn new(candidates: &'a Candidates, key: u64) -> Self {
        Self {
            candidates,
            key,
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
            let last = self
                .batch
                .last()
                .map(|&last| self.candidates.rank(self.key, last));
            self.batch = best(self.candidates, self.key, last);
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
