//! The tools' entry: in the order of their names.

use std::ops::Range;

use super::{OWN, Reader};
use crate::canon::{Field, Group};
use crate::json::Scan;

impl Reader<'_> {
    /// Takes `tools`. Of two such members the last counts.
    ///
    /// Sorted by name, because clients keep tools in hash maps. A true change of the order costs
    /// the provider's cache all the same; the conversation is still the same one.
    pub(super) fn tools(&mut self) -> Scan<()> {
        self.outline.tools = None;
        if self.scan.peek()? != b'[' {
            return self.scan.skip();
        }
        self.canon.begin();
        let start = self.canon.mark();
        let mut entry = self.canon.open_object();
        let member = self.canon.mark();
        self.canon.field(member, Field::Tools);
        let mut list = self.canon.open_list();
        self.tool_list(&mut list, 0)?;
        let empty = self.canon.is_empty(&list);
        self.canon.close_list(list);
        self.canon.keep_field(&mut entry, member, OWN);
        self.canon.close_object(entry, true);
        if empty {
            self.canon.undo(start);
        } else {
            self.outline.tools = Some(self.canon.end(start));
        }
        Ok(())
    }

    /// Takes a list of tools, so deep inside of a tool.
    fn tool_list(&mut self, list: &mut Group, depth: u8) -> Scan<()> {
        self.scan.open(b'[')?;
        let mut first = true;
        while self.scan.element(&mut first)? {
            self.tool(list, depth)?;
        }
        Ok(())
    }

    fn tool(&mut self, list: &mut Group, depth: u8) -> Scan<()> {
        let start = self.canon.mark();
        let mut name = None;
        if self.scan.peek()? == b'{' {
            let mut tool = self.canon.open_object();
            self.tool_members(&mut tool, &mut name, depth)?;
            self.canon.close_object(tool, true);
        } else {
            self.canon.value(&mut self.scan)?;
        }
        // Without a name, before the others.
        let end = self.canon.bytes().len();
        let key = name.map_or(end..end, |name| name.place);
        self.canon.keep_by(list, start, key);
        Ok(())
    }

    /// Takes a tool's members, so deep inside of it. `name` becomes what it is ordered by.
    fn tool_members(&mut self, tool: &mut Group, name: &mut Option<Name>, depth: u8) -> Scan<()> {
        self.scan.open(b'{')?;
        let mut first = true;
        while let Some(member) = self.member(&mut first)? {
            let start = self.canon.bytes().len();
            let key = self.canon.key(member);
            let length = key.len() + 1;
            match key {
                // A marker of the request. A schema may have a property of that name, deeper.
                b"cache_control" => self.drop_member(member)?,
                b"name" | b"type" => {
                    let rank = (key == b"type", depth);
                    self.canon.once(tool, member);
                    let text = self.scan.peek()? == b'"';
                    if self.other(tool, member, false)?
                        && text
                        && name.as_ref().is_none_or(|name| rank <= name.rank)
                    {
                        let place = start..self.canon.bytes().len();
                        *name = Some(Name { rank, place });
                    }
                }
                b"function" => {
                    self.canon.once(tool, member);
                    if self.scan.peek()? != b'{' {
                        self.other(tool, member, false)?;
                        continue;
                    }
                    let mut function = self.canon.open_object();
                    self.tool_members(&mut function, name, depth + 1)?;
                    self.canon.close_object(function, true);
                    self.canon.keep(tool, member, length, false);
                }
                b"functionDeclarations" | b"function_declarations"
                    if depth == 0 && self.scan.peek()? == b'[' =>
                {
                    let mut list = self.canon.open_list();
                    self.tool_list(&mut list, depth + 1)?;
                    self.canon.close_list(list);
                    self.canon.keep(tool, member, length, false);
                }
                _ => drop(self.other(tool, member, false)?),
            }
        }
        Ok(())
    }
}

/// What a tool is ordered by: its name, or else its type, if that is a text.
struct Name {
    /// Whether it is only the type, and how deep it stands: the lowest counts.
    rank: (bool, u8),
    place: Range<usize>,
}
