//! What a conversation is remembered by.

use core::fmt;

use crate::malformed::Malformed;

/// A conversation, as its chain of links.
///
/// The links of one turn are the first links of the next turn, so whoever remembers the last one
/// finds it again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint<'c> {
    /// One link for the system prompt if there is one, one for the tools if there are some, one
    /// for each message.
    pub links: &'c [u64],
    /// Index of the link that ends the first user turn: the first messages of the user up to the
    /// first that is not. What conversations without a memory are placed by.
    pub opener: usize,
    /// Bytes of all entries together, in canonical form: a measure of what a provider's cache
    /// would hold.
    pub prefix_bytes: usize,
    /// How often the user spoke. Messages with nothing but tool results are no user turns.
    pub turns: usize,
}

/// Why a request has no fingerprint. None of these is an error of the program: the request is to
/// be routed without a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoFingerprint {
    /// Not a conversation: counting tokens, embeddings, lists, batches.
    SideCall,
    /// Neither the path nor the shape of the body belongs to a known dialect.
    UnknownDialect,
    /// The body cannot be read.
    Malformed(Malformed),
    /// The dialect's `messages`, `input` or `contents` is missing.
    NoConversation,
    /// It is there, and is not an array.
    NotAnArray,
    /// Nobody has said anything: a system prompt alone is everybody's.
    NoUserTurn,
}

impl fmt::Display for NoFingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SideCall => f.write_str("a side call, not a conversation"),
            Self::UnknownDialect => f.write_str("neither path nor body belong to a known dialect"),
            Self::Malformed(malformed) => write!(f, "malformed body: {malformed}"),
            Self::NoConversation => f.write_str("no messages, input or contents"),
            Self::NotAnArray => f.write_str("messages, input or contents is not an array"),
            Self::NoUserTurn => f.write_str("no user turn"),
        }
    }
}

impl core::error::Error for NoFingerprint {}
