//! Tool calls: what is called with what, and which result answers which call.

use std::hash::BuildHasher as _;

use super::{OWN, Reader};
use crate::canon::{Field, Group, Mark};
use crate::json::Scan;

impl Reader<'_> {
    /// Takes an array of calls, each in place. They are [`Reader::apart`] until the element ends.
    pub(super) fn calls(&mut self) -> Scan<()> {
        if self.scan.peek()? != b'[' {
            return self.value_if_any();
        }
        self.scan.open(b'[')?;
        let mut first = true;
        while self.scan.element(&mut first)? {
            let call = self.call()?;
            self.apart.extend(call);
        }
        Ok(())
    }

    /// Takes a call, unless there is none.
    pub(super) fn call(&mut self) -> Scan<Option<Call>> {
        self.call_or(|_, _, _| {})
    }

    /// Takes the result of a call: whether there is one.
    pub(super) fn response(&mut self) -> Scan<bool> {
        self.call_or(Self::answer)
            .map(|response| response.is_some())
    }

    fn call_or(&mut self, end: impl Fn(&mut Self, &mut Group, Option<u64>)) -> Scan<Option<Call>> {
        if self.scan.peek()? != b'{' {
            let start = self.canon.bytes().len();
            self.value_if_any()?;
            let any = self.canon.bytes().len() > start;
            return Ok(any.then_some(Call { id: None }));
        }
        let mut group = self.canon.open_object();
        let mut ids = [None; 3];
        self.call_members(&mut group, &mut ids, Place::Beside)?;
        let id = ids.into_iter().flatten().next();
        end(self, &mut group, id);
        self.canon.close_object(group, true);
        Ok(Some(Call { id }))
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
        let mut had = [false; 2];
        let mut first = true;
        while let Some(member) = self.member(&mut first)? {
            let key = self.canon.key(member);
            match key {
                b"id" => ids[place as usize] = self.id(member)?,
                // What every call is.
                b"type" => match self.text(member, Field::Type)? {
                    b"function" | b"custom" => self.canon.leave_out(group, member, rank),
                    _ => self.keep_if_any(group, member, rank),
                },
                b"function" | b"custom" if place == Place::Beside => {
                    let inside = match key {
                        b"function" => Place::Function,
                        _ => Place::Custom,
                    };
                    self.canon.again |= had[inside as usize];
                    had[inside as usize] = true;
                    if self.scan.peek()? == b'{' {
                        self.canon.undo(member);
                        self.call_members(group, ids, inside)?;
                    } else if self.other(group, member, false)? {
                        self.canon.rank_last(rank);
                    }
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
            self.value_if_any()?;
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

    /// Gives a call the next number of the conversation.
    pub(super) fn note(&mut self, call: Call) {
        if let Some(id) = call.id {
            self.made.insert(id, self.calls);
        }
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

/// A call that was read.
#[derive(Clone, Copy)]
pub(super) struct Call {
    /// The hash of its id. A call without one counts all the same: some clients leave ids out.
    pub(super) id: Option<u64>,
}

/// Where a call's members stand; as a rank, which of them count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Function,
    Custom,
    Beside,
}
