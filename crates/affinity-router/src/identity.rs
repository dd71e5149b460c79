/// What is known about the conversation that a request belongs to, already hashed.
///
/// A plain value that borrows the links; building one costs nothing.
#[derive(Clone, Copy, Default)]
pub struct Identity<'a> {
    pub(crate) session: Option<u64>,
    pub(crate) links: &'a [u64],
    pub(crate) opener: Option<usize>,
    pub(crate) prefix_bytes: usize,
}

impl<'a> Identity<'a> {
    /// Nothing is known: the request goes anywhere, spread by weight.
    #[must_use]
    pub const fn anonymous() -> Self {
        Self {
            session: None,
            links: &[],
            opener: None,
            prefix_bytes: 0,
        }
    }

    /// A session id, hashed by [`Scope::fingerprint`](affinity_hash::Scope::fingerprint).
    #[must_use]
    pub const fn session(session: u64) -> Self {
        Self::anonymous().with_session(session)
    }

    /// The conversation's chain: one link per entry, first to last.
    ///
    /// `opener` is the index of the link that ends the first user turn. `None` means there is no
    /// user turn yet: such a prefix is shared by everybody with the same system prompt, so it
    /// gives an order but is never remembered. `prefix_bytes` is the length of all entries.
    #[must_use]
    pub const fn chain(links: &'a [u64], opener: Option<usize>, prefix_bytes: usize) -> Self {
        Self {
            session: None,
            links,
            opener,
            prefix_bytes,
        }
    }

    /// The same identity with a session id, which decides before the chain does.
    #[must_use]
    pub const fn with_session(mut self, session: u64) -> Self {
        self.session = Some(session);
        self
    }

    /// The link that every turn of the conversation shares and other conversations do not.
    pub(crate) fn opener_link(&self) -> Option<u64> {
        self.links.get(self.opener?).copied()
    }
}

/// Links and session ids identify people's conversations: only their shape is shown.
impl std::fmt::Debug for Identity<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Identity")
            .field("session", &self.session.is_some())
            .field("links", &self.links.len())
            .field("opener", &self.opener)
            .field("prefix_bytes", &self.prefix_bytes)
            .finish()
    }
}
