//! Canonical entries, written while the body is read.

mod leaves;
mod order;
mod tag;
mod value;

use std::ops::Range;

pub use leaves::Leaf;
pub(crate) use leaves::leaves;

use crate::json::{Sink, write_integer};
use order::{Member, Shuffle};
pub(crate) use tag::Field;
use tag::{ARRAY, END, FIELD, KEY, LITERAL, NUMBER, OBJECT, TEXT};

/// The canonical bytes of one body's entries, and the buffers that make them.
///
/// Members are written in the order in which they come. An object whose keys come out of order is
/// noted, and the entry that holds it is copied once, in order, when it ends: every byte moves at
/// most once more, however deep the objects are.
#[derive(Default)]
pub(crate) struct Canon {
    bytes: Sink,
    /// Members of the objects that are still open.
    open: Vec<Member>,
    /// Members of the open entry's ended objects that need another order, in that order.
    settled: Vec<Member>,
    shuffles: Vec<Shuffle>,
    /// Where an entry is put in order.
    ordered: Sink,
    /// Some name may have been given twice in one object. What the first member left behind is not
    /// taken back: all has to be written again without it.
    pub(crate) again: bool,
}

/// A place among the bytes to return to: what was written since is forgotten.
#[derive(Clone, Copy)]
pub(crate) struct Mark(usize);

/// An object or a list of named values that is still open.
pub(crate) struct Group {
    start: usize,
    first: usize,
    in_order: bool,
    /// Some member may be left out.
    any_loose: bool,
    /// The field kept last, or 0 if that was a key, or nothing.
    last_field: u8,
    /// A bit for each name under which a field was given.
    given: u64,
}

