use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

/// What the memories hold for a channel: a number that a [`Router`](crate::Router) gives to each
/// name once and never to another, so it survives every reload of the channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChannelId(pub(crate) u32);

/// One upstream account: a cheap handle (one `Arc`) with the settings it was given.
///
/// Made by [`Router::channel`](crate::Router::channel). All handles of one name share its load,
/// its cooldown and its memories; weight, ttl and limit belong to the handle, so a new
/// configuration takes effect with the set that holds the new handle.
#[derive(Clone)]
pub struct Channel {
    pub(crate) state: Arc<State>,
    pub(crate) weight: u32,
    pub(crate) ttl: Option<Duration>,
    pub(crate) max_in_flight: u32,
}

/// What all handles of one channel share.
// Aligned so that one channel's counters never share a cache line with another's.
#[repr(align(128))]
pub(crate) struct State {
    pub(crate) id: ChannelId,
    name: Box<str>,
    in_flight: AtomicU32,
    /// Nanoseconds since the router's anchor; cooling while the time is before it.
    cooling_until: AtomicU64,
    /// When the latest cooldown began, in the same unit.
    cooled_at: AtomicU64,
    /// Generation at which the channel's memories were last forgotten.
    pub(crate) forgotten: AtomicU64,
}

impl State {
    pub(crate) fn new(id: ChannelId, name: &str) -> Self {
        Self {
            id,
            name: name.into(),
            in_flight: AtomicU32::new(0),
            cooling_until: AtomicU64::new(0),
            cooled_at: AtomicU64::new(0),
            forgotten: AtomicU64::new(0),
        }
    }

    // Relaxed throughout: each value is read alone, as advice about the order, and publishes
    // nothing else.

    pub(crate) fn load(&self) -> u32 {
        self.in_flight.load(Ordering::Relaxed)
    }

    pub(crate) fn is_cooling(&self, now: u64) -> bool {
        now < self.cooling_until.load(Ordering::Relaxed)
    }

    pub(crate) fn cooling_until(&self) -> u64 {
        self.cooling_until.load(Ordering::Relaxed)
    }

    pub(crate) fn cool(&self, now: u64, until: u64) {
        self.cooled_at.store(now, Ordering::Relaxed);
        self.cooling_until.fetch_max(until, Ordering::Relaxed);
    }

    /// Lifts the cooldown, if the request that succeeded was decided after it began: a success
    /// that was already under way says nothing about the channel since.
    pub(crate) fn lift(&self, decided_at: u64) {
        if self.cooling_until.load(Ordering::Relaxed) != 0
            && self.cooled_at.load(Ordering::Relaxed) <= decided_at
        {
            self.cooling_until.store(0, Ordering::Relaxed);
        }
    }
}

impl Channel {
    /// Its share of the conversations, relative to the other channels' weights. 1 by default; 0
    /// ranks the channel last, but never hides it.
    #[must_use]
    pub const fn weight(mut self, weight: u32) -> Self {
        self.weight = weight;
        self
    }

    /// How long a memory of this channel lives after its last use: the lifetime of the provider's
    /// prompt cache (see [`ttl`](crate::ttl)). The router's ttl by default.
    #[must_use]
    pub const fn ttl(mut self, ttl: Duration) -> Self {
        self.ttl = Some(ttl);
        self
    }

    /// With this many requests in flight the channel goes behind the others. No limit by default.
    #[must_use]
    pub const fn max_in_flight(mut self, max: u32) -> Self {
        self.max_in_flight = max;
        self
    }

    /// The channel's name, which is also its identity in rendezvous hashing.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.state.name
    }

    /// What memories of this channel hold.
    #[must_use]
    pub fn id(&self) -> ChannelId {
        self.state.id
    }

    /// Requests in flight now.
    #[must_use]
    pub fn in_flight(&self) -> u32 {
        self.state.load()
    }

    /// Counts a request as in flight until the guard is dropped. One atomic addition.
    pub fn begin(&self) -> InFlight {
        self.state.in_flight.fetch_add(1, Ordering::Relaxed);
        InFlight(Arc::clone(&self.state))
    }
}

/// Shows the settings and the load.
impl fmt::Debug for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Channel")
            .field("name", &self.name())
            .field("weight", &self.weight)
            .field("ttl", &self.ttl)
            .field("in_flight", &self.in_flight())
            .finish_non_exhaustive()
    }
}

/// A request in flight on a channel; dropping it ends the request.
#[must_use = "the request counts as in flight only while this is held"]
pub struct InFlight(Arc<State>);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}

impl fmt::Debug for InFlight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("InFlight").field(&self.0.name).finish()
    }
}
