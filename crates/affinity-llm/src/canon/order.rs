//! Members put in the order of their keys, by one copy of the entry that holds them.

use std::ops::Range;

use crate::json::Sink;

/// A member of an object, or an element of a list that is ordered by something inside it. Offsets
/// into the canonical bytes; `u32` because bodies are at most [`MAX_BODY`](crate::MAX_BODY) and no
/// canonical form is 16 times its text.
#[derive(Clone, Copy)]
pub(super) struct Member {
    start: u32,
    key_start: u32,
    key_end: u32,
    end: u32,
    /// May be left out when its object ends.
    loose: bool,
    /// Of members with one key, those of the lowest rank count.
    rank: u8,
}

/// An ended object whose members come in another order than they were written in.
pub(super) struct Shuffle {
    /// Offset of its first member.
    pub(super) start: u32,
    end: u32,
    /// Its members among the settled ones.
    pub(super) members: Range<u32>,
}

impl Member {
    #[inline]
    pub(super) fn new(start: usize, key: Range<usize>, end: usize) -> Self {
        debug_assert!(start <= key.start && key.end <= end);
        let end = offset(end);
        // None is beyond the end.
        Self {
            start: start as u32,
            key_start: key.start as u32,
            key_end: key.end as u32,
            end,
            loose: false,
            rank: 0,
        }
    }

    pub(super) fn ranked(self, rank: u8) -> Self {
        Self { rank, ..self }
    }

    /// Whether it starts at this offset, or behind it.
    pub(super) fn starts_at(&self, offset: usize) -> bool {
        self.start as usize >= offset
    }

    pub(super) fn loosen(&mut self) {
        self.loose = true;
    }

    pub(super) fn key<'b>(&self, bytes: &'b [u8]) -> &'b [u8] {
        &bytes[self.key_start as usize..self.key_end as usize]
    }

    pub(super) fn set_key(&mut self, key: Range<usize>) {
        (self.key_start, self.key_end) = (offset(key.start), offset(key.end));
    }

    pub(super) fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    pub(super) fn is_loose(&self) -> bool {
        self.loose
    }
}

impl Shuffle {
    pub(super) fn new(start: usize, end: usize, members: Range<usize>) -> Self {
        Self {
            start: offset(start),
            end: offset(end),
            members: offset(members.start)..offset(members.end),
        }
    }

    /// Whether it starts at this offset, or behind it.
    pub(super) fn starts_at(&self, offset: usize) -> bool {
        self.start as usize >= offset
    }
}

fn offset(at: usize) -> u32 {
    u32::try_from(at)
        .expect("a canonical form is smaller than 4 GiB, for bodies are at most MAX_BODY")
}

/// Sorts the open members from `first` on. With `unique`, of those with one key one stays: of the
/// lowest rank the last written.
pub(super) fn sort(open: &mut Vec<Member>, first: usize, bytes: &[u8], unique: bool) {
    // Unstable sorting allocates nothing; the start breaks ties, as a stable sort would.
    open[first..].sort_unstable_by(|a, b| {
        let by_key = a.key(bytes).cmp(b.key(bytes));
        by_key.then((a.rank, a.start).cmp(&(b.rank, b.start)))
    });
    if !unique {
        return;
    }
    let (mut at, mut end) = (first, first);
    while let Some(&member) = open.get(at) {
        let same = |other: &&Member| other.key(bytes) == member.key(bytes);
        let next = at + open[at..].iter().take_while(same).count();
        let lowest = open[at..next]
            .iter()
            .take_while(|other| other.rank == member.rank);
        open[end] = open[at + lowest.count() - 1];
        end += 1;
        at = next;
    }
    open.truncate(end);
}

/// Appends `range` of `bytes` to `out`, the members of every shuffled object in order. Recursion
/// is as deep as the JSON was.
pub(super) fn copy(
    bytes: &[u8],
    shuffles: &[Shuffle],
    settled: &[Member],
    range: Range<usize>,
    out: &mut Sink,
) {
    let mut at = range.start;
    // An object starts with a tag of its own: one inside the range starts behind the range's start,
    // and one that starts there is the one being copied.
    let mut next = shuffles.partition_point(|shuffle| shuffle.start as usize <= at);
    while let Some(shuffle) = shuffles
        .get(next)
        .filter(|shuffle| (shuffle.start as usize) < range.end)
    {
        out.extend(&bytes[at..shuffle.start as usize]);
        for member in &settled[shuffle.members.start as usize..shuffle.members.end as usize] {
            copy(bytes, shuffles, settled, member.range(), out);
        }
        at = shuffle.end as usize;
        // Those inside were copied with their members.
        next += shuffles[next..].partition_point(|inner| (inner.start as usize) < at);
    }
    out.extend(&bytes[at..range.end]);
}