impl Canon {
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.begin();
        self.again = false;
    }

    /// Begins an entry.
    pub(crate) fn begin(&mut self) {
        self.open.clear();
        self.settled.clear();
        self.shuffles.clear();
    }

    /// Ends the entry that began at this mark: where its bytes are.
    pub(crate) fn end(&mut self, start: Mark) -> Range<usize> {
        if !self.shuffles.is_empty() {
            self.shuffles.sort_unstable_by_key(|shuffle| shuffle.start);
            self.ordered.clear();
            order::copy(
                &self.bytes,
                &self.shuffles,
                &self.settled,
                start.0..self.bytes.len(),
                &mut self.ordered,
            );
            self.bytes.truncate(start.0);
            self.bytes.extend(&self.ordered);
        }
        start.0..self.bytes.len()
    }

    #[inline]
    pub(crate) fn mark(&self) -> Mark {
        Mark(self.bytes.len())
    }

    #[inline]
    pub(crate) fn undo(&mut self, mark: Mark) {
        self.bytes.truncate(mark.0);
        while self
            .open
            .pop_if(|member| member.starts_at(mark.0))
            .is_some()
        {}
        while let Some(shuffle) = self.shuffles.pop_if(|shuffle| shuffle.starts_at(mark.0)) {
            self.settled.truncate(shuffle.members.start as usize);
        }
    }

    /// Everything written, for the caller who knows where to look.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Where decoded text goes.
    pub(crate) fn sink(&mut self) -> &mut Sink {
        &mut self.bytes
    }

    pub(crate) fn begin_text(&mut self) {
        self.bytes.push(TEXT);
    }

    /// Writes a text that is at hand; nothing for an empty one.
    pub(crate) fn text(&mut self, text: &[u8]) {
        if !text.is_empty() {
            self.begin_text();
            self.bytes.extend(text);
        }
    }

    pub(crate) fn count(&mut self, count: u32) {
        self.bytes.push(NUMBER);
        write_integer(count, &mut self.bytes);
    }

    pub(crate) fn open_object(&mut self) -> Group {
        self.group(OBJECT)
    }

    pub(crate) fn open_list(&mut self) -> Group {
        self.group(ARRAY)
    }

    fn group(&mut self, tag: u8) -> Group {
        self.bytes.push(tag);
        Group {
            start: self.bytes.len(),
            first: self.open.len(),
            in_order: true,
            any_loose: false,
            last_field: 0,
            given: 0,
        }
    }

    /// Begins a member whose key is decoded into [`Canon::sink`] next.
    pub(crate) fn begin_key(&mut self) -> Mark {
        let mark = self.mark();
        self.bytes.push(KEY);
        mark
    }

    /// The key decoded since [`Canon::begin_key`].
    pub(crate) fn key(&self, member: Mark) -> &[u8] {
        &self.bytes[member.0 + 1..]
    }

    /// Begins a member that is a field, or turns the key just decoded into one.
    pub(crate) fn field(&mut self, member: Mark, field: Field) {
        self.bytes.truncate(member.0);
        self.bytes.extend(&[FIELD, field as u8]);
    }

    /// Whether nothing was written since [`Canon::field`].
    pub(crate) fn field_is_empty(&self, member: Mark) -> bool {
        self.bytes.len() == member.0 + 2
    }

    /// Ends a member of the group whose key, tag included, has this many bytes. `loose`: the end
    /// of the group may leave it out.
    pub(crate) fn keep(&mut self, group: &mut Group, member: Mark, key: usize, loose: bool) {
        // Keys come before fields.
        group.in_order &= group.last_field == 0;
        self.keep_by(group, member, member.0..member.0 + key);
        if loose {
            group.any_loose = true;
            self.open.last_mut().expect("just kept").loosen();
        }
    }

    /// Ends a field that was given by its name of this rank: of several names the lowest counts.
    #[inline]
    pub(crate) fn keep_field(&mut self, group: &mut Group, member: Mark, rank: u8) {
        let field = self.bytes[member.0 + 1];
        self.give(group, field, rank);
        group.in_order &= group.last_field < field;
        group.last_field = field;
        let key = member.0..member.0 + 2;
        let member = Member::new(key.start, key, self.bytes.len());
        self.open.push(member.ranked(rank));
    }

    /// Leaves out a field that was given by its name of this rank.
    pub(crate) fn leave_out(&mut self, group: &mut Group, member: Mark, rank: u8) {
        self.give(group, self.bytes[member.0 + 1], rank);
        self.undo(member);
    }

    /// Notes the name of this rank for a field. The names that may meet in one object have bits of
    /// their own.
    #[inline]
    fn give(&mut self, group: &mut Group, field: u8, rank: u8) {
        let name = 1_u64.wrapping_shl(u32::from(field) + 13 * u32::from(rank));
        if group.given & name != 0 {
            self.again = true;
        }
        group.given |= name;
    }

    /// Notes that the key just decoded is one of which a second member must not go unnoticed. Of a
    /// group with more members than clients write, nobody looks whether it is.
    pub(crate) fn once(&mut self, group: &Group, member: Mark) {
        let kept = &self.open[group.first..];
        let key = &self.bytes[member.0..];
        self.again |= kept.len() > 32 || kept.iter().any(|kept| kept.key(&self.bytes) == key);
    }

    /// Gives the member kept last this rank among those of its key.
    pub(crate) fn rank_last(&mut self, rank: u8) {
        if let Some(last) = self.open.last_mut() {
            *last = last.ranked(rank);
        }
    }

    /// Ends an element of a list that is ordered by the bytes in this range.
    pub(crate) fn keep_by(&mut self, group: &mut Group, member: Mark, key: Range<usize>) {
        let member = Member::new(member.0, key, self.bytes.len());
        if let Some(last) = self.open[group.first..].last()
            && group.in_order
        {
            group.in_order = last.key(&self.bytes) < member.key(&self.bytes);
        }
        self.open.push(member);
    }

    /// Whether nothing was kept in the group.
    pub(crate) fn is_empty(&self, group: &Group) -> bool {
        self.open.len() == group.first
    }

    /// How many members were kept in the group for good.
    pub(crate) fn kept(&self, group: &Group) -> usize {
        let kept = self.open[group.first..].iter();
        kept.filter(|member| !member.is_loose()).count()
    }

    /// Cuts a field's text to what follows its first line, if that begins with `prefix`.
    pub(crate) fn cut_line(&mut self, member: Mark, prefix: &[u8]) {
        let start = member.0 + 3;
        let text = &self.bytes[start..];
        if !text.starts_with(prefix) {
            return;
        }
        match text.iter().position(|&byte| byte == b'\n') {
            Some(line) if line + 1 < text.len() => self.bytes.cut(start, start + line + 1),
            _ => self.bytes.truncate(member.0 + 2),
        }
    }

    /// Ends an object. Of members with the same key the last one counts. `loose`: whether members
    /// kept loosely stay.
    pub(crate) fn close_object(&mut self, group: Group, loose: bool) {
        self.close(group, loose, true);
    }

    /// Ends a list that is ordered by what its elements were kept by, and then by all they say.
    pub(crate) fn close_list(&mut self, group: Group) {
        self.close(group, true, false);
    }

    fn close(&mut self, group: Group, loose: bool, unique: bool) {
        let first = group.first;
        if !group.in_order || !loose && group.any_loose {
            order::sort(&mut self.open, first, &self.bytes, unique);
            if !unique {
                self.break_ties(&group);
            }
            let from = self.settled.len();
            let stays = |member: &&Member| loose || !member.is_loose();
            self.settled.extend(self.open[first..].iter().filter(stays));
            self.shuffles.push(Shuffle::new(
                group.start,
                self.bytes.len(),
                from..self.settled.len(),
            ));
        }
        self.open.truncate(first);
        self.bytes.push(END);
    }

    /// Puts elements of a list that have one key in the order of their canonical bytes.
    fn break_ties(&mut self, list: &Group) {
        // Those that ended in the list were noted last.
        let inside = |shuffle: &Shuffle| shuffle.starts_at(list.start);
        let before = self.shuffles.iter().rposition(|shuffle| !inside(shuffle));
        let shuffles = &mut self.shuffles[before.map_or(0, |before| before + 1)..];
        shuffles.sort_unstable_by_key(|shuffle| shuffle.start);
        let elements = &mut self.open[list.first..];
        let ties = elements.chunk_by_mut(|a, b| a.key(&self.bytes) == b.key(&self.bytes));
        for tied in ties.filter(|tied| tied.len() > 1) {
            self.ordered.clear();
            for element in &mut *tied {
                let start = self.ordered.len();
                let range = element.range();
                order::copy(
                    &self.bytes,
                    shuffles,
                    &self.settled,
                    range,
                    &mut self.ordered,
                );
                element.set_key(start..self.ordered.len());
            }
            tied.sort_unstable_by(|a, b| a.key(&self.ordered).cmp(b.key(&self.ordered)));
        }
    }

    fn literal(&mut self, first: u8) {
        self.bytes.extend(&[LITERAL, first]);
    }

    /// Gives memory back that an unusually large body took: each buffer keeps this many bytes.
    pub(crate) fn shrink_to(&mut self, bytes: usize) {
        self.clear();
        self.bytes.shrink_to(bytes);
        self.ordered.shrink_to(bytes);
        self.open.shrink_to(bytes / size_of::<Member>());
        self.settled.shrink_to(bytes / size_of::<Member>());
        self.shuffles.shrink_to(bytes / size_of::<Shuffle>());
    }
}
