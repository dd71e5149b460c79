//! A body's top level.

use super::captured::Ident;
use super::names::Names;
use super::outline::{Place, SystemName};
use super::{Outline, Reader};
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
        let start = self.scan;
        self.members(conversation, Place::Outside, 0)?;
        self.scan.finish()?;
        if self.canon.again && self.overwritten.find(start)? {
            self.scan = start;
            self.canon.clear();
            self.outline.clear();
            self.captured.clear();
            self.members(conversation, Place::Outside, 0)?;
        }
        Ok(())
    }

    /// Takes the members of the body, or of the `request` inside of it, and returns which keys it
    /// had. `elsewhere`: which the other of the two had until now.
    fn members(&mut self, conversation: bool, place: Place, mut elsewhere: u64) -> Scan<u64> {
        self.scan.open(b'{')?;
        let (mut had, mut counted) = (0, 0);
        let mut first = true;
        while let Some(member) = self.member(&mut first)? {
            let key = Key::of(self.canon.key(member));
            self.canon.undo(member);
            self.canon.again |= had & key.bit() != 0;
            had |= key.bit();
            if self.scan.peek()? == b'n' {
                self.scan.skip()?;
                continue;
            }
            self.notice(key);
            counted |= key.bit();
            let counts = key.counts_in(place) || elsewhere & key.bit() == 0;
            let belongs = conversation && key.belongs_to(self.dialect);
            if !counts || key.has_conversation() && !belongs {
                self.scan.skip()?;
                continue;
            }
            match key {
                Key::Messages => self.conversation(Names::Messages)?,
                Key::Input => self.conversation(Names::Responses)?,
                Key::Contents => self.conversation(Names::Gemini)?,
                Key::System(name) => self.system(place, name)?,
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
                Key::Stored(_) => {
                    self.outline.bound |= self.scan.peek()? == b'"' && !self.scan.says_nothing()?;
                    self.scan.skip()?;
                }
                Key::Request if place == Place::Outside && self.scan.peek()? == b'{' => {
                    elsewhere = self.members(conversation, Place::Inside, counted)?;
                }
                Key::Request | Key::AnthropicOnly(_) | Key::ResponsesOnly(_) | Key::Other => {
                    self.scan.skip()?
                }
            }
        }
        Ok(counted)
    }

    fn notice(&mut self, key: Key) {
        let Outline { seen, .. } = self.outline;
        match key {
            Key::Messages => seen.messages = true,
            Key::Input => seen.input = true,
            Key::Contents => seen.contents = true,
            Key::System(SystemName::Short) | Key::AnthropicOnly(_) => seen.anthropic = true,
            Key::System(SystemName::Instructions) | Key::ResponsesOnly(_) => seen.responses = true,
            Key::Captured(Ident::PreviousResponse | Ident::Conversation) => seen.responses = true,
            _ => {}
        }
    }
}

/// A top-level key; of several that are treated alike, which of them.
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
    Stored(u8),
    /// What Gemini's Code Assist form wraps the body in.
    Request,
    AnthropicOnly(u8),
    ResponsesOnly(u8),
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
            b"cachedContent" => Self::Stored(0),
            b"cached_content" => Self::Stored(1),
            b"container" => Self::Stored(2),
            b"request" => Self::Request,
            b"anthropic_version" => Self::AnthropicOnly(0),
            b"anthropic_beta" => Self::AnthropicOnly(1),
            b"stop_sequences" => Self::AnthropicOnly(2),
            b"thinking" => Self::AnthropicOnly(3),
            b"max_output_tokens" => Self::ResponsesOnly(0),
            b"reasoning" => Self::ResponsesOnly(1),
            b"include" => Self::ResponsesOnly(2),
            b"truncation" => Self::ResponsesOnly(3),
            b"text" => Self::ResponsesOnly(4),
            _ => Self::Other,
        }
    }

    /// A bit of its own, unless it means nothing.
    const fn bit(self) -> u64 {
        let bit = match self {
            Self::Messages => 0,
            Self::Input => 1,
            Self::Contents => 2,
            Self::Tools => 3,
            Self::Metadata => 4,
            Self::Stream => 5,
            Self::Request => 6,
            Self::System(name) => 8 + name as u8,
            Self::Stored(which) => 12 + which,
            Self::Captured(ident) => 16 + ident as u8,
            Self::AnthropicOnly(which) => 24 + which,
            Self::ResponsesOnly(which) => 28 + which,
            Self::Other => return 0,
        };
        1 << bit
    }

    const fn has_conversation(self) -> bool {
        matches!(
            self,
            Self::Messages | Self::Input | Self::Contents | Self::System(_) | Self::Tools
        )
    }

    /// Whether it counts in this place though it may stand in the other too. Code Assist has the
    /// model outside, and all else inside. Of system prompts each is kept, and whatever is stored
    /// binds.
    fn counts_in(self, place: Place) -> bool {
        match self {
            Self::System(_) | Self::Stored(_) => true,
            Self::Captured(Ident::Model) => place == Place::Outside,
            _ => place == Place::Inside,
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
