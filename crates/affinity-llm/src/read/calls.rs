//! Tool calls: what is called with what, and which result answers which call.

use std::hash::BuildHasher as _;

use super::{OWN, Reader};
use crate::canon::{Field, Group, Mark};
use crate::json::Scan;

impl Reader<'_> {
    /// Takes an array of calls, each in place. Their ids are [`Reader::apart`] until the element
    /// ends.
    pub(super) fn calls(&mut self) -> Scan<()> {
        if self.scan.peek()? != b'[' {
            return self.value_unless_null();
        }
        self.scan.open(b'[')?;
        let mut first = true;
        while self.scan.element(&mut first)? {
            let id = self.call()?;
            self.apart.extend(id);
        }
        Ok(())
    }

    /// Takes a call and returns the hash of its id.
    pub(super) fn call(&mut self) -> Scan<Option<u64>> {
        self.call_or(|_, _, _| {})
    }

    /// Takes the result of a call.
    pub(super) fn response(&mut self) -> Scan<()> {
        self.call_or(Self::answer).map(drop)
    }

    fn call_or(&mut self, end: impl Fn(&mut Self, &mut Group, Option<u64>)) -> Scan<Option<u64>> {
        if self.scan.peek()? != b'{' {
            return self.value_unless_null().map(|()| None);
        }
        let mut group = self.canon.open_object();
        let mut ids = [None; 3];
        self.call_members(&mut group, &mut ids, Place::Beside)?;
        let id = ids.into_iter().flatten().next();
        end(self, &mut group, id);
        self.canon.close_object(group, true);
        Ok(id)
    }

    /// Takes a call's members. What its `function` holds counts before what its `custom` holds, and
    /// that before what stands beside them.
    fn call_members(
        &mut self,
        group: &mut Group,
        ids: &mut [Option<u64>; 3],
        place: Place,
    ) -> Scan<()> {
        self.scan.open(b'{')?;
        let rank = place as u8;
        let mut first = true;
        while self.scan.member(&mut first)? {
            let member = self.key()?;
            let key = self.canon.key(member);
            match key {
                b"id" => ids[place as usize] = self.id(member)?,
                // What every call is.
                b"type" => match self.text(member, Field::Type)? {
                    b"function" | b"custom" => self.canon.leave_out(group, member, rank),
                    _ => self.keep_if_any(group, member, rank),
                },
                b"function" | b"custom" if place == Place::Beside && self.scan.peek()? == b'{' => {
                    let inside = match self.canon.key(member) {
                        b"function" => Place::Function,
                        _ => Place::Custom,
                    };
                    self.canon.undo(member);
                    self.call_members(group, ids, inside)?;
                }
                b"name" => {
                    self.text(member, Field::Name)?;
                    self.keep_if_any(group, member, rank);
                }
                b"arguments" | b"args" | b"input" => {
                    // Of each place, the three names.
                    let rank = 3 * rank + self.names.of_input(key);
                    self.input(group, member, rank)?;
                }
                b"index" | b"cache_control" | b"extra_content" | b"thought_signature"
                | b"thoughtSignature" => {
                    self.drop_member(member)?;
                }
                _ => {
                    if self.other(group, member, false)? {
                        self.canon.rank_last(rank);
                    }
                }
            }
        }
        Ok(())
    }

    /// Takes what a tool is called with: a value, or JSON in a string, which counts as that JSON.
    pub(super) fn input(&mut self, group: &mut Group, member: Mark, rank: u8) -> Scan<()> {
        self.canon.field(member, Field::Input);
        if self.scan.peek()? == b'"' {
            self.nested.clear();
            self.scan.string(self.nested)?;
            let mut inside = self.scan.inside(self.nested, self.nested_stops);
            let start = self.canon.mark();
            let structured = matches!(inside.peek(), Ok(b'{' | b'['));
            if !structured
                || self
                    .canon
                    .value(&mut inside)
                    .and_then(|()| inside.finish())
                    .is_err()
            {
                self.canon.undo(start);
                self.canon.text(self.nested);
            }
        } else {
            self.value_unless_null()?;
        }
        self.keep_if_any(group, member, rank);
        Ok(())
    }

    /// Takes an id and returns its hash; anything but a string is none.
    pub(super) fn id(&mut self, member: Mark) -> Scan<Option<u64>> {
        let id = if self.scan.peek()? == b'"' {
            let start = self.canon.bytes().len();
            self.scan.string(self.canon.sink())?;
            Some(self.ids.hash_one(&self.canon.bytes()[start..]))
        } else {
            self.scan.skip()?;
            None
        };
        self.canon.undo(member);
        Ok(id)
    }

    /// Notes that the next call of the conversation has this id.
    pub(super) fn note(&mut self, id: u64) {
        self.made.insert(id, self.calls);
        self.calls += 1;
    }

    /// Writes which call this result answers: ids are renamed by gateways and clients, the order
    /// of the calls is not.
    ///
    /// Of an element's own calls only those in parts before this one count: the rest would depend
    /// on the order of keys.
    pub(super) fn answer(&mut self, group: &mut Group, id: Option<u64>) {
        let call = id.and_then(|id| self.made.get(&id));
        if let Some(&call) = call.filter(|call| **call < self.answerable) {
            let member = self.canon.mark();
            self.canon.field(member, Field::Call);
            self.canon.count(call);
            self.canon.keep_field(group, member, OWN);
        }
    }
}

/// Where a call's members stand; as a rank, which of them count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Function,
    Custom,
    Beside,
}
