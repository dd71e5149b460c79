//! Conversations and channels for the tests.

use affinity_hash::{Chain, Scope};
use affinity_router::{Channels, Identity, Router};

/// `acct-0` … `acct-(n-1)`.
pub(crate) fn accounts(router: &Router, n: usize) -> Channels {
    Channels::new((0..n).map(|i| router.channel(&format!("acct-{i}"))))
}

/// The links of a conversation under the public scope.
pub(crate) fn links(entries: &[&str]) -> Vec<u64> {
    links_in(Scope::public(), entries)
}

pub(crate) fn links_in(scope: Scope, entries: &[&str]) -> Vec<u64> {
    let mut chain = Chain::new(scope);
    entries.iter().map(|e| chain.push(e.as_bytes())).collect()
}

/// An identity whose second entry ends the first user turn (`[system, user, …]`).
pub(crate) fn talk(links: &[u64]) -> Identity<'_> {
    Identity::chain(links, Some(1), 10_000)
}

/// A different conversation for each number: two links, system and first question.
pub(crate) fn opener(number: usize) -> Vec<u64> {
    links(&["system", &format!("question {number}")])
}

pub(crate) fn is_permutation(order: &[usize], n: usize) -> bool {
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    sorted.into_iter().eq(0..n)
}
