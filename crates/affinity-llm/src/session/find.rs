//! The search for a session, in the order of the rules.

use super::rules::MAX_SOURCES;
use super::{BodyField, MAX_SESSION_ID, Rejection, Session, SessionRules, Source};
use crate::headers::Headers;
use crate::read::{Captured, Ident};

/// What headers say that the search asks for.
struct Found<'h> {
    /// By the rank of the source.
    sessions: [Option<&'h [u8]>; MAX_SOURCES],
    claude_agent: Option<&'h [u8]>,
    codex_thread: Option<&'h [u8]>,
}

/// The first source that has a session; `reject` learns of those before it that had none.
pub(crate) fn find<'r>(
    headers: &'r (impl Headers + ?Sized),
    body: &'r Captured,
    rules: &'r SessionRules,
    mut reject: impl FnMut(&'r Source, Rejection),
) -> Option<Session<'r>> {
    let found = look(headers, rules);
    for (rank, source) in rules.sources().iter().enumerate() {
        let value = match source {
            Source::Header(_) => found.sessions[rank].map(Ok),
            Source::Body(field) => in_body(body, *field),
        };
        match value.map(|value| value.and_then(checked)) {
            None => {}
            Some(Ok(id)) => {
                let agent = found.agent(id);
                return Some(Session {
                    id,
                    source,
                    agent,
                    joined: rules.joins_agent(),
                });
            }
            Some(Err(why)) => {
                reject(source, why);
                if why == Rejection::TooLong {
                    return None;
                }
            }
        }
    }
    None
}

fn look<'h>(headers: &'h (impl Headers + ?Sized), rules: &SessionRules) -> Found<'h> {
    let mut found = Found {
        sessions: [None; MAX_SOURCES],
        claude_agent: None,
        codex_thread: None,
    };
    headers.visit(&mut |name, value| {
        for (rank, source) in rules.sources().iter().enumerate() {
            if let Source::Header(wanted) = source
                && name.eq_ignore_ascii_case(wanted)
            {
                found.sessions[rank].get_or_insert(value);
            }
        }
        if name.eq_ignore_ascii_case("x-claude-code-agent-id") {
            found.claude_agent.get_or_insert(value);
        } else if name.eq_ignore_ascii_case("thread-id") {
            found.codex_thread.get_or_insert(value);
        }
    });
    found
}

impl<'h> Found<'h> {
    /// The sub-agent, if the session `id` has some. A Codex thread is one if it is not the
    /// session itself.
    fn agent(&self, id: &str) -> Option<&'h str> {
        let text = |value: Option<&'h [u8]>| value.and_then(|value| checked(value).ok());
        text(self.claude_agent).or_else(|| text(self.codex_thread).filter(|thread| *thread != id))
    }
}

fn in_body(body: &Captured, field: BodyField) -> Option<Result<&[u8], Rejection>> {
    if field != BodyField::MetadataUserId {
        return body.get(field.ident()).map(Ok);
    }
    let user = body.get(Ident::UserId);
    match body
        .get(Ident::UserSession)
        .or_else(|| user.and_then(after_session))
    {
        Some(session) => Some(Ok(session)),
        None => user.map(|_| Err(Rejection::NoSession)),
    }
}

/// The session in `user_{device}_account_{account}_session_{session}`.
fn after_session(user: &[u8]) -> Option<&[u8]> {
    let rest = user.strip_prefix(b"user_")?;
    let account = position(rest, b"_account_")?;
    let session = account + position(&rest[account..], b"_session_")?;
    Some(&rest[session + b"_session_".len()..])
}

fn position(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

/// An id, without white space around it.
fn checked(value: &[u8]) -> Result<&str, Rejection> {
    let text = str::from_utf8(value)
        .map_err(|_| Rejection::NotText)?
        .trim();
    if text.is_empty() {
        Err(Rejection::Blank)
    } else if text.len() > MAX_SESSION_ID {
        Err(Rejection::TooLong)
    } else if text.chars().any(char::is_control) {
        Err(Rejection::NotText)
    } else {
        Ok(text)
    }
}
