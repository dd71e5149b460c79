//! Chains one after another in one buffer.

use alloc::vec::Vec;
use core::fmt;

use crate::chain::Chain;
use crate::scope::Scope;

/// A [`Chain`] that keeps its links, in a buffer that serves the next request too.
///
/// Once the buffer has grown to the longest conversation, nothing allocates.
///
/// ```
/// use affinity_hash::{ChainBuilder, Scope, chain};
///
/// let mut builder = ChainBuilder::new();
/// builder.push(b"system");
/// builder.piece(b"hel");
/// builder.piece(b"lo");
/// builder.end();
/// assert_eq!(builder.links(), chain(&["system", "hello"]));
/// assert_eq!(builder.prefix_bytes(), 11);
///
/// builder.start(Scope::public().tenant(b"acme"));
/// assert!(builder.is_empty());
/// ```
#[derive(Clone, Default)]
pub struct ChainBuilder {
    scope: Scope,
    chain: Chain,
    links: Vec<u64>,
    /// Bytes of all entries, of the open one too.
    bytes: u64,
}

impl ChainBuilder {
    /// An empty chain in the public scope. Does not allocate.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty chain in this scope. Does not allocate.
    #[must_use]
    pub fn with_scope(scope: Scope) -> Self {
        Self {
            scope,
            chain: Chain::new(scope),
            ..Self::default()
        }
    }

    /// Begins a new chain in this scope; the buffer stays.
    pub fn start(&mut self, scope: Scope) {
        self.scope = scope;
        self.clear();
    }

    /// Begins a new chain in the same scope; the buffer stays.
    pub fn clear(&mut self) {
        self.chain = Chain::new(self.scope);
        self.links.clear();
        self.bytes = 0;
    }

    /// [`Chain::push`], and keeps the link.
    #[inline]
    pub fn push(&mut self, bytes: &[u8]) -> u64 {
        self.bytes = self.bytes.wrapping_add(bytes.len() as u64);
        let link = self.chain.push(bytes);
        self.links.push(link);
        link
    }

    /// [`Chain::piece`].
    #[inline]
    pub fn piece(&mut self, bytes: &[u8]) {
        self.bytes = self.bytes.wrapping_add(bytes.len() as u64);
        self.chain.piece(bytes);
    }

    /// [`Chain::end`], and keeps the link.
    #[inline]
    pub fn end(&mut self) -> u64 {
        let link = self.chain.end();
        self.links.push(link);
        link
    }

    /// The links of the ended entries, the first entry's first.
    #[inline]
    #[must_use]
    pub fn links(&self) -> &[u64] {
        &self.links
    }

    /// Bytes of the ended entries together, at most `usize::MAX`.
    #[inline]
    #[must_use]
    pub fn prefix_bytes(&self) -> usize {
        let ended = self.bytes.wrapping_sub(self.chain.open_bytes());
        usize::try_from(ended).unwrap_or(usize::MAX)
    }

    /// How many entries were ended.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.links.len()
    }

    /// Whether no entry was ended.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.links.is_empty()
    }
}

impl fmt::Debug for ChainBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChainBuilder")
            .field("scope", &self.scope)
            .field("len", &self.len())
            .field("prefix_bytes", &self.prefix_bytes())
            .finish()
    }
}
