//! Content: a string, one part, or a list of parts.

use super::calls::Call;
use super::{OWN, Reader};
use crate::canon::{Field, Group, Mark};
use crate::json::Scan;

/// What Claude Code puts before its system prompt, different for every request of a build.
const ATTRIBUTION: &[u8] = b"x-anthropic-billing-header:";

/// What a part is, as far as it is treated apart.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Kind {
    /// What is not typed is a text, as in Gemini. Of a text that is not empty all else is left out.
    #[default]
    Text,
    /// Never part of the conversation: clients keep it, drop it and summarise it at will.
    Thinking,
    ToolUse,
    ToolResult,
    Other,
}

impl Kind {
    fn of(name: &[u8]) -> Self {
        match name {
            b"text" | b"input_text" | b"output_text" => Self::Text,
            b"thinking" | b"redacted_thinking" | b"reasoning" | b"reasoning_text" => Self::Thinking,
            _ if name.ends_with(b"tool_use") => Self::ToolUse,
            _ if name.ends_with(b"tool_result") => Self::ToolResult,
            _ => Self::Other,
        }
    }
}

/// A part that is being read.
#[derive(Default)]
struct Part {
    kind: Kind,
    thought: bool,
    /// It holds what a function returned, under the one name or the other, whatever its type says.
    responds: [bool; 2],
    /// It has a text that is not empty.
    text: bool,
    id: Option<u64>,
    answers: Option<u64>,
    /// The function that it calls, by the rank of the name.
    function_calls: [Option<Call>; 2],
}

