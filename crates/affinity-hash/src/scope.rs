//! Where a chain starts.

use core::fmt;

use siphasher::sip::SipHasher13;

use crate::key::Key;
use crate::link::{self, Kind};
use crate::rapid;

/// The state that a chain starts from: public or keyed, then tenant, model and salt.
///
/// Equal conversations in different scopes have nothing in common. Each part is a typed link: the
/// tenant `x` differs from the salt `x`, the model `x` and a first entry `x`, and the order of the
/// calls counts. The scope's links are not among a chain's links. `Copy`, 80 bytes: build it once
/// per tenant and model and keep it.
///
/// ```
/// use affinity_hash::{Chain, Scope};
///
/// let mut acme = Chain::new(Scope::public().tenant(b"acme"));
/// let mut other = Chain::new(Scope::public().tenant(b"other"));
/// assert_ne!(acme.push(b"hello"), other.push(b"hello"));
/// assert_ne!(Scope::public().tenant(b"x").fingerprint(b""), Scope::public().salt(b"x").fingerprint(b""));
/// ```
#[derive(Clone, Copy)]
pub struct Scope(State);

#[derive(Clone, Copy)]
pub(crate) enum State {
    Public(u64),
    Keyed(SipHasher13),
}

impl Scope {
    /// The scope without a secret: fast, and anybody who chooses the bytes can make two
    /// conversations collide.
    #[must_use]
    pub const fn public() -> Self {
        Self(State::Public(link::START))
    }

    /// The scope under a secret, which clients who choose the bytes cannot collide.
    #[must_use]
    pub fn keyed(key: &Key) -> Self {
        Self(State::Keyed(key.prf()))
    }

    /// This scope, for one tenant.
    #[must_use]
    pub fn tenant(self, tenant: &[u8]) -> Self {
        self.with(Kind::Tenant, tenant)
    }

    /// This scope, for one model.
    #[must_use]
    pub fn model(self, model: &[u8]) -> Self {
        self.with(Kind::Model, model)
    }

    /// This scope, apart from those with another salt.
    #[must_use]
    pub fn salt(self, salt: &[u8]) -> Self {
        self.with(Kind::Salt, salt)
    }

    /// The fingerprint of one id, such as a session's, in this scope.
    ///
    /// An id is a kind of its own: its fingerprint is never the link of an entry of the same
    /// bytes.
    #[must_use]
    pub fn fingerprint(self, id: &[u8]) -> u64 {
        let (_, link) = self.0.after(Kind::Id, id);
        link
    }

    pub(crate) const fn state(self) -> State {
        self.0
    }

    fn with(self, kind: Kind, bytes: &[u8]) -> Self {
        let (state, _) = self.0.after(kind, bytes);
        Self(state)
    }
}

impl State {
    fn after(self, kind: Kind, bytes: &[u8]) -> (Self, u64) {
        match self {
            Self::Public(state) => {
                let link = link::step(state, rapid::hash(bytes), kind, bytes.len() as u64);
                (Self::Public(link), link)
            }
            Self::Keyed(mut prf) => {
                let link = link::absorb(&mut prf, bytes, kind);
                (Self::Keyed(prf), link)
            }
        }
    }
}

impl Default for Scope {
    fn default() -> Self {
        Self::public()
    }
}

impl fmt::Debug for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            State::Public(_) => "Scope(public, ..)",
            State::Keyed(_) => "Scope(keyed, ..)",
        })
    }
}
