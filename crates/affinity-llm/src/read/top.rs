//! A body's top level.

use super::captured::Ident;
use super::{Outline, Reader};
use crate::canon::Field;
use crate::dialect::Dialect;
use crate::json::Scan;
use crate::malformed::Fault;

impl Reader<'_> {
    /// Takes the whole body. `conversation`: whether its messages count, or only its names do.
    pub(crate) fn body(&mut self, conversation: bool) -> Scan<()> {
        if self.scan.peek()? != b'{' {
            // What is no JSON at all says so itself.
            self.scan.skip()?;
            return Err(Fault::NotAnObject);
        }
        self.members(conversation)?;
        self.scan.finish()
    }

    fn members(&mut self, conversation: bool) -> Scan<()> {
        self.scan.open(b'{')?;
        let mut first = true;
        while self.scan.member(&mut first)? {
            let member = self.key()?;
            let key = Key::of(self.canon.key(member));
            self.canon.undo(member);
            self.notice(key);
            if key.has_conversation() && (!conversation || !key.belongs_to(self.dialect)) {
                self.scan.skip()?;
                continue;
            }
            match key {
                Key::Messages | Key::Input | Key::Contents => self.conversation()?,
                Key::System | Key::Instructions | Key::SystemInstruction => self.system()?,
                Key::Tools => self.tools()?,
                Key::Captured(ident @ Ident::Conversation) => {
                    self.captured.take_in(ident, "id", &mut self.scan)?;
                    self.outline.bound |= self.captured.get(ident).is_some();
                }
                Key::Captured(ident @ Ident::ClientSession) => {
                    self.captured.take_in(ident, "session_id", &mut self.scan)?;
                }
                Key::Captured(ident @ Ident::PreviousResponse) => {
                    self.captured.take(ident, &mut self.scan)?;
                    self.outline.bound |= self.captured.get(ident).is_some();
                }
                Key::Captured(ident) => self.captured.take(ident, &mut self.scan)?,
                Key::Metadata => self.captured.take_metadata(&mut self.scan)?,
                Key::Stream => {
                    self.outline.stream = Some(self.scan.peek()? == b't');
                    self.scan.skip()?;
                }
                Key::Stored => {
                    self.outline.bound |= self.scan.peek()? == b'"';
                    self.scan.skip()?;
                }
                Key::Request if self.scan.peek()? == b'{' => self.members(conversation)?,
                Key::Request | Key::AnthropicOnly | Key::ResponsesOnly | Key::Other => {
                    self.scan.skip()?
                }
            }
        }
        Ok(())
    }

    fn system(&mut self) -> Scan<()> {
        self.canon.begin();
        let start = self.canon.mark();
        let mut entry = self.canon.open_object();
        let member = self.canon.mark();
        self.canon.field(member, Field::System);
        match self.scan.peek()? {
            b'{' => self.system_object()?,
            _ => self.content()?,
        }
        if self.canon.field_is_empty(member) {
            self.canon.undo(start);
            self.outline.system = None;
        } else {
            self.canon.keep_field(&mut entry, member);
            self.canon.close_object(entry, true);
            self.outline.system = Some(self.canon.end(start));
        }
        Ok(())
    }

    /// Takes Gemini's form of a system prompt: a message, whose role means nothing, or a part.
    fn system_object(&mut self) -> Scan<()> {
        let start = self.canon.mark();
        self.scan.open(b'{')?;
        let mut first = true;
        while self.scan.member(&mut first)? {
            let member = self.key()?;
            if matches!(self.canon.key(member), b"parts" | b"text") {
                self.canon.undo(start);
                self.content()?;
            } else {
                self.drop_member(member)?;
            }
        }
        Ok(())
    }

    fn notice(&mut self, key: Key) {
        let Outline { seen, .. } = self.outline;
        match key {
            Key::Messages => seen.messages = true,
            Key::Input => seen.input = true,
            Key::Contents => seen.contents = true,
            Key::System | Key::AnthropicOnly => seen.anthropic = true,
            Key::Instructions | Key::ResponsesOnly => seen.responses = true,
            Key::Captured(Ident::PreviousResponse | Ident::Conversation) => seen.responses = true,
            _ => {}
        }
    }
}

/// A top-level key.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    Messages,
    Input,
    Contents,
    System,
    Instructions,
    SystemInstruction,
    Tools,
    Captured(Ident),
    Metadata,
    Stream,
    /// Names something that is stored with the account.
    Stored,
    /// What Gemini's Code Assist form wraps the body in.
    Request,
    AnthropicOnly,
    ResponsesOnly,
    Other,
}

impl Key {
    fn of(name: &[u8]) -> Self {
        match name {
            b"messages" => Self::Messages,
            b"input" => Self::Input,
            b"contents" => Self::Contents,
            b"system" => Self::System,
            b"instructions" => Self::Instructions,
            b"systemInstruction" | b"system_instruction" => Self::SystemInstruction,
            b"tools" => Self::Tools,
            b"model" => Self::Captured(Ident::Model),
            b"prompt_cache_key" => Self::Captured(Ident::PromptCacheKey),
            b"conversation" => Self::Captured(Ident::Conversation),
            b"previous_response_id" => Self::Captured(Ident::PreviousResponse),
            b"session_id" => Self::Captured(Ident::SessionId),
            b"client_metadata" => Self::Captured(Ident::ClientSession),
            b"metadata" => Self::Metadata,
            b"stream" => Self::Stream,
            b"cachedContent" | b"cached_content" | b"container" => Self::Stored,
            b"request" => Self::Request,
            b"anthropic_version" | b"anthropic_beta" | b"stop_sequences" | b"thinking" => {
                Self::AnthropicOnly
            }
            b"max_output_tokens" | b"reasoning" | b"include" | b"truncation" | b"text" => {
                Self::ResponsesOnly
            }
            _ => Self::Other,
        }
    }

    const fn has_conversation(self) -> bool {
        matches!(
            self,
            Self::Messages
                | Self::Input
                | Self::Contents
                | Self::System
                | Self::Instructions
                | Self::SystemInstruction
                | Self::Tools
        )
    }

    /// Whether a body of this dialect, if it is known, has its conversation here.
    fn belongs_to(self, dialect: Option<Dialect>) -> bool {
        let Some(dialect) = dialect else { return true };
        match self {
            Self::Messages => matches!(
                dialect,
                Dialect::ChatCompletions | Dialect::AnthropicMessages
            ),
            Self::System => dialect == Dialect::AnthropicMessages,
            Self::Input | Self::Instructions => dialect == Dialect::Responses,
            Self::Contents | Self::SystemInstruction => dialect == Dialect::Gemini,
            _ => true,
        }
    }
}
