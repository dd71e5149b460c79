//! A conversation's elements: messages, and the items of the Responses API.

use super::calls::Call;
use super::names::Names;
use super::{OWN, Reader};
use crate::canon::{Field, Group, Mark};
use crate::json::Scan;

/// An element that is being read.
#[derive(Default)]
struct Item {
    role: Role,
    kind: Kind,
    encrypted: bool,
    /// Some of its `reasoning_details` is encrypted.
    encrypted_details: bool,
    /// Where its id is: only a reference is nothing but an id.
    id: Option<usize>,
    /// The id of the call that it makes or answers.
    call_id: Option<u64>,
    tool_call_id: Option<u64>,
    /// It has something in `tool_calls`.
    tool_calls: bool,
    /// The call in `function_call`.
    function_call: Option<Call>,
    /// Where its first member is.
    start: usize,
    /// Whether it has its content under its own name, once that was asked.
    own_content: Option<bool>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Role {
    /// Not given, which means the user where it means anything.
    #[default]
    None,
    User,
    Assistant,
    Other,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    Message,
    Reasoning,
    Reference,
    /// An item that answers a call.
    Output,
    Other,
}

impl Reader<'_> {
    /// Takes `messages`, `input` or `contents`. Of two such members the last counts.
    pub(super) fn conversation(&mut self, names: Names) -> Scan<()> {
        self.names = names;
        self.outline.messages.clear();
        self.made.clear();
        self.calls = 0;
        match self.scan.peek()? {
            b'[' => {
                self.scan.open(b'[')?;
                let mut first = true;
                while self.scan.element(&mut first)? {
                    self.item()?;
                }
                Ok(())
            }
            // What the Responses API takes for one user message.
            b'"' => self.item(),
            _ => {
                self.outline.messages.not_an_array = true;
                self.scan.skip()
            }
        }
    }

    fn item(&mut self) -> Scan<()> {
        self.said = false;
        self.answerable = self.calls;
        self.apart.clear();
        self.canon.begin();
        let start = self.canon.mark();
        let mut group = self.canon.open_object();
        let mut item = Item::default();
        if self.scan.peek()? == b'{' {
            self.scan.open(b'{')?;
            item.start = self.scan.at();
            let mut first = true;
            while let Some(member) = self.member(&mut first)? {
                self.item_member(&mut group, &mut item, member)?;
            }
        } else {
            let member = self.canon.mark();
            self.canon.field(member, Field::Content);
            self.content()?;
            self.keep_if_any(&mut group, member, OWN);
        }
        self.outline.messages.bound |= item.encrypted || item.encrypted_details;
        match item.kind {
            Kind::Reasoning => {
                // An id alone is looked up in what the account has stored.
                self.outline.messages.bound |= item.id.is_some();
                self.canon.undo(start);
                return Ok(());
            }
            Kind::Reference => self.reference_id(&mut group, item.id)?,
            _ => {}
        }
        self.item_calls(&mut group, &item);
        if item.role == Role::Assistant && self.canon.kept(&group) == 1 {
            // Nothing is left but the role: a turn that was all thinking, kept or not.
            self.canon.undo(start);
            return Ok(());
        }
        self.canon.close_object(group, item.kind != Kind::Message);
        let entry = self.canon.end(start);
        let user = item.kind == Kind::Message && matches!(item.role, Role::User | Role::None);
        self.outline.messages.push(entry, user && self.said);
        Ok(())
    }

    /// Notes the calls that the element makes apart from its content, or writes which one it answers.
    fn item_calls(&mut self, group: &mut Group, item: &Item) {
        for at in 0..self.apart.len() {
            self.note(self.apart[at]);
        }
        if let Some(call) = item.function_call.filter(|_| !item.tool_calls) {
            self.note(call);
        }
        let id = match self.names {
            Names::Responses => item.call_id.or(item.tool_call_id),
            _ => item.tool_call_id.or(item.call_id),
        };
        match item.kind {
            Kind::Output | Kind::Message => self.answer(group, id),
            Kind::Other => self.note(Call { id }),
            Kind::Reasoning | Kind::Reference => {}
        }
    }

