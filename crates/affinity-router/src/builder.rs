use std::time::Duration;

use affinity_hash::{BoundedLoad, Key};
use quanta::Clock;

use crate::router::Router;

/// Settings of a [`Router`].
#[derive(Clone)]
pub struct Builder {
    pub(crate) limit: usize,
    pub(crate) ttl: Duration,
    pub(crate) min_prefix_bytes: usize,
    pub(crate) key: Option<Key>,
    pub(crate) scope_model: bool,
    pub(crate) remember_sessions: bool,
    pub(crate) bounded_load: Option<BoundedLoad>,
    pub(crate) clock: Option<Clock>,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            limit: 100_000,
            ttl: crate::ttl::ANTHROPIC_5M,
            min_prefix_bytes: 0,
            key: None,
            scope_model: true,
            remember_sessions: true,
            bounded_load: None,
            clock: None,
        }
    }
}

impl Builder {
    /// How many memories are kept: about requests per second times ttl. 100,000 by default.
    #[must_use]
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// How long a memory lives after its last use, where the channel does not say. It should be
    /// at least the provider's. Five minutes by default.
    #[must_use]
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.ttl = ttl;
        self
    }

    /// Chains of fewer bytes are ordered without memory and not remembered: providers do not
    /// cache short prefixes. Longer turns of the same conversation are. It does not apply to
    /// session ids, which are the client's own word. 0 by default.
    #[must_use]
    pub fn min_prefix_bytes(mut self, bytes: usize) -> Self {
        self.min_prefix_bytes = bytes;
        self
    }

    /// Fingerprints under a secret, equal on all replicas, so that clients cannot aim at
    /// another's. Unkeyed by default.
    #[must_use]
    pub fn key(mut self, key: Key) -> Self {
        self.key = Some(key);
        self
    }

    /// Whether conversations with different models are different conversations, as they are for
    /// a provider's cache. `true` by default.
    #[must_use]
    pub fn scope_model(mut self, yes: bool) -> Self {
        self.scope_model = yes;
        self
    }

    /// Whether the channel that served a session is remembered, so that a session that failed
    /// over stays where it went. Without, a session id decides by rendezvous hashing alone.
    /// `true` by default.
    #[must_use]
    pub fn remember_sessions(mut self, yes: bool) -> Self {
        self.remember_sessions = yes;
        self
    }

    /// Sends channels with more than their share of the requests in flight behind the others.
    /// A factor below 150 % costs many cache hits. Off by default.
    #[must_use]
    pub fn bounded_load(mut self, bound: BoundedLoad) -> Self {
        self.bounded_load = Some(bound);
        self
    }

    /// The source of time; a mock in tests and simulations. Each call reads it at most once.
    ///
    /// By default time is real, and on Linux that of requests may lag by a tick of the kernel's, mostly
    /// 1 to 10 ms: a cooldown may end that much late, and a decision made within a tick after it began may
    /// count as made before.
    ///
    /// ```
    /// use std::time::Duration;
    /// use affinity_router::{Clock, Router};
    ///
    /// let (clock, time) = Clock::mock();
    /// let router = Router::builder().clock(clock.clone()).build();
    /// let channel = router.channel("acct-1");
    /// router.cool(&channel, clock.now() + Duration::from_secs(5));
    /// time.increment(Duration::from_secs(4));
    /// assert_eq!(router.cooling(&channel), Some(Duration::from_secs(1)));
    /// ```
    #[must_use]
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = Some(clock);
        self
    }

    /// The router. Allocates the memory table.
    #[must_use]
    pub fn build(self) -> Router {
        Router::from_builder(self)
    }
}

impl std::fmt::Debug for Builder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Builder")
            .field("limit", &self.limit)
            .field("ttl", &self.ttl)
            .field("min_prefix_bytes", &self.min_prefix_bytes)
            .field("keyed", &self.key.is_some())
            .field("scope_model", &self.scope_model)
            .field("remember_sessions", &self.remember_sessions)
            .field("bounded_load", &self.bounded_load)
            .finish_non_exhaustive()
    }
}
