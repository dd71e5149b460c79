/// What a [`Decision`](crate::Decision) will bind, without the decision: small, `Copy`, and free
/// of borrows, for a caller whose answer comes long after (a stream in another task).
///
/// Dropping it binds nothing.
#[derive(Clone, Copy)]
pub struct Ticket {
    /// The fingerprint to bind: the session's, else the chain's last link.
    pub(crate) bind: Option<u64>,
    /// The conversation's opener: forgetting a conversation marks it for all its turns.
    pub(crate) opener: Option<u64>,
    /// The generation in which the decision was made.
    pub(crate) generation: u64,
    /// When the decision was made, in nanoseconds since the router's anchor.
    pub(crate) decided_at: u64,
}

/// The fingerprints stay private.
impl std::fmt::Debug for Ticket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ticket")
            .field("binds", &self.bind.is_some())
            .field("generation", &self.generation)
            .finish_non_exhaustive()
    }
}
