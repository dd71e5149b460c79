//! What one request is taken for.

use affinity_hash::{ChainBuilder, Scope};
use affinity_llm::{Dialect, EntryKind, Leaf, NoFingerprint, Request, Scratch, SessionRules};
use serde_json::{Value, json};

/// A request, explained. Owns what it shows, so that two can be compared.
pub(super) struct Account {
    pub(super) dialect: Option<Dialect>,
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
    pub(super) agent: Option<String>,
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
    pub(super) fn of(
        headers: &Vec<(String, String)>,
        path: &str,
        body: &[u8],
        rules: &SessionRules,
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
                .map(|agent| hex(Scope::public().fingerprint(agent.as_bytes()))),
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
                    .map(|(entry, &link)| Entry {
                        kind: entry.kind(),
                        bytes: entry.bytes().len(),
                        link,
                        leaves: entry.leaves(),
                    })
                    .collect(),
            });
        Self {
            dialect: request.dialect(),
            model: request.model().map(str::to_owned),
            stream: request.stream(),
            bound: request.bound(),
            session,
            rejected,
            fingerprint,
        }
    }

    pub(super) fn to_json(&self, show_text: bool) -> Value {
        let session = self.session.as_ref().map(|session| {
            json!({"source": session.source, "id_hash": hex(session.id_hash), "agent": session.agent})
        });
        let rejected: Vec<_> = self
            .rejected
            .iter()
            .map(|(source, reason)| json!({"source": source, "reason": reason}))
            .collect();
        json!({
            "dialect": self.dialect.map(Dialect::name),
            "model": self.model,
            "stream": self.stream,
            "fingerprint": self.fingerprint.as_ref().ok().map(|fingerprint| fingerprint.to_json(show_text)),
            "reason": self.fingerprint.as_ref().err().map(ToString::to_string),
            "session": session,
            "rejected": rejected,
            "bound": self.bound,
        })
    }
}

impl Fingerprint {
    fn to_json(&self, show_text: bool) -> Value {
        let entry = |entry: &Entry| {
            let mut shown = json!({"kind": entry.kind_name(), "bytes": entry.bytes});
            if show_text {
                shown["text"] = entry
                    .leaves
                    .iter()
                    .map(|leaf| json!({"place": leaf.place, "text": leaf.text}))
                    .collect();
            }
            shown
        };
        json!({
            "links": self.entries.iter().map(|entry| hex(entry.link)).collect::<Vec<_>>(),
            "opener": self.opener,
            "prefix_bytes": self.prefix_bytes,
            "turns": self.turns,
            "entries": self.entries.iter().map(entry).collect::<Vec<_>>(),
        })
    }
}

pub(super) fn hex(link: u64) -> String {
    format!("{link:016x}")
}
