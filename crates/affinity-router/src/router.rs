use std::collections::HashMap;
use std::fmt;
use std::mem;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use affinity_hash::{BoundedLoad, Key, Scope, mix13};
use affinity_table::{At, Stats, Table};
use quanta::{Clock, Instant};

use crate::builder::Builder;
use crate::channel::{Channel, ChannelId, State};
use crate::channels::{Channels, Order};
use crate::decision::{Decision, Source};
use crate::demotion::{Demoted, demote};
use crate::generations::{Generations, raise, since};
use crate::identity::Identity;
use crate::ticket::Ticket;

/// Marks of forgotten fingerprints.
const SLOTS: usize = 256;

/// Decides the order of channels for each request, and learns from who served it.
///
/// `Send + Sync`; [`route`](Self::route) and [`served`](Self::served) each take one shard's lock
/// of the memory table at a time and nothing else.
pub struct Router {
    table: Table<ChannelId>,
    generations: Generations,
    /// For cooldowns. Requests take the table's time, which is cheaper and may be a tick behind, never
    /// ahead: no decision made before a cooldown counts as made since.
    clock: Clock,
    ttl: Duration,
    min_prefix_bytes: usize,
    remember_sessions: bool,
    scope_model: bool,
    bounded_load: Option<BoundedLoad>,
    key: Option<Key>,
    /// The latest end of any cooldown: after it nobody cools down, and nobody needs to be asked.
    cooling_until: AtomicU64,
    /// How many requests without identity there were: each gets an order of its own.
    anonymous: AtomicU64,
    /// Every name that was ever a channel; its number is never given to another.
    names: Mutex<HashMap<Box<str>, Arc<State>>>,
}

impl Router {
    /// Settings to start from.
    #[must_use]
    pub fn builder() -> Builder {
        Builder::default()
    }

    pub(crate) fn from_builder(builder: Builder) -> Self {
        let mut table = Table::builder().limit(builder.limit).ttl(builder.ttl);
        if let Some(clock) = &builder.clock {
            table = table.clock(clock.clone());
        }
        Self {
            table: table.build(),
            generations: Generations::new(SLOTS),
            clock: builder.clock.unwrap_or_default(),
            ttl: builder.ttl,
            min_prefix_bytes: builder.min_prefix_bytes,
            remember_sessions: builder.remember_sessions,
            scope_model: builder.scope_model,
            bounded_load: builder.bounded_load,
            key: builder.key,
            cooling_until: AtomicU64::new(0),
            anonymous: AtomicU64::new(0),
            names: Mutex::default(),
        }
    }

    /// The channel of this name, with default settings. The name is the channel's identity: the
    /// same name is the same account, today and after it was removed and came back.
    ///
    /// Takes a lock and is meant for configuration, not for requests. A name is kept for the
    /// router's life.
    #[must_use]
    pub fn channel(&self, name: &str) -> Channel {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        let state = match names.get(name) {
            Some(state) => Arc::clone(state),
            None => {
                let id = u32::try_from(names.len()).expect("fewer than 2^32 channel names");
                let state = Arc::new(State::new(ChannelId(id), name));
                names.insert(name.into(), Arc::clone(&state));
                state
            }
        };
        Channel {
            state,
            weight: 1,
            ttl: None,
            max_in_flight: u32::MAX,
        }
    }

    /// Where the fingerprints of one tenant's requests for one model begin. Conversations in
    /// different scopes never meet, even when they are equal.
    #[must_use]
    pub fn scope(&self, tenant: Option<&str>, model: Option<&str>) -> Scope {
        let mut scope = self.key.as_ref().map_or_else(Scope::public, Scope::keyed);
        if let Some(tenant) = tenant {
            scope = scope.tenant(tenant.as_bytes());
        }
        match model {
            Some(model) if self.scope_model => scope.model(model.as_bytes()),
            _ => scope,
        }
    }

