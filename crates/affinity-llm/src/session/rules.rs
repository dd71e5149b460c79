//! The order in which sources are asked.

use super::{BodyField, Source};

/// The sources of session ids, strongest first.
///
/// The default is what clients of the day send: the gateway's own header, the headers of agents
/// and editors, the body fields that mean a session. What names a user, a device or a single
/// request is not in it.
///
/// ```
/// use affinity_llm::{BodyField, SessionRules, Source};
///
/// let rules = SessionRules::default().own_header("X-Acme-Session").join_agent(true);
/// assert_eq!(rules.sources()[0].name(), "x-acme-session");
///
/// let strict = SessionRules::new([Source::Body(BodyField::PromptCacheKey)]);
/// assert_eq!(strict.sources().len(), 1);
/// ```
#[derive(Clone, Debug)]
pub struct SessionRules {
    sources: Vec<Source>,
    join_agent: bool,
}

/// The gateway's own header, unless [`SessionRules::own_header`] names another.
const OWN_HEADER: &str = "x-affinity-session";

/// Sources are looked for in one walk over the headers, with a place for each.
pub(super) const MAX_SOURCES: usize = 64;

/// Headers that mean a session, and who sends them. `x-client-request-id` is not here: only pi
/// sends its session in it, and pi sends `session-id` too.
const HEADERS: &[&str] = &[
    "x-claude-code-session-id", // Claude Code
    "session-id",               // Codex, pi
    "session_id",               // Codex before 0.131, Roo Code with OpenAI
    "x-opencode-session",       // OpenCode
    "x-task-id",                // Cline
    "x-roo-task-id",            // Roo Code
    "x-amp-thread-id",          // Amp
    "x-hermes-session-id",      // Hermes
    "x-hermes-session-key",     // Hermes
    "x-grok-conv-id",           // Grok
    "x-session-key",            // Open WebUI
    "x-deepseek-harness-session-id",
    "x-session-id",       // OpenCode, Crush, OpenRouter, Z.ai
    "x-session-affinity", // OpenCode, Crush, Fireworks, DeepInfra
    "thread-id",          // Codex
    "conversation_id",    // Codex before 0.131
    "x-conversation-id",
    "x-merge-thread-id",
    "x-litellm-session-id",
    "x-bf-session-id",
    "helicone-session-id",
];

const FIELDS: [BodyField; 6] = [
    BodyField::PromptCacheKey,
    BodyField::Conversation,
    BodyField::PreviousResponseId,
    BodyField::SessionId,
    BodyField::MetadataUserId,
    BodyField::ClientMetadata,
];

impl SessionRules {
    /// These sources, strongest first. Header names become lower case.
    ///
    /// # Panics
    ///
    /// If there are more than 64.
    #[must_use]
    pub fn new(sources: impl IntoIterator<Item = Source>) -> Self {
        let lower = |source| match source {
            Source::Header(name) => Source::Header(name.to_ascii_lowercase().into()),
            body @ Source::Body(_) => body,
        };
        let sources: Vec<_> = sources.into_iter().map(lower).collect();
        assert!(
            sources.len() <= MAX_SOURCES,
            "more than {MAX_SOURCES} session sources"
        );
        Self {
            sources,
            join_agent: false,
        }
    }

    /// The default, with this header before all others instead of `x-affinity-session`.
    #[must_use]
    pub fn own_header(mut self, name: &str) -> Self {
        self.sources.retain(|source| source.name() != OWN_HEADER);
        let own = Source::Header(name.into());
        let join_agent = self.join_agent;
        Self::new(core::iter::once(own).chain(self.sources)).join_agent(join_agent)
    }

    /// Whether [`Session::key`](super::Session::key) tells the sub-agents of a session apart.
    /// They have conversations of their own: joined, they spread over the accounts; not joined,
    /// all of a session's agents share one. Off unless set.
    #[must_use]
    pub const fn join_agent(mut self, join: bool) -> Self {
        self.join_agent = join;
        self
    }

    /// The sources, strongest first.
    #[must_use]
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    pub(super) const fn joins_agent(&self) -> bool {
        self.join_agent
    }
}

impl Default for SessionRules {
    fn default() -> Self {
        let headers = core::iter::once(&OWN_HEADER).chain(HEADERS);
        let headers = headers.map(|name| Source::Header((*name).into()));
        Self::new(headers.chain(FIELDS.map(Source::Body)))
    }
}
