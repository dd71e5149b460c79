//! A body's top level.

use super::captured::Ident;
use super::names::Names;
use super::outline::SystemName;
use super::{OWN, Outline, Reader};
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
        self.members(conversation, None)?;
        self.scan.finish()
    }

    /// Takes the members of the body, or of the `request` inside of one that has had the `outer`
    /// members until now: what stands beside `request` counts before what stands in it.
    fn members(&mut self, conversation: bool, outer: Option<u32>) -> Scan<()> {
        self.scan.open(b'{')?;
        let mut had = 0;
        let mut first = true;
        while self.scan.member(&mut first)? {
            let member = self.key()?;
            let key = Key::of(self.canon.key(member));
            self.canon.undo(member);
            self.notice(key);
            had |= key.bit();
            let counts = outer.is_none_or(|outer| outer & key.bit() == 0);
            let belongs = conversation && key.belongs_to(self.dialect);
            if !counts || key.has_conversation() && !belongs {
                self.scan.skip()?;
                continue;
            }
            match key {
                Key::Messages => self.conversation(Names::Messages)?,
                Key::Input => self.conversation(Names::Responses)?,
                Key::Contents => self.conversation(Names::Gemini)?,
                Key::System(name) => self.system(name)?,
                Key::Tools => self.tools()?,
                Key::Captured(ident @ Ident::Conversation) => {
                    self.captured.take_in(ident, "id", &mut self.scan)?;
                }
                Key::Captured(ident @ Ident::ClientSession) => {
                    self.captured.take_in(ident, "session_id", &mut self.scan)?;
                }
                Key::Captured(ident) => self.captured.take(ident, &mut self.scan)?,
                Key::Metadata => self.captured.take_metadata(&mut self.scan)?,
                Key::Stream => {
                    self.outline.stream = Some(self.scan.peek()? == b't');
                    self.scan.skip()?;
                }
                Key::Stored => {
                    self.outline.bound |= self.scan.peek()? == b'"' && !self.scan.says_nothing()?;
                    self.scan.skip()?;
                }
                Key::Request if outer.is_none() && self.scan.peek()? == b'{' => {
                    self.members(conversation, Some(had))?;
                }
                Key::Request | Key::AnthropicOnly | Key::ResponsesOnly | Key::Other => {
                    self.scan.skip()?
                }
            }
        }
        Ok(())
    }

    fn system(&mut self, name: SystemName) -> Scan<()> {
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
        let place = &mut self.outline.systems[name as usize];
        if self.canon.field_is_empty(member) {
            self.canon.undo(start);
            *place = None;
        } else {
            self.canon.keep_field(&mut entry, member, OWN);
            self.canon.close_object(entry, true);
            *place = Some(self.canon.end(start));
        }
        Ok(())
    }

    /// Takes Gemini's form of a system prompt: a message, whose role means nothing, or a part. What
    /// its `parts` say counts before its `text`.
    fn system_object(&mut self) -> Scan<()> {
        let start = self.canon.mark();
        let mut parts = false;
        self.scan.open(b'{')?;
        let mut first = true;
        while self.scan.member(&mut first)? {
            let member = self.key()?;
            let named = match self.canon.key(member) {
                b"parts" if !self.scan.says_nothing()? => true,
                b"text" if !parts => false,
                _ => {
                    self.drop_member(member)?;
                    continue;
                }
            };
            parts |= named;
            self.canon.undo(start);
            self.content()?;
        }
        Ok(())
    }

    fn notice(&mut self, key: Key) {
        let Outline { seen, .. } = self.outline;
        match key {
            Key::Messages => seen.messages = true,
            Key::Input => seen.input = true,
            Key::Contents => seen.contents = true,
            Key::System(SystemName::Short) | Key::AnthropicOnly => seen.anthropic = true,
            Key::System(SystemName::Instructions) | Key::ResponsesOnly => seen.responses = true,
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
    System(SystemName),
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
            b"system" => Self::System(SystemName::Short),
            b"instructions" => Self::System(SystemName::Instructions),
            b"systemInstruction" => Self::System(SystemName::CamelCase),
            b"system_instruction" => Self::System(SystemName::SnakeCase),
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
            Self::Messages | Self::Input | Self::Contents | Self::System(_) | Self::Tools
        )
    }

    /// A bit of its own, for the keys that count but once.
    const fn bit(self) -> u32 {
        match self {
            Self::Messages => 1,
            Self::Input => 1 << 1,
            Self::Contents => 1 << 2,
            Self::Tools => 1 << 3,
            Self::Metadata => 1 << 4,
            Self::Stream => 1 << 5,
            Self::System(name) => 1 << (8 + name as u32),
            Self::Captured(ident) => 1 << (16 + ident as u32),
            _ => 0,
        }
    }

    /// Whether a body of this dialect, if it is known, has its conversation here.
    fn belongs_to(self, dialect: Option<Dialect>) -> bool {
        let Some(dialect) = dialect else { return true };
        match self {
            Self::Messages => matches!(
                dialect,
                Dialect::ChatCompletions | Dialect::AnthropicMessages
            ),
            Self::System(SystemName::Short) => dialect == Dialect::AnthropicMessages,
            Self::Input | Self::System(SystemName::Instructions) => dialect == Dialect::Responses,
            Self::Contents | Self::System(_) => dialect == Dialect::Gemini,
            _ => true,
        }
    }
}
