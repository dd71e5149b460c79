//! The ring's memory: places that cost nothing until insertions reach them.

use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;

use crate::foresee::Foreseen;

/// Places of the first segment, at most: 1 MiB.
const FIRST: u64 = 1 << 17;

/// `limit` zeroed places, eight bytes each, in segments of which each doubles the whole.
///
/// The first is allocated at once, every other one by the first insertion that reaches it: zeroed
/// pages from the system, so neither costs time for places that are not used. That one allocation
/// is the only moment in which an insertion may wait for another's.
pub(crate) struct Places {
    /// Segment 0 holds places 0 up to `FIRST`, segment k the places from `FIRST << (k - 1)` up to
    /// `FIRST << k`.
    segments: Box<[OnceLock<Box<[AtomicU64]>>]>,
    limit: u64,
}

impl Places {
    pub(crate) fn new(limit: u64) -> Self {
        let count = match limit.checked_sub(1) {
            Some(last) => locate(last).0 + 1,
            None => 0,
        };
        let places = Places {
            segments: (0..count).map(|_| OnceLock::new()).collect(),
            limit,
        };
        if count > 0 {
            places.at(0);
        }
        places
    }

    /// The place at `index`, which must be below `limit`.
    #[inline]
    pub(crate) fn at(&self, index: u64) -> Foreseen<&AtomicU64> {
        let (segment, offset) = locate(index);
        let places = self.segments[segment].get_or_init(|| self.allocate(segment));
        Foreseen(&places[offset as usize])
    }

    fn allocate(&self, segment: usize) -> Box<[AtomicU64]> {
        let (start, end) = match segment {
            0 => (0, FIRST),
            k => (
                FIRST << (k - 1),
                FIRST.checked_shl(k as u32).unwrap_or(u64::MAX),
            ),
        };
        bytemuck::zeroed_slice_box((end.min(self.limit) - start) as usize)
    }
}

/// The segment of a place and its offset in it.
#[inline]
fn locate(index: u64) -> (usize, u64) {
    if index < FIRST {
        return (0, index);
    }
    let doublings = index.ilog2() - FIRST.ilog2();
    (doublings as usize + 1, index - (FIRST << doublings))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_meet_without_gap_or_overlap() {
        assert_eq!(locate(0), (0, 0));
        assert_eq!(locate(FIRST - 1), (0, FIRST - 1));
        assert_eq!(locate(FIRST), (1, 0));
        assert_eq!(locate(2 * FIRST - 1), (1, FIRST - 1));
        assert_eq!(locate(2 * FIRST), (2, 0));
        assert_eq!(locate(u64::MAX), (47, (1 << 63) - 1));
    }

    #[test]
    fn the_last_segment_ends_at_the_limit() {
        let places = Places::new(FIRST + 3);
        places.at(FIRST + 2);
        assert_eq!(places.segments.len(), 2);
        assert_eq!(places.segments[1].get().map(|places| places.len()), Some(3));
    }

    #[test]
    fn a_boundless_ring_allocates_its_first_segment_only() {
        let places = Places::new(u64::MAX);
        let allocated = places
            .segments
            .iter()
            .filter(|segment| segment.get().is_some())
            .count();
        assert_eq!(allocated, 1);
    }
}
