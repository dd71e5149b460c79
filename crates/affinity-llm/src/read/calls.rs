//! Tool calls: what is called with what, and which result answers which call.

use std::hash::BuildHasher as _;

use super::Reader;
use crate::canon::{Field, Group, Mark};
use crate::json::Scan;

impl Reader<'_> {
    /// Takes an array of calls, each in place.
    pub(super) fn calls(&mut self) -> Scan<()> {
        if self.scan.peek()? != b'[' {
            return self.value_unless_null();
        }
        self.scan.open(b'[')?;
        let mut first = true;
        while self.scan.element(&mut first)? {
            self.call(true)?;
        }
        Ok(())
    }

    /// Takes a call, or the result of one if it is not `made` here.
    pub(super) fn call(&mut self, made: bool) -> Scan<()> {
        if self.scan.peek()? != b'{' {
            return self.value_unless_null();
        }
        let mut group = self.canon.open_object();
        let mut id = None;
        self.call_members(&mut group, &mut id)?;
        self.answer(&mut group, id, made);
        self.canon.close_object(group, true);
        Ok(())
    }

    fn call_members(&mut self, group: &mut Group, id: &mut Option<u64>) -> Scan<()> {
        self.scan.open(b'{')?;
        let mut first = true;
        while self.scan.member(&mut first)? {
            let member = self.key()?;
            match self.canon.key(member) {
                b"id" => *id = self.id(member)?,
                // What every call is.
                b"type" => match self.text(member, Field::Type)? {
                    b"function" | b"custom" => self.canon.leave_out(group, member),
                    _ => self.keep_if_any(group, member),
                },
                b"function" | b"custom" if self.scan.peek()? == b'{' => {
                    self.canon.undo(member);
                    self.call_members(group, id)?;
                }
                b"name" => self.text_field(group, member, Field::Name)?,
                b"arguments" | b"args" | b"input" => self.input(group, member)?,
                b"index" | b"cache_control" | b"extra_content" | b"thought_signature"
                | b"thoughtSignature" => {
                    self.drop_member(member)?;
                }
                _ => self.other(group, member, false)?,
            }
        }
        Ok(())
    }

    /// Takes what a tool is called with: a value, or JSON in a string, which counts as that JSON.
    pub(super) fn input(&mut self, group: &mut Group, member: Mark) -> Scan<()> {
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
        self.keep_if_any(group, member);
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

    /// Notes that the call with this id was made, or writes which call this result answers:
    /// ids are renamed by gateways and clients, the order of the calls is not.
    pub(super) fn answer(&mut self, group: &mut Group, id: Option<u64>, made: bool) {
        let Some(id) = id else { return };
        if made {
            self.made.insert(id, self.calls);
            self.calls += 1;
        } else if let Some(&call) = self.made.get(&id) {
            let member = self.canon.mark();
            self.canon.field(member, Field::Call);
            self.canon.count(call);
            self.canon.keep_field(group, member);
        }
    }
}
