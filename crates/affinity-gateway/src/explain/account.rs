//! What one request is taken for.

use std::fmt;

use affinity_hash::{ChainBuilder, Scope};
use affinity_llm::{Dialect, EntryKind, Leaf, NoFingerprint, Request, Scratch, SessionRules};

/// How the dialect is known. A plain turn has the shape of more than one; a path is one's alone.
const BY_SHAPE: &str = "told by the shape of the body: --path makes sure";
const BY_PATH: &str = "told by the path";

/// A request, explained. Owns what it shows, so that two can be compared.
pub(super) struct Account {
    pub(super) dialect: Option<Dialect>,
    /// Whether the shape of the body told the dialect, because the path does not.
    pub(super) by_shape: bool,
    pub(super) model: Option<String>,
    pub(super) stream: bool,
    pub(super) bound: bool,
    pub(super) session: Option<Session>,
    pub(super) rejected: Vec<(String, String)>,
    pub(super) fingerprint: Result<Fingerprint, NoFingerprint>,
}

/// The session, without its id.
pub(super) struct Session {
    pub(super) source: String,
    /// The id's fingerprint in the public scope.
    pub(super) id_hash: u64,
    /// The agent's.
    pub(super) agent: Option<u64>,
}

impl fmt::Display for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (id hash {:016x}", self.source, self.id_hash)?;
        if let Some(agent) = self.agent {
            write!(f, ", agent hash {agent:016x}")?;
        }
        f.write_str(")")
    }
}

pub(super) struct Fingerprint {
    pub(super) opener: usize,
    pub(super) prefix_bytes: usize,
    pub(super) turns: usize,
    pub(super) entries: Vec<Entry>,
}

pub(super) struct Entry {
    pub(super) kind: EntryKind,
    pub(super) bytes: usize,
    pub(super) link: u64,
    /// Empty unless they were asked for.
    pub(super) leaves: Vec<Leaf>,
}

impl Entry {
    pub(super) const fn kind_name(&self) -> &'static str {
        match self.kind {
            EntryKind::System => "system",
            EntryKind::Tools => "tools",
            EntryKind::Message => "message",
        }
    }
}

impl Account {
    /// `read_back`: of which entries, by their index, the leaves are kept. A conversation has more
    /// of them than fit on a page.
    pub(super) fn of(
        headers: &Vec<(String, String)>,
        path: &str,
        body: &[u8],
        rules: &SessionRules,
        read_back: impl Fn(usize) -> bool,
    ) -> Self {
        let mut scratch = Scratch::new();
        let request = Request::read(headers, path, body, &mut scratch);
        let mut rejected = Vec::new();
        let session = request.session_or(rules, |source, why| {
            rejected.push((source.name().to_owned(), why.to_string()));
        });
        let session = session.map(|session| Session {
            source: session.source().name().to_owned(),
            id_hash: session.key(Scope::public()),
            agent: session
                .agent()
                .map(|agent| Scope::public().fingerprint(agent.as_bytes())),
        });
        let mut chain = ChainBuilder::new();
        let fingerprint = request
            .fingerprint(Scope::public(), &mut chain)
            .map(|fingerprint| Fingerprint {
                opener: fingerprint.opener,
                prefix_bytes: fingerprint.prefix_bytes,
                turns: fingerprint.turns,
                entries: request
                    .entries()
                    .zip(fingerprint.links)
                    .enumerate()
                    .map(|(at, (entry, &link))| Entry {
                        kind: entry.kind(),
                        bytes: entry.bytes().len(),
                        link,
                        leaves: if read_back(at) {
                            entry.leaves()
                        } else {
                            Vec::new()
                        },
                    })
                    .collect(),
            });
        let dialect = request.dialect();
        // A body of no shape leaves what the path tells.
        let by_path = Request::read(&(), path, b"{}", &mut Scratch::new()).dialect();
        Self {
            dialect,
            by_shape: dialect.is_some() && by_path.is_none(),
            model: request.model().map(str::to_owned),
            stream: request.stream(),
            bound: request.bound(),
            session,
            rejected,
            fingerprint,
        }
    }

    /// How the dialect is known, if it is.
    pub(super) fn told(&self) -> Option<&'static str> {
        self.dialect
            .map(|_| if self.by_shape { BY_SHAPE } else { BY_PATH })
    }

    /// Why there is no fingerprint.
    pub(super) fn no_fingerprint(&self) -> Option<String> {
        let reason = self.fingerprint.as_ref().err()?;
        Some(match reason {
            NoFingerprint::UnknownDialect => format!("{reason}: --path tells it"),
            _ => reason.to_string(),
        })
    }

    /// That the dialect is a guess, if it is.
    pub(super) fn guess(&self) -> Option<String> {
        self.by_shape.then(|| format!("dialect {BY_SHAPE}"))
    }

    /// Why the body cannot be read, if it cannot.
    pub(super) fn malformed(&self) -> Option<&NoFingerprint> {
        let reason = self.fingerprint.as_ref().err();
        reason.filter(|reason| matches!(reason, NoFingerprint::Malformed(_)))
    }
}