    /// Decides the order for one request: the remembered channel first if there is one, else
    /// rendezvous hashing; channels that cool down or carry too much behind the others.
    ///
    /// A session id decides before the chain. Parallel first turns of one conversation, and all
    /// replicas, agree without any memory. Does not allocate for up to 16 channels.
    pub fn route<'a>(&'a self, identity: Identity<'_>, channels: &'a Channels) -> Decision<'a> {
        let generation = self.generations.now();
        let now = self.table.now();
        let remembered = self.chain_is_remembered(&identity);
        let bind = match identity.session {
            Some(session) => self.remember_sessions.then_some(session),
            None => identity.links.last().copied().filter(|_| remembered),
        };
        let (source, key, sticky) = self.find(&identity, bind, channels, &now);
        let mut order = channels.order(key);
        if let Some(sticky) = sticky {
            to_front(&mut order, sticky);
        }
        let home = order.first().copied().filter(|_| source != Source::None);
        let ticket = Ticket {
            bind,
            opener: identity.opener_link(),
            generation,
            decided_at: now.nanos(),
        };
        let first = self.demote(channels, &mut order, ticket.decided_at);
        Decision {
            router: self,
            channels,
            order,
            source,
            home,
            demoted: home.and(first),
            ticket,
        }
    }

    /// Strict round robin, for comparison: each call starts one channel further. Weights do not
    /// count; demotion does.
    pub fn rotate<'a>(&'a self, channels: &'a Channels) -> Decision<'a> {
        let ticket = Ticket {
            bind: None,
            opener: None,
            generation: self.generations.now(),
            decided_at: self.table.now().nanos(),
        };
        let mut order: Order = (0..channels.len()).collect();
        if !order.is_empty() {
            let turn = self.anonymous.fetch_add(1, Ordering::Relaxed);
            let start = (turn % order.len() as u64) as usize;
            order.rotate_left(start);
        }
        self.demote(channels, &mut order, ticket.decided_at);
        Decision {
            router: self,
            channels,
            order,
            source: Source::None,
            home: None,
            demoted: None,
            ticket,
        }
    }

    /// Sends channels that cool down or carry too much behind the others; the verdict on the one
    /// that was first.
    fn demote(&self, channels: &Channels, order: &mut Order, now: u64) -> Option<Demoted> {
        // Relaxed: each cooldown is advice about the order, and publishes nothing else.
        let may_demote = now < self.cooling_until.load(Ordering::Relaxed)
            || channels.limited
            || self.bounded_load.is_some();
        if may_demote {
            demote(order, channels, now, self.bounded_load)
        } else {
            None
        }
    }

    /// What decides, the rendezvous key, and the remembered channel's position.
    fn find(
        &self,
        identity: &Identity<'_>,
        bind: Option<u64>,
        channels: &Channels,
        now: &At<'_, ChannelId>,
    ) -> (Source, u64, Option<usize>) {
        if let Some(session) = identity.session {
            let found = bind.and_then(|link| Self::recall(&[link], channels, now));
            let remembered = found.is_some();
            let sticky = found.map(|(position, _)| position);
            return (Source::Session { remembered }, session, sticky);
        }
        let Some(&last) = identity.links.last() else {
            // Relaxed: only that the values differ matters.
            let turn = self.anonymous.fetch_add(1, Ordering::Relaxed);
            return (Source::None, mix13(turn), None);
        };
        let key = identity.opener_link().unwrap_or(last);
        let found = bind.and_then(|_| Self::recall(identity.links, channels, now));
        match found {
            Some((position, depth)) => {
                let of = identity.links.len();
                (Source::Memory { depth, of }, key, Some(position))
            }
            None => (Source::Opener, key, None),
        }
    }

    /// The longest remembered prefix whose channel is among these. A memory of a channel that is
    /// not (it was removed, or cannot serve this request) is stepped over, not followed.
    fn recall(
        links: &[u64],
        channels: &Channels,
        now: &At<'_, ChannelId>,
    ) -> Option<(usize, usize)> {
        let mut rest = links;
        while let Some(found) = now.lookup(rest) {
            if let Some(position) = channels.position(found.channel) {
                return Some((position, found.link + 1));
            }
            rest = &rest[..found.link];
        }
        None
    }

    /// A chain is remembered once it has a user turn and enough bytes.
    fn chain_is_remembered(&self, identity: &Identity<'_>) -> bool {
        identity.opener_link().is_some() && identity.prefix_bytes >= self.min_prefix_bytes
    }

    /// The channel answered a request: binds what the decision was made for to it (the last
    /// success wins), and lifts its cooldown if the decision was made since that began.
    ///
    /// Binds nothing when what the decision was made for was forgotten since.
    pub fn served(&self, ticket: &Ticket, channel: &Channel) {
        channel.state.lift(ticket.decided_at);
        if let Some(fingerprint) = ticket.bind {
            self.bind(fingerprint, ticket, channel);
        }
    }

    /// The channel answered in place of the home, which keeps the conversation. Lifts the
    /// cooldown as [`served`](Self::served) does.
    pub fn spilled(&self, ticket: &Ticket, channel: &Channel) {
        channel.state.lift(ticket.decided_at);
    }

    /// Binds one more session id to the channel that served: one that the answer gave and the
    /// next request will name, such as a response's id.
    pub fn alias(&self, ticket: &Ticket, session: u64, channel: &Channel) {
        if self.remember_sessions {
            self.bind(session, ticket, channel);
        }
    }

    fn bind(&self, fingerprint: u64, ticket: &Ticket, channel: &Channel) {
        let chain = [fingerprint];
        self.generations.bind(
            ticket.generation,
            || self.is_forgotten(fingerprint, ticket, channel),
            || match channel.ttl {
                Some(ttl) => self.table.remember_for(&chain, channel.id(), ttl),
                None => self.table.remember(&chain, channel.id()),
            },
            || {
                self.table.forget(&chain);
            },
        );
    }

    fn is_forgotten(&self, fingerprint: u64, ticket: &Ticket, channel: &Channel) -> bool {
        let marked = |f| self.generations.is_marked_since(f, ticket.generation);
        since(&channel.state.forgotten, ticket.generation)
            || marked(fingerprint)
            || ticket.opener.is_some_and(marked)
    }

    /// Forgets a conversation: its session's memory and those of all its turns. Decisions made
    /// before, for any of its turns, no longer bind. One probe per link.
    pub fn forget(&self, identity: Identity<'_>) {
        let fingerprints = || identity.links.iter().copied().chain(identity.session);
        self.generations.forget(
            |generation| fingerprints().for_each(|f| self.generations.mark(f, generation)),
            || {
                fingerprints().for_each(|f| {
                    self.table.forget(&[f]);
                });
            },
        );
    }

    /// Forgets all memories of a channel, and returns how many there were. Decisions made before
    /// no longer bind to it. Walks the whole table, shard by shard.
    pub fn forget_channel(&self, channel: &Channel) -> usize {
        self.generations.forget(
            |generation| raise(&channel.state.forgotten, generation),
            || self.table.forget_channel(&channel.id()),
        )
    }

    /// Sends the channel behind the others until then. A later end replaces an earlier one, not
    /// the other way round. Memories stay.
    pub fn cool(&self, channel: &Channel, until: Instant) {
        self.cool_until(channel, self.now(), self.nanos(until));
    }

    /// [`cool`](Self::cool), from now on for so long.
    pub fn cool_for(&self, channel: &Channel, duration: Duration) {
        let now = self.now();
        let duration = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        self.cool_until(channel, now, now.saturating_add(duration));
    }

    fn cool_until(&self, channel: &Channel, now: u64, until: u64) {
        channel.state.cool(now, until);
        self.cooling_until.fetch_max(until, Ordering::Relaxed);
    }

    /// How much longer the channel cools down; `None` when it does not.
    #[must_use]
    pub fn cooling(&self, channel: &Channel) -> Option<Duration> {
        let left = channel.state.cooling_until().saturating_sub(self.now());
        (left > 0).then(|| Duration::from_nanos(left))
    }

    /// Memories held, expired ones included until their place is needed.
    #[must_use]
    pub fn memories(&self) -> usize {
        self.table.len()
    }

    /// Removes expired memories, and returns how many there were. Walks the whole table.
    pub fn purge(&self) -> usize {
        self.table.purge()
    }

    /// What the memory table counted since it was made.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.table.stats()
    }

    fn now(&self) -> u64 {
        self.nanos(self.clock.now())
    }

    fn nanos(&self, at: Instant) -> u64 {
        self.table.at(at).nanos()
    }
}

/// Moves a position of the order to the front; what was before it moves one back.
fn to_front(order: &mut Order, position: usize) {
    let mut carried = position;
    for slot in order {
        mem::swap(slot, &mut carried);
        if carried == position {
            return;
        }
    }
}

impl fmt::Debug for Router {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Router")
            .field("memories", &self.memories())
            .field("ttl", &self.ttl)
            .field("min_prefix_bytes", &self.min_prefix_bytes)
            .finish_non_exhaustive()
    }
}
