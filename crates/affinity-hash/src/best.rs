//! The best few of a list, in one walk.

use crate::candidates::Candidates;
use crate::first::First;
use crate::rank::Rank;
use crate::rendezvous::score;

/// The positions of the best `K` candidates, in order: of all, or of those that come after `last`.
#[inline]
pub(crate) fn best<const K: usize>(
    candidates: &Candidates,
    spread_key: u64,
    last: Option<usize>,
) -> First<K> {
    if candidates.is_weighted() {
        best_of_groups(candidates, spread_key, last)
    } else {
        best_scores(candidates.spread(), spread_key, last)
    }
}

fn best_scores<const K: usize>(spread: &[u64], spread_key: u64, last: Option<usize>) -> First<K> {
    let mut best = Best::new();
    match last {
        None => {
            for (position, &identity) in spread.iter().enumerate() {
                best.offer((score(spread_key, identity), position), is_before);
            }
        }
        Some(last) => {
            let last = (score(spread_key, spread[last]), last);
            for (position, &identity) in spread.iter().enumerate() {
                let offered = (score(spread_key, identity), position);
                if is_before(&last, &offered) {
                    best.offer(offered, is_before);
                }
            }
        }
    }
    best.positions(|&(_, position)| position)
}

#[inline(always)]
fn is_before(a: &(u64, usize), b: &(u64, usize)) -> bool {
    a.0 > b.0 || (a.0 == b.0 && a.1 < b.1)
}

fn best_of_groups<const K: usize>(
    candidates: &Candidates,
    spread_key: u64,
    last: Option<usize>,
) -> First<K> {
    let last = last.map(|last| candidates.rank(spread_key, last));
    let mut best = Best::new();
    for group in candidates.groups() {
        // Who scores no more than one that was not good enough is not good enough either.
        let mut refused = None;
        for position in group.clone() {
            let score = score(spread_key, candidates.spread()[position]);
            if refused.is_some_and(|refused| score <= refused) {
                continue;
            }
            let rank = candidates.rank(spread_key, position);
            if last.is_none_or(|last| last.is_before(&rank)) && !best.offer(rank, Rank::is_before) {
                refused = Some(score);
            }
        }
    }
    best.positions(Rank::position)
}

/// The best `K` of what was offered, in order.
struct Best<T, const K: usize> {
    items: [Option<T>; K],
    len: usize,
}

impl<T: Copy, const K: usize> Best<T, K> {
    fn new() -> Self {
        Self {
            items: [None; K],
            len: 0,
        }
    }

    /// False if `K` others are before it.
    #[inline(always)]
    fn offer(&mut self, offered: T, is_before: impl Fn(&T, &T) -> bool) -> bool {
        if self.len < K {
            self.len += 1;
        } else if !matches!(self.items.last(), Some(Some(worst)) if is_before(&offered, worst)) {
            return false;
        }
        let mut at = self.len - 1;
        while at > 0
            && let Some(previous) = self.items[at - 1]
            && is_before(&offered, &previous)
        {
            self.items[at] = Some(previous);
            at -= 1;
        }
        self.items[at] = Some(offered);
        true
    }

    fn positions(&self, position: impl Fn(&T) -> usize) -> First<K> {
        let mut first = First::EMPTY;
        for item in self.items.iter().flatten() {
            first.push(position(item));
        }
        first
    }
}
