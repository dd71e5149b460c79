use std::fmt;

use crate::channel::Channel;
use crate::channels::{Channels, Order};
use crate::demotion::Demoted;
use crate::router::Router;
use crate::ticket::Ticket;

/// What decided the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Source {
    /// The session id: the channel remembered for it, else rendezvous hashing of it.
    Session {
        /// Whether a channel was remembered.
        remembered: bool,
    },
    /// The memory of an earlier turn.
    Memory {
        /// How many of the request's links the earlier turn had.
        depth: usize,
        /// How many links the request has.
        of: usize,
    },
    /// Rendezvous hashing of the link that ends the first user turn, or of the last link where
    /// there is no user turn.
    Opener,
    /// Nothing: the order spreads requests by weight.
    None,
}

/// The order in which to try a request's channels, and what is needed to report who served it.
///
/// Dropping a decision binds nothing.
///
/// ```
/// use std::time::Duration;
/// use affinity_router::{Channels, Identity, Router};
///
/// # fn send(account: &str) -> Result<&'static str, Duration> {
/// #     if account == "acct-1" { Ok("an answer") } else { Err(Duration::from_secs(5)) }
/// # }
/// let router = Router::builder().build();
/// let channels = Channels::new(["acct-1", "acct-2"].map(|name| router.channel(name)));
/// let session = router.scope(None, None).fingerprint(b"session-1");
///
/// // `send` is yours: an answer, or how long to leave the account alone.
/// let decision = router.route(Identity::session(session), &channels);
/// let answer = decision.order().iter().find_map(|&position| {
///     let channel = channels.get(position)?;
///     let _in_flight = channel.begin();
///     match send(channel.name()) {
///         Ok(answer) => {
///             decision.served(position);
///             Some(answer)
///         }
///         Err(wait) => {
///             router.cool_for(channel, wait);
///             None
///         }
///     }
/// });
/// assert_eq!(answer, Some("an answer"));
/// ```
#[must_use = "the order is the point; report who served with `served`"]
pub struct Decision<'a> {
    pub(crate) router: &'a Router,
    pub(crate) channels: &'a Channels,
    pub(crate) order: Order,
    pub(crate) source: Source,
    pub(crate) home: Option<usize>,
    pub(crate) demoted: Option<Demoted>,
    pub(crate) ticket: Ticket,
}

impl Decision<'_> {
    /// All positions of the channels, each once, in the order to try them.
    #[must_use]
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// The channels in the order to try them.
    pub fn channels(&self) -> impl Iterator<Item = &Channel> {
        self.order.iter().filter_map(|&p| self.channels.get(p))
    }

    /// What decided the order.
    #[must_use]
    pub fn source(&self) -> Source {
        self.source
    }

    /// The position of the channel that the conversation belongs to: the remembered one, else
    /// the first by rendezvous hashing. `None` without an identity.
    #[must_use]
    pub fn home(&self) -> Option<usize> {
        self.home
    }

    /// Whether the home is a channel that served the conversation before.
    #[must_use]
    pub fn is_remembered(&self) -> bool {
        matches!(
            self.source,
            Source::Memory { .. } | Source::Session { remembered: true }
        )
    }

    /// Why the home is not first in the order; `None` when it is. (When all channels are demoted
    /// the order is as if none were, and the reason is still given.)
    #[must_use]
    pub fn demoted(&self) -> Option<Demoted> {
        self.demoted
    }

    /// What [`Router::served`] needs once this decision is gone.
    #[must_use]
    pub fn ticket(&self) -> Ticket {
        self.ticket
    }

    /// The channel at this position answered: the conversation is bound to it, whoever had it
    /// before. See [`Router::served`].
    ///
    /// # Panics
    /// If `position` is not one of [`order`](Self::order).
    pub fn served(&self, position: usize) {
        self.router.served(&self.ticket, self.channel(position));
    }

    /// The channel at this position answered in place of the home, which keeps the conversation.
    /// See [`Router::spilled`].
    ///
    /// # Panics
    /// If `position` is not one of [`order`](Self::order).
    pub fn spilled(&self, position: usize) {
        self.router.spilled(&self.ticket, self.channel(position));
    }

    fn channel(&self, position: usize) -> &Channel {
        self.channels
            .get(position)
            .expect("a position of this decision's channels")
    }
}

impl fmt::Debug for Decision<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decision")
            .field("order", &self.order)
            .field("source", &self.source)
            .field("home", &self.home)
            .field("demoted", &self.demoted)
            .finish_non_exhaustive()
    }
}
