//! One pass over a body: its entries, and the few values that say who it is from.

mod calls;
mod captured;
mod content;
mod item;
mod names;
mod outline;
mod overwritten;
mod system;
mod tools;
mod top;

use std::collections::HashMap;
use std::hash::RandomState;

pub(crate) use captured::{Captured, Ident};
pub(crate) use outline::Outline;

use calls::Call;
use names::Names;
use overwritten::Overwritten;

use crate::canon::{Canon, Field, Group, Mark};
use crate::dialect::Dialect;
use crate::json::{Scan, Scanner, Sink, Stops};

/// Everything that reading a body writes to, kept from one request to the next.
#[derive(Default)]
pub(crate) struct Buffers {
    stops: Stops,
    pub(crate) canon: Canon,
    pub(crate) outline: Outline,
    pub(crate) captured: Captured,
    made: HashMap<u64, u32>,
    /// An element's calls that stand apart from its content.
    apart: Vec<Call>,
    /// Hashes ids for `made`. Nothing of it leaves the process, so it may be the random one.
    ids: RandomState,
    /// A string that holds JSON, decoded.
    nested: Sink,
    nested_stops: Stops,
    overwritten: Overwritten,
}

/// The rank of the name that counts before all others of its field.
const OWN: u8 = 0;

/// The pass itself.
pub(crate) struct Reader<'b> {
    scan: Scanner<'b>,
    /// Whose body it is, if the path told.
    dialect: Option<Dialect>,
    canon: &'b mut Canon,
    outline: &'b mut Outline,
    captured: &'b mut Captured,
    /// Which call, counted from the conversation's first, has the id with this hash.
    made: &'b mut HashMap<u64, u32>,
    apart: &'b mut Vec<Call>,
    calls: u32,
    /// Results answer calls before this one, see [`Reader::answer`].
    answerable: u32,
    /// Whose names count first in what is being read.
    names: Names,
    ids: &'b RandomState,
    nested: &'b mut Sink,
    nested_stops: &'b mut Stops,
    overwritten: &'b mut Overwritten,
    /// Inside of a part, or of what a tool returned: no calls are made there.
    inside: bool,
    /// Somebody says something in the message that is being read: more than tool results.
    said: bool,
}

impl<'b> Reader<'b> {
    pub(crate) fn new(body: &'b [u8], dialect: Option<Dialect>, buffers: &'b mut Buffers) -> Self {
        buffers.clear();
        Self {
            scan: Scanner::new(body, &mut buffers.stops),
            dialect,
            canon: &mut buffers.canon,
            outline: &mut buffers.outline,
            captured: &mut buffers.captured,
            made: &mut buffers.made,
            apart: &mut buffers.apart,
            calls: 0,
            answerable: 0,
            names: Names::default(),
            ids: &buffers.ids,
            nested: &mut buffers.nested,
            nested_stops: &mut buffers.nested_stops,
            overwritten: &mut buffers.overwritten,
            inside: false,
            said: false,
        }
    }

    pub(crate) fn is_utf8(&self) -> bool {
        self.scan.is_utf8()
    }

    /// Where reading stopped, in bytes.
    pub(crate) const fn at(&self) -> usize {
        self.scan.at()
    }

    /// Takes the next key of an object, and its colon; [`Canon::key`] tells which. `first` starts as
    /// true.
    #[inline(always)]
    fn member(&mut self, first: &mut bool) -> Scan<Option<Mark>> {
        if !self.overwritten.member(&mut self.scan, first)? {
            return Ok(None);
        }
        let member = self.canon.begin_key();
        self.scan.string(self.canon.sink())?;
        self.scan.take(b':')?;
        Ok(Some(member))
    }

    /// Takes the value of a member that has no part in the conversation.
    fn drop_member(&mut self, member: Mark) -> Scan<()> {
        self.canon.undo(member);
        self.scan.skip()
    }

    /// Takes the value of a member that is as good as absent.
    fn absent(&mut self, group: &Group, member: Mark) -> Scan<()> {
        self.canon.once(group, member);
        self.drop_member(member)
    }

    /// Takes a member as it is, and whether it stays: null is as good as absent.
    fn other(&mut self, group: &mut Group, member: Mark, loose: bool) -> Scan<bool> {
        if self.scan.peek()? == b'n' {
            return self.absent(group, member).map(|()| false);
        }
        let key = self.canon.key(member).len() + 1;
        self.canon.value(&mut self.scan)?;
        self.canon.keep(group, member, key, loose);
        Ok(true)
    }

    /// Takes a value that is usually a string, as a field, and returns what it says.
    fn text(&mut self, member: Mark, field: Field) -> Scan<&[u8]> {
        self.canon.field(member, field);
        let start = self.canon.bytes().len() + 1;
        if self.scan.peek()? != b'"' {
            self.value_if_any()?;
            return Ok(&[]);
        }
        self.canon.begin_text();
        self.scan.string(self.canon.sink())?;
        if self.canon.bytes().len() == start {
            self.canon.sink().truncate(start - 1);
            return Ok(&[]);
        }
        Ok(&self.canon.bytes()[start..])
    }

    fn text_field(&mut self, group: &mut Group, member: Mark, field: Field) -> Scan<()> {
        self.text(member, field)?;
        self.keep_if_any(group, member, OWN);
        Ok(())
    }

    /// Ends a field that was given by its name of this rank, unless nothing was written for it.
    fn keep_if_any(&mut self, group: &mut Group, member: Mark, rank: u8) {
        if self.canon.field_is_empty(member) {
            self.canon.leave_out(group, member, rank);
        } else {
            self.canon.keep_field(group, member, rank);
        }
    }

    /// Takes a value, and writes it unless it is null or `""`.
    fn value_if_any(&mut self) -> Scan<()> {
        match self.scan.peek()? {
            b'n' => self.scan.skip(),
            b'"' if self.scan.says_nothing()? => self.scan.skip(),
            _ => self.canon.value(&mut self.scan),
        }
    }
}

impl Buffers {
    pub(crate) fn clear(&mut self) {
        self.canon.clear();
        self.outline.clear();
        self.captured.clear();
        self.made.clear();
        self.apart.clear();
        self.overwritten.clear();
    }

    pub(crate) fn shrink_to(&mut self, bytes: usize) {
        self.clear();
        self.canon.shrink_to(bytes);
        self.outline.messages.entries.shrink_to(bytes / 16);
        self.made.shrink_to(bytes / 16);
        self.apart.shrink_to(bytes / 16);
        self.nested.shrink_to(bytes);
        self.nested_stops.shrink_to(bytes);
        self.stops.shrink_to(bytes);
        self.captured.shrink_to(bytes);
        self.overwritten.shrink_to(bytes);
    }
}
