//! From an LLM request to its session identity and its chain of fingerprints.
//!
//! [`Request::read`] takes headers, path and body and tells who the conversation is, in two ways:
//! by a [`Session`] that the client names, and by the [`Fingerprint`] of what was said. The
//! fingerprint is made of canonical entries, so that what clients change from turn to turn
//! without changing the conversation (cache markers, key order, string or parts, thinking, ids)
//! does not change it, and every turn's links are the first links of the next turn's.
//!
//! `docs/spec-llm.md` specifies the canonical form, dialect by dialect.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod canon;
mod dialect;
mod entry;
mod fingerprint;
mod headers;
mod json;
mod malformed;
mod path;
mod read;
mod request;
mod scratch;
mod session;

pub use canon::Leaf;
pub use dialect::Dialect;
pub use entry::{Entry, EntryKind};
pub use fingerprint::{Fingerprint, NoFingerprint};
pub use headers::Headers;
pub use malformed::{Fault, Malformed};
pub use request::{MAX_BODY, Request};
pub use scratch::Scratch;
pub use session::{BodyField, MAX_SESSION_ID, Rejection, Session, SessionRules, Source};
