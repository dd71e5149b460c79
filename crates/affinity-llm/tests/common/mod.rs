//! What the tests share.
#![allow(dead_code, reason = "each test binary uses some of it")]

pub(crate) mod generate;

use affinity_hash::{ChainBuilder, Scope};
use affinity_llm::{NoFingerprint, Request, Scratch};
use serde_json::Value;

pub(crate) const CHAT: &str = "/v1/chat/completions";
pub(crate) const RESPONSES: &str = "/v1/responses";
pub(crate) const ANTHROPIC: &str = "/v1/messages";
pub(crate) const GEMINI: &str = "/v1beta/models/gemini:generateContent";

/// The links of a body, or why it has none.
pub(crate) fn read(path: &str, body: &[u8]) -> Result<Vec<u64>, NoFingerprint> {
    let mut scratch = Scratch::new();
    let request = Request::read(&(), path, body, &mut scratch);
    let mut chain = ChainBuilder::new();
    request
        .fingerprint(Scope::public(), &mut chain)
        .map(|fingerprint| fingerprint.links.to_vec())
}

/// The links of a body that has some.
#[track_caller]
pub(crate) fn links(path: &str, body: &Value) -> Vec<u64> {
    read(path, body.to_string().as_bytes()).expect("a fingerprint")
}

/// Asserts that what one turn is remembered by is found in the next, where it was.
#[track_caller]
pub(crate) fn last_link_recurs(path: &str, turn: &Value, next: &Value) {
    let turn = links(path, turn);
    let next = links(path, next);
    assert!(next.len() >= turn.len(), "the next turn is shorter");
    assert_eq!(turn, next[..turn.len()]);
}

/// Asserts that what one turn is remembered by is not found in the other.
#[track_caller]
pub(crate) fn last_link_is_gone(path: &str, turn: &Value, other: &Value) {
    let turn = links(path, turn);
    assert!(!links(path, other).contains(turn.last().expect("a link")));
}
