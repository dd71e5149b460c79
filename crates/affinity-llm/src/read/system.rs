//! The system prompt's entry.

use super::names::Names;
use super::outline::{Place, SystemName};
use super::{OWN, Reader};
use crate::canon::Field;
use crate::json::Scan;

impl Reader<'_> {
    pub(super) fn system(&mut self, place: Place, name: SystemName) -> Scan<()> {
        self.canon.begin();
        let start = self.canon.mark();
        let mut entry = self.canon.open_object();
        let member = self.canon.mark();
        self.canon.field(member, Field::System);
        // Nobody calls anything here, and what is learnt on the way is not about the messages,
        // which may come before or after.
        self.names = match name {
            SystemName::Short => Names::Messages,
            SystemName::Instructions => Names::Responses,
            SystemName::CamelCase | SystemName::SnakeCase => Names::Gemini,
        };
        self.answerable = 0;
        let (inside, bound, blocks) = (
            core::mem::replace(&mut self.inside, true),
            core::mem::take(&mut self.outline.messages.bound),
            self.outline.messages.blocks,
        );
        match self.scan.peek()? {
            b'{' => self.system_object()?,
            _ => self.content()?,
        }
        self.inside = inside;
        self.outline.bound |= self.outline.messages.bound;
        (self.outline.messages.bound, self.outline.messages.blocks) = (bound, blocks);
        let found = &mut self.outline.systems[place as usize][name as usize];
        if self.canon.field_is_empty(member) {
            self.canon.undo(start);
            *found = None;
        } else {
            self.canon.keep_field(&mut entry, member, OWN);
            self.canon.close_object(entry, true);
            *found = Some(self.canon.end(start));
        }
        Ok(())
    }

    /// Takes Gemini's form of a system prompt: a message, whose role means nothing, or a part. What
    /// its `parts` say counts before its `text`.
    fn system_object(&mut self) -> Scan<()> {
        let start = self.canon.mark();
        let (mut parts, mut had) = (false, [false; 2]);
        self.scan.open(b'{')?;
        let mut first = true;
        while let Some(member) = self.member(&mut first)? {
            let name = match self.canon.key(member) {
                b"parts" => 0,
                b"text" => 1,
                _ => {
                    self.drop_member(member)?;
                    continue;
                }
            };
            self.canon.again |= had[name];
            had[name] = true;
            let counts = match name {
                0 => !self.scan.says_nothing()?,
                _ => !parts,
            };
            if !counts {
                self.drop_member(member)?;
                continue;
            }
            parts |= name == 0;
            self.canon.undo(start);
            self.content()?;
        }
        Ok(())
    }
}
