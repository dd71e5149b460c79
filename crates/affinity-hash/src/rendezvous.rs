//! Rendezvous hashing (highest random weight): the score of a candidate under a key.

use crate::mix::{settle, spread};
use crate::rapid;

/// Sets an identity's hash apart from the hash of a key with the same text, whose score would
/// otherwise be `mix13(0)`, always the lowest. The digits of pi after [`START`](crate::link::START).
const IDENTITY: u64 = 0x1319_8a2e_0370_7344;

/// What a candidate is ranked by, with the key: computed once per candidate.
#[inline]
pub(crate) fn spread_identity(identity: &str) -> u64 {
    spread(rapid::hash(identity.as_bytes()) ^ IDENTITY)
}

/// `mix13(key ^ identity)` of what was spread before. Higher is earlier; different identities do
/// not score alike under one key unless their hashes are equal.
#[inline(always)]
pub(crate) const fn score(spread_key: u64, spread_identity: u64) -> u64 {
    settle(spread_key ^ spread_identity)
}

/// What candidates can be ranked by: text or bytes, which are hashed, or a `u64` as it is.
///
/// `"x"`, `b"x"` and a `String` of it are the same key. A `u64` is taken for a fingerprint, such
/// as a chain's link; small numbers are fine too. A key may be empty: every empty key has the same
/// order. Text is hashed by the public hash; for keys that clients choose, rank by
/// [`Scope::fingerprint`](crate::Scope::fingerprint) of a keyed scope.
pub trait RendezvousKey: sealed::Mixed {}

impl<K: sealed::Mixed> RendezvousKey for K {}

mod sealed {
    use crate::rapid;

    pub trait Mixed {
        fn mixed(&self) -> u64;
    }

    impl Mixed for u64 {
        #[inline]
        fn mixed(&self) -> u64 {
            *self
        }
    }

    impl Mixed for [u8] {
        #[inline]
        fn mixed(&self) -> u64 {
            rapid::hash(self)
        }
    }

    impl<const N: usize> Mixed for [u8; N] {
        #[inline]
        fn mixed(&self) -> u64 {
            rapid::hash(self)
        }
    }

    impl Mixed for str {
        #[inline]
        fn mixed(&self) -> u64 {
            rapid::hash(self.as_bytes())
        }
    }

    #[cfg(feature = "alloc")]
    impl Mixed for alloc::string::String {
        #[inline]
        fn mixed(&self) -> u64 {
            rapid::hash(self.as_bytes())
        }
    }

    impl<K: Mixed + ?Sized> Mixed for &K {
        #[inline]
        fn mixed(&self) -> u64 {
            (**self).mixed()
        }
    }
}

/// The identity that ranks first for this key; `None` if there is none to choose from.
///
/// The first of [`order`](crate::order). Depends on the set of identities and not on their places
/// in the list. Hashes every identity: for a list that stays, build [`Candidates`](crate::Candidates).
///
/// ```
/// use affinity_hash::pick;
///
/// assert_eq!(pick("session-1", &["a", "b", "c"]), pick("session-1", &["c", "a", "b"]));
/// assert_eq!(pick::<&str>("session-1", &[]), None);
/// ```
#[must_use]
pub fn pick<'a, I: AsRef<str>>(key: &str, identities: &'a [I]) -> Option<&'a str> {
    let key = spread(rapid::hash(key.as_bytes()));
    let mut identities = identities.iter().map(AsRef::as_ref);
    let mut best = identities.next()?;
    let mut best_score = score(key, spread_identity(best));
    for identity in identities {
        let score = score(key, spread_identity(identity));
        if score > best_score || (score == best_score && identity < best) {
            (best, best_score) = (identity, score);
        }
    }
    Some(best)
}
