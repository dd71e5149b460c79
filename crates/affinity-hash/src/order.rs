//! The order of a list that is given with the key.

use alloc::vec::Vec;

use crate::mix::spread;
use crate::rapid;
use crate::rendezvous::{score, spread_identity};
use crate::sort::sort_into;

/// All indices of `identities`, in the order of preference for this key.
///
/// A permutation of `0..identities.len()` whatever the input. Which identity comes when depends on
/// the set of them and not on their places in the list: take one away and the others keep their
/// order, so fail-over spreads over all, and only the keys of the one that left move. Repeated
/// identities stand side by side, by index. An empty key is a key like any other.
///
/// Hashes every identity: for a list that stays, build [`Candidates`](crate::Candidates).
///
/// ```
/// use affinity_hash::order;
///
/// let accounts = ["acct-1", "acct-2", "acct-3"];
/// let order = order("session-1", &accounts);
/// assert_eq!(accounts[order[0]], affinity_hash::pick("session-1", &accounts).unwrap());
/// ```
#[must_use]
pub fn order<I: AsRef<str>>(key: &str, identities: &[I]) -> Vec<usize> {
    let mut out = Vec::with_capacity(identities.len());
    order_into(key, identities, &mut out);
    out
}

/// [`order`], into a buffer that is cleared first. Does not allocate if it has room.
pub fn order_into<I: AsRef<str>>(key: &str, identities: &[I], out: &mut Vec<usize>) {
    let key = spread(rapid::hash(key.as_bytes()));
    sort_into(
        out,
        identities.len(),
        |i| !score(key, spread_identity(identities[i].as_ref())),
        |a, b| {
            let text = |i: usize| identities[i].as_ref();
            text(a).cmp(text(b)).then(a.cmp(&b))
        },
    );
}
