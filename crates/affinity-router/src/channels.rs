use std::fmt;
use std::sync::Arc;

use affinity_hash::{Candidates, RendezvousKey};
use arc_swap::{ArcSwap, Guard};
use smallvec::SmallVec;

use crate::channel::{Channel, ChannelId};

/// Decisions among up to this many channels stay on the stack.
pub(crate) const INLINE: usize = 16;

/// Positions in a [`Channels`], first choice first.
pub(crate) type Order = SmallVec<[usize; INLINE]>;

/// An immutable list of channels that a request may go to. Positions in it are what a
/// [`Decision`](crate::Decision) orders.
pub struct Channels {
    members: Box<[Channel]>,
    candidates: Candidates,
    /// The members' ids side by side: each remembered channel is looked for among them.
    ids: Box<[ChannelId]>,
    /// Whether any member has a limit of its own.
    pub(crate) limited: bool,
}

impl Channels {
    /// Hashes each channel's name once. A channel given twice stays twice in every order.
    pub fn new(channels: impl IntoIterator<Item = Channel>) -> Self {
        let members: Box<[Channel]> = channels.into_iter().collect();
        let candidates = Candidates::weighted(members.iter().map(|c| (c.name(), c.weight)));
        Self {
            candidates,
            ids: members.iter().map(Channel::id).collect(),
            limited: members.iter().any(|c| c.max_in_flight != u32::MAX),
            members,
        }
    }

    /// How many channels there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The channel at a position.
    #[must_use]
    pub fn get(&self, position: usize) -> Option<&Channel> {
        self.members.get(position)
    }

    /// The channels by position.
    pub fn iter(&self) -> std::slice::Iter<'_, Channel> {
        self.members.iter()
    }

    pub(crate) fn position(&self, id: ChannelId) -> Option<usize> {
        self.ids.iter().position(|other| *other == id)
    }

    /// The rendezvous order of all positions for `key`.
    #[inline]
    pub(crate) fn order(&self, key: impl RendezvousKey) -> Order {
        let n = self.len();
        let mut order = if n <= INLINE {
            Order::from_buf_and_len([0; INLINE], n)
        } else {
            Order::from_vec(vec![0; n])
        };
        self.candidates.order_slice(key, &mut order);
        order
    }
}

impl<'a> IntoIterator for &'a Channels {
    type Item = &'a Channel;
    type IntoIter = std::slice::Iter<'a, Channel>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Debug for Channels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// The current [`Channels`], changed at run time while requests are decided.
///
/// Readers never wait ([`arc_swap`]); a decision keeps the list that it began with. Changes touch
/// no memory: a channel that comes back finds what it had.
///
/// ```
/// use affinity_router::{ChannelSet, Identity, Router};
///
/// let router = Router::builder().build();
/// let set = ChannelSet::new([router.channel("acct-1")]);
/// set.add(router.channel("acct-2").weight(2));
/// assert!(set.reweight("acct-2", 3));
/// assert!(set.remove("acct-1"));
///
/// let channels = set.load();
/// let decision = router.route(Identity::anonymous(), &channels);
/// assert_eq!(channels.get(decision.order()[0]).unwrap().name(), "acct-2");
/// ```
pub struct ChannelSet(ArcSwap<Channels>);

impl ChannelSet {
    /// A set that starts with these channels.
    pub fn new(channels: impl IntoIterator<Item = Channel>) -> Self {
        Self(ArcSwap::from_pointee(Channels::new(channels)))
    }

    /// The channels as they are now. Lock-free; does not allocate.
    pub fn load(&self) -> Guard<Arc<Channels>> {
        self.0.load()
    }

    /// Puts another list in place.
    pub fn replace(&self, channels: impl IntoIterator<Item = Channel>) {
        self.0.store(Arc::new(Channels::new(channels)));
    }

    /// Adds a channel, in place of one of the same name.
    pub fn add(&self, channel: Channel) {
        self.0.rcu(|now| {
            let others = now.iter().filter(|c| c.id() != channel.id()).cloned();
            Channels::new(others.chain([channel.clone()]))
        });
    }

    /// Removes a channel; `false` when there was none of that name.
    pub fn remove(&self, name: &str) -> bool {
        let before = self
            .0
            .rcu(|now| Channels::new(now.iter().filter(|c| c.name() != name).cloned()));
        before.iter().any(|c| c.name() == name)
    }

    /// Gives a channel another weight; `false` when there is none of that name.
    pub fn reweight(&self, name: &str, weight: u32) -> bool {
        let before = self.0.rcu(|now| {
            Channels::new(now.iter().cloned().map(|c| match c.name() == name {
                true => c.weight(weight),
                false => c,
            }))
        });
        before.iter().any(|c| c.name() == name)
    }
}

impl fmt::Debug for ChannelSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ChannelSet").field(&self.load()).finish()
    }
}
