//! Who a conversation is: the session id that a client or an API field carries.

mod find;
mod rules;
mod source;

use core::fmt;

use affinity_hash::{Chain, Scope};

pub(crate) use find::find;
pub use rules::SessionRules;
pub use source::{BodyField, Source};

/// Ids longer than this are not sessions, in bytes.
pub const MAX_SESSION_ID: usize = 256;

/// A session that a request names.
///
/// Ids are private: `Debug` shows the source and nothing else, and what is kept should be
/// [`Session::key`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Session<'r> {
    id: &'r str,
    source: &'r Source,
    agent: Option<&'r str>,
    joined: bool,
}

impl<'r> Session<'r> {
    /// The id as the client sent it, without white space around it. Not for logs.
    #[must_use]
    pub const fn id(&self) -> &'r str {
        self.id
    }

    /// Where it was found.
    #[must_use]
    pub const fn source(&self) -> &'r Source {
        self.source
    }

    /// The sub-agent that the request came from, if it says so. Sub-agents have the session of
    /// the one that started them, but a conversation of their own. Not for logs.
    #[must_use]
    pub const fn agent(&self) -> Option<&'r str> {
        self.agent
    }

    /// What to key memories of this session by: the id under the scope, and the agent if
    /// [`SessionRules::join_agent`] says so. Tenant and model are the scope's.
    #[must_use]
    pub fn key(&self, scope: Scope) -> u64 {
        let id = scope.fingerprint(self.id.as_bytes());
        match self.agent.filter(|_| self.joined) {
            None => id,
            Some(agent) => {
                let mut chain = Chain::new(scope.salt(b"agent"));
                chain.push(self.id.as_bytes());
                chain.push(agent.as_bytes())
            }
        }
    }
}

impl fmt::Debug for Session<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("source", &self.source)
            .field("agent", &self.agent.map(|_| ".."))
            .finish_non_exhaustive()
    }
}

/// Why a value that was there is no session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rejection {
    /// Nothing but white space.
    Blank,
    /// A control character in it, or bytes that are not UTF-8.
    NotText,
    /// More than [`MAX_SESSION_ID`] bytes. The search ends here: whoever names a session this
    /// plainly must not be taken for another one by a weaker source.
    TooLong,
    /// It names a user or a device, and no session of theirs.
    NoSession,
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Blank => "blank",
            Self::NotText => "control characters, or not UTF-8",
            Self::TooLong => "longer than 256 bytes; weaker sources are not asked",
            Self::NoSession => "names no session",
        })
    }
}
