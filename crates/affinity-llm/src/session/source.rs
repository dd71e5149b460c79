//! Where session ids are found.

use core::fmt;

use crate::read::Ident;

/// A place where a session id may be.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Source {
    /// A header, by its lower-case name.
    Header(Box<str>),
    /// A field of the body.
    Body(BodyField),
}

/// A field of the body that means a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BodyField {
    /// OpenAI's `prompt_cache_key`.
    PromptCacheKey,
    /// OpenAI's `conversation`, an id or an object with one.
    Conversation,
    /// OpenAI's `previous_response_id`: another one every turn, so it leads back to an account
    /// only if the caller remembers the id of every response.
    PreviousResponseId,
    /// `session_id`, as OpenRouter and Code Assist have it.
    SessionId,
    /// The session part of Anthropic's `metadata.user_id`, in any of the forms of Claude Code:
    /// `user_…_account_…_session_…`, JSON in a string, an object. Never the rest of it.
    MetadataUserId,
    /// Codex's `client_metadata.session_id`.
    ClientMetadata,
}

impl Source {
    /// A header's name, or a body field's as `body.{name}`.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Header(name) => name,
            Self::Body(field) => field.name(),
        }
    }
}

impl BodyField {
    const fn name(self) -> &'static str {
        match self {
            Self::PromptCacheKey => "body.prompt_cache_key",
            Self::Conversation => "body.conversation",
            Self::PreviousResponseId => "body.previous_response_id",
            Self::SessionId => "body.session_id",
            Self::MetadataUserId => "body.metadata.user_id",
            Self::ClientMetadata => "body.client_metadata.session_id",
        }
    }

    pub(crate) const fn ident(self) -> Ident {
        match self {
            Self::PromptCacheKey => Ident::PromptCacheKey,
            Self::Conversation => Ident::Conversation,
            Self::PreviousResponseId => Ident::PreviousResponse,
            Self::SessionId => Ident::SessionId,
            Self::MetadataUserId => Ident::UserId,
            Self::ClientMetadata => Ident::ClientSession,
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