    fn item_member(&mut self, group: &mut Group, item: &mut Item, member: Mark) -> Scan<()> {
        match self.canon.key(member) {
            b"role" => {
                item.role = match self.text(member, Field::Role)? {
                    b"user" => Role::User,
                    b"assistant" | b"model" => Role::Assistant,
                    _ => Role::Other,
                };
                if self.canon.field_is_empty(member) {
                    item.role = Role::None;
                } else {
                    self.outline.messages.roles = true;
                }
                if item.role == Role::User {
                    self.canon.leave_out(group, member, OWN);
                } else {
                    self.keep_if_any(group, member, OWN);
                }
            }
            key @ (b"content" | b"parts") => {
                let rank = self.names.of_content(key);
                if rank != OWN && self.has_own_content(item) {
                    return self.drop_member(member);
                }
                self.canon.field(member, Field::Content);
                self.content()?;
                self.keep_if_any(group, member, rank);
            }
            b"type" => {
                item.kind = match self.text(member, Field::Type)? {
                    b"" | b"message" => Kind::Message,
                    b"reasoning" => Kind::Reasoning,
                    b"item_reference" => Kind::Reference,
                    name if name.ends_with(b"_output") => Kind::Output,
                    _ => Kind::Other,
                };
                if item.kind == Kind::Message {
                    self.canon.leave_out(group, member, OWN);
                } else {
                    self.outline.messages.items = true;
                    self.keep_if_any(group, member, OWN);
                }
            }
            b"tool_calls" => {
                self.canon.field(member, Field::Calls);
                self.calls()?;
                item.tool_calls = !self.canon.field_is_empty(member);
                self.keep_if_any(group, member, OWN);
            }
            // The older spelling of one call.
            b"function_call" => {
                self.canon.field(member, Field::Calls);
                item.function_call = self.call()?;
                self.keep_if_any(group, member, OWN + 1);
            }
            b"output" => {
                self.canon.field(member, Field::Result);
                self.returned()?;
                self.keep_if_any(group, member, OWN);
            }
            b"name" => self.text_field(group, member, Field::Name)?,
            key @ (b"arguments" | b"input") => {
                let rank = self.names.of_input(key);
                self.input(group, member, rank)?;
            }
            b"call_id" => item.call_id = self.id(member)?,
            b"tool_call_id" => item.tool_call_id = self.id(member)?,
            b"refusal" | b"audio" => drop(self.other(group, member, false)?),
            b"id" => {
                item.id = (!self.scan.says_nothing()?).then(|| self.scan.at());
                self.drop_member(member)?;
            }
            b"encrypted_content" => {
                item.encrypted = self.scan.peek()? == b'"' && !self.scan.says_nothing()?;
                self.drop_member(member)?;
            }
            b"reasoning_details" => {
                self.canon.undo(member);
                item.encrypted_details = self.encrypted_details()?;
            }
            b"status" | b"cache_control" | b"reasoning" | b"reasoning_content" | b"thinking"
            | b"thinking_blocks" | b"signature" => self.drop_member(member)?,
            _ => drop(self.other(group, member, true)?),
        }
        Ok(())
    }

    fn has_own_content(&mut self, item: &mut Item) -> bool {
        let object = self.scan.back_at(item.start);
        *item
            .own_content
            .get_or_insert_with(|| self.finds_own_content(object))
    }

    /// Writes what a reference refers to: a stored item of the account.
    fn reference_id(&mut self, group: &mut Group, id: Option<usize>) -> Scan<()> {
        self.outline.messages.bound = true;
        let Some(id) = id else { return Ok(()) };
        let member = self.canon.mark();
        self.canon.field(member, Field::Call);
        self.canon.value(&mut self.scan.back_at(id))?;
        self.canon.keep_field(group, member, OWN);
        Ok(())
    }

    /// Takes `reasoning_details`: whether one of them is encrypted.
    fn encrypted_details(&mut self) -> Scan<bool> {
        let mut encrypted = false;
        if self.scan.peek()? != b'[' {
            return self.scan.skip().map(|()| false);
        }
        self.scan.open(b'[')?;
        let mut first = true;
        while self.scan.element(&mut first)? {
            if self.scan.peek()? != b'{' {
                self.scan.skip()?;
                continue;
            }
            let mut this = false;
            self.scan.open(b'{')?;
            let mut first = true;
            while let Some(member) = self.member(&mut first)? {
                if self.canon.key(member) == b"type" {
                    this = self.text(member, Field::Type)? == b"reasoning.encrypted";
                    self.canon.undo(member);
                } else {
                    self.drop_member(member)?;
                }
            }
            encrypted |= this;
        }
        Ok(encrypted)
    }
}