impl Reader<'_> {
    /// Takes the content of a message: writes its parts, or nothing if nothing is said.
    pub(super) fn content(&mut self) -> Scan<()> {
        match self.scan.peek()? {
            b'"' => self.plain_text(),
            b'[' => {
                self.scan.open(b'[')?;
                let mut first = true;
                while self.scan.element(&mut first)? {
                    self.part()?;
                }
                Ok(())
            }
            _ => self.part(),
        }
    }

    /// Takes content that nobody says: what a tool returned. Nor does it call anything.
    pub(super) fn returned(&mut self) -> Scan<()> {
        let (said, inside) = (self.said, self.inside);
        self.inside = true;
        self.content()?;
        (self.said, self.inside) = (said, inside);
        Ok(())
    }

    /// Takes a string: a text part.
    fn plain_text(&mut self) -> Scan<()> {
        let start = self.canon.mark();
        let mut group = self.canon.open_object();
        let member = self.canon.mark();
        if self.spoken(&mut group, member)? {
            self.canon.close_object(group, true);
            self.said = true;
        } else {
            self.canon.undo(start);
        }
        Ok(())
    }

    /// Takes a text, without an attribution line, and keeps it unless it is empty.
    fn spoken(&mut self, group: &mut Group, member: Mark) -> Scan<bool> {
        let empty = self.text(member, Field::Text)?.is_empty();
        if !empty {
            self.canon.cut_line(member, ATTRIBUTION);
        }
        let any = !self.canon.field_is_empty(member);
        self.keep_if_any(group, member, OWN);
        Ok(any)
    }

    fn part(&mut self) -> Scan<()> {
        match self.scan.peek()? {
            b'"' => return self.plain_text(),
            b'{' => {}
            b'n' => return self.scan.skip(),
            _ => {
                self.said = true;
                return self.canon.value(&mut self.scan);
            }
        }
        let start = self.canon.mark();
        let mut group = self.canon.open_object();
        let mut part = Part::default();
        let (inside, answerable) = (self.inside, self.answerable);
        if !inside {
            (self.inside, self.answerable) = (true, self.calls);
        }
        self.scan.open(b'{')?;
        let mut first = true;
        while let Some(member) = self.member(&mut first)? {
            self.part_member(&mut group, &mut part, member)?;
        }
        if part.responds.contains(&true) {
            part.kind = Kind::ToolResult;
        }
        let silent = part.thought || part.kind == Kind::Thinking;
        if !inside && !silent {
            let called = part.function_calls.into_iter().flatten().next();
            let used = (part.kind == Kind::ToolUse).then_some(Call { id: part.id });
            for call in called.into_iter().chain(used) {
                self.note(call);
            }
        }
        if part.kind != Kind::ToolUse {
            self.answer(&mut group, part.answers);
        }
        (self.inside, self.answerable) = (inside, answerable);
        if silent || self.canon.is_empty(&group) {
            self.canon.undo(start);
            return Ok(());
        }
        let text = part.kind == Kind::Text && part.text;
        self.canon.close_object(group, !text);
        self.said |= part.kind != Kind::ToolResult;
        Ok(())
    }

    fn part_member(&mut self, group: &mut Group, part: &mut Part, member: Mark) -> Scan<()> {
        match self.canon.key(member) {
            b"type" => {
                part.kind = Kind::of(self.text(member, Field::Type)?);
                if self.canon.field_is_empty(member) {
                    part.kind = Kind::Text;
                }
                match part.kind {
                    Kind::Text => self.canon.leave_out(group, member, OWN),
                    Kind::Thinking | Kind::ToolUse | Kind::ToolResult => {
                        self.outline.messages.blocks = true;
                        self.keep_if_any(group, member, OWN);
                    }
                    _ => self.keep_if_any(group, member, OWN),
                }
            }
            b"text" => part.text = self.spoken(group, member)?,
            key @ (b"content" | b"parts") => {
                let rank = self.names.of_content(key);
                self.canon.field(member, Field::Content);
                self.returned()?;
                self.keep_if_any(group, member, rank);
            }
            b"name" => self.text_field(group, member, Field::Name)?,
            b"input" => self.input(group, member, OWN)?,
            key @ (b"functionCall" | b"function_call") => {
                let rank = u8::from(key == b"function_call");
                self.canon.field(member, Field::Calls);
                part.function_calls[usize::from(rank)] = self.call()?;
                self.keep_if_any(group, member, rank);
            }
            key @ (b"functionResponse" | b"function_response") => {
                let rank = u8::from(key == b"function_response");
                self.canon.field(member, Field::Result);
                part.responds[usize::from(rank)] = self.response()?;
                self.keep_if_any(group, member, rank);
            }
            b"id" => part.id = self.id(member)?,
            b"tool_use_id" => part.answers = self.id(member)?,
            b"thought" => {
                part.thought = self.scan.peek()? == b't';
                self.drop_member(member)?;
            }
            b"is_error" if self.scan.peek()? == b'f' => self.absent(group, member)?,
            b"cache_control" | b"signature" | b"thoughtSignature" | b"thought_signature"
            | b"encrypted_content" | b"status" | b"index" | b"citations" | b"annotations"
            | b"logprobs" => self.drop_member(member)?,
            b"source" | b"file" => self.reference(group, member)?,
            b"file_id" => self.file_id(group, member, true)?,
            _ => drop(self.other(group, member, true)?),
        }
        Ok(())
    }

    /// Takes where an image or a document comes from. A file that was uploaded is only there for
    /// the account that has it.
    fn reference(&mut self, group: &mut Group, member: Mark) -> Scan<()> {
        self.canon.once(group, member);
        if self.scan.peek()? != b'{' {
            return self.other(group, member, true).map(drop);
        }
        let key = self.canon.key(member).len() + 1;
        self.scan.open(b'{')?;
        let mut inner = self.canon.open_object();
        let mut first = true;
        while let Some(member) = self.member(&mut first)? {
            match self.canon.key(member) {
                b"content" => {
                    self.canon.field(member, Field::Content);
                    self.returned()?;
                    self.keep_if_any(&mut inner, member, OWN);
                }
                b"file_id" => self.file_id(&mut inner, member, false)?,
                _ => drop(self.other(&mut inner, member, false)?),
            }
        }
        self.canon.close_object(inner, true);
        self.canon.keep(group, member, key, true);
        Ok(())
    }

    fn file_id(&mut self, group: &mut Group, member: Mark, loose: bool) -> Scan<()> {
        self.canon.once(group, member);
        self.outline.messages.bound |= !self.scan.says_nothing()?;
        self.other(group, member, loose).map(drop)
    }
}
