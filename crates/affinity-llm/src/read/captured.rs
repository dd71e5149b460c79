//! The short values that identify a request: model and session fields.

use std::ops::Range;

use crate::json::{Scan, Scanner, Sink, Stops};

/// A top-level value that identifies a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ident {
    Model,
    PromptCacheKey,
    Conversation,
    PreviousResponse,
    SessionId,
    /// `client_metadata.session_id`.
    ClientSession,
    /// `metadata.user_id`, whatever it holds.
    UserId,
    /// The session part of `metadata.user_id` when that is JSON, in a string or as it is.
    UserSession,
}

const IDENTS: usize = Ident::UserSession as usize + 1;

/// Decoded values, without an allocation of their own.
#[derive(Default)]
pub(crate) struct Captured {
    bytes: Sink,
    places: [Option<Range<usize>>; IDENTS],
    /// What was decoded from inside a `user_id`; the place of [`Ident::UserSession`] is in here.
    inner: Sink,
    stops: Stops,
}

impl Captured {
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.inner.clear();
        self.places = Default::default();
    }

    pub(crate) fn get(&self, ident: Ident) -> Option<&[u8]> {
        let place = self.places[ident as usize].clone()?;
        Some(match ident {
            Ident::UserSession => &self.inner[place],
            _ => &self.bytes[place],
        })
    }

    /// Takes a value: keeps it if it is a string, forgets an earlier one in any case.
    pub(super) fn take(&mut self, ident: Ident, scan: &mut Scanner<'_>) -> Scan<()> {
        self.places[ident as usize] = string(scan, &mut self.bytes)?;
        Ok(())
    }

    /// Takes a value: a string, or an object whose member `key` is one.
    pub(super) fn take_in(&mut self, ident: Ident, key: &str, scan: &mut Scanner<'_>) -> Scan<()> {
        self.places[ident as usize] = match scan.peek()? {
            b'{' => member(scan, key, &mut self.bytes)?,
            _ => string(scan, &mut self.bytes)?,
        };
        Ok(())
    }

    /// Takes `metadata`, of which only `user_id` counts, in its three forms: a string, JSON in a
    /// string, an object.
    pub(super) fn take_metadata(&mut self, scan: &mut Scanner<'_>) -> Scan<()> {
        self.forget_user();
        if scan.peek()? != b'{' {
            return scan.skip();
        }
        scan.open(b'{')?;
        let mut first = true;
        while scan.member(&mut first)? {
            if !key_is(scan, "user_id", &mut self.bytes)? {
                scan.skip()?;
                continue;
            }
            self.forget_user();
            if scan.peek()? == b'{' {
                self.places[Ident::UserSession as usize] =
                    member(scan, "session_id", &mut self.inner)?;
                continue;
            }
            let user = string(scan, &mut self.bytes)?;
            if let Some(user) = user.clone() {
                let mut inside = Scanner::new(&self.bytes[user], &mut self.stops);
                if inside.peek() == Ok(b'{') {
                    // What is not JSON after all holds no session; that is no fault of the body.
                    let found = member(&mut inside, "session_id", &mut self.inner);
                    self.places[Ident::UserSession as usize] = found.ok().flatten();
                }
            }
            self.places[Ident::UserId as usize] = user;
        }
        Ok(())
    }

    fn forget_user(&mut self) {
        self.places[Ident::UserId as usize] = None;
        self.places[Ident::UserSession as usize] = None;
    }

    pub(crate) fn shrink_to(&mut self, bytes: usize) {
        self.clear();
        self.bytes.shrink_to(bytes);
        self.inner.shrink_to(bytes);
        self.stops.shrink_to(bytes);
    }
}

/// Takes any value; where it was decoded to, if it was a string.
fn string(scan: &mut Scanner<'_>, out: &mut Sink) -> Scan<Option<Range<usize>>> {
    if scan.peek()? != b'"' {
        return scan.skip().map(|()| None);
    }
    let start = out.len();
    scan.string(out)?;
    Ok(Some(start..out.len()))
}

/// Takes an object; where the string of its last member `key` was decoded to.
fn member(scan: &mut Scanner<'_>, key: &str, out: &mut Sink) -> Scan<Option<Range<usize>>> {
    let mut found = None;
    scan.open(b'{')?;
    let mut first = true;
    while scan.member(&mut first)? {
        if key_is(scan, key, out)? {
            found = string(scan, out)?;
        } else {
            scan.skip()?;
        }
    }
    Ok(found)
}

/// Takes a key and its colon. `spare` is where it is decoded, for a moment.
fn key_is(scan: &mut Scanner<'_>, key: &str, spare: &mut Sink) -> Scan<bool> {
    let start = spare.len();
    scan.string(spare)?;
    let is = &spare[start..] == key.as_bytes();
    spare.truncate(start);
    scan.take(b':')?;
    Ok(is)
}
