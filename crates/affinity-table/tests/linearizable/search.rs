//! The search for a legal order (Wing and Gong 1993, with the states already seen kept as Lowe 2017
//! does): take any step that no other step surely came before, and go on if the specification agrees.

use std::collections::HashSet;

use crate::record::{History, Timed};
use crate::spec::Spec;

/// Whether the steps have an order in which each saw what `spec` would have shown it, and in which no
/// step comes before one that ended before it began, nor before an earlier one of its thread.
pub(crate) fn is_linearizable(spec: &Spec, history: &History) -> bool {
    let taken = vec![0; history.threads.len()];
    go_on(history, spec, &taken, &mut HashSet::new())
}

type State = (Vec<usize>, Spec);

fn go_on(history: &History, spec: &Spec, taken: &[usize], seen: &mut HashSet<State>) -> bool {
    let heads: Vec<(usize, &Timed)> = (0..taken.len())
        .filter_map(|thread| Some((thread, history.threads[thread].get(taken[thread])?)))
        .collect();
    // The first to end of those left: whatever began after that came after it.
    let Some(bar) = heads.iter().map(|(_, timed)| timed.end).min() else {
        return true;
    };
    heads
        .into_iter()
        .filter(|(_, timed)| timed.start <= bar)
        .any(|(thread, timed)| {
            let mut spec = spec.clone();
            let mut taken = taken.to_vec();
            taken[thread] += 1;
            spec.takes(&timed.step)
                && seen.insert((taken.clone(), spec.clone()))
                && go_on(history, &spec, &taken, seen)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Step;

    fn remember(key: u64, channel: u32) -> Step {
        Step::Remember {
            key,
            channel,
            ttl: 10,
            now: 0,
        }
    }

    fn recall(key: u64, saw: Option<u32>) -> Step {
        Step::Probe {
            key,
            now: 0,
            renews: true,
            saw,
        }
    }

    fn timed(start: u64, end: u64, step: Step) -> Timed {
        Timed { start, end, step }
    }

    fn legal(limit: u64, threads: Vec<Vec<Timed>>) -> bool {
        is_linearizable(&Spec::new(limit), &History { threads })
    }

    #[test]
    fn calls_that_overlap_may_take_effect_in_either_order() {
        for saw in [None, Some(7)] {
            let writer = vec![timed(0, 3, remember(1, 7))];
            let reader = vec![timed(1, 2, recall(1, saw))];
            assert!(legal(1, vec![writer, reader]));
        }
    }

    #[test]
    fn a_call_that_came_after_must_see_what_came_before() {
        let writer = || vec![timed(0, 1, remember(1, 7))];
        assert!(legal(
            1,
            vec![writer(), vec![timed(2, 3, recall(1, Some(7)))]]
        ));
        assert!(!legal(
            1,
            vec![writer(), vec![timed(2, 3, recall(1, None))]]
        ));
    }

    #[test]
    fn without_real_time_each_threads_own_order_is_kept() {
        let whenever = |step| timed(0, u64::MAX, step);
        let writer = || vec![whenever(remember(1, 7)), whenever(remember(2, 8))];
        let seen_in_order = vec![whenever(recall(2, None)), whenever(recall(1, None))];
        assert!(legal(2, vec![writer(), seen_in_order]));
        let seen_against_it = vec![whenever(recall(2, Some(8))), whenever(recall(1, None))];
        assert!(!legal(2, vec![writer(), seen_against_it]));
    }

    /// What a table does that evicts by removing only: the second thread has seen the newcomer, so
    /// its `remember` is an insertion and must outlive the eviction that is still going on.
    #[test]
    fn a_renewal_lost_to_an_eviction_is_not_legal() {
        let setup = timed(0, 1, remember(1, 1));
        let evictor = timed(2, 9, remember(2, 2));
        let witness = |last| {
            vec![
                timed(3, 4, recall(2, Some(2))),
                timed(5, 6, remember(1, 3)),
                timed(7, 8, recall(1, Some(3))),
                timed(10, 11, recall(1, last)),
            ]
        };
        assert!(legal(1, vec![vec![setup, evictor], witness(Some(3))]));
        assert!(!legal(1, vec![vec![setup, evictor], witness(None)]));
    }

    #[test]
    fn two_threads_cannot_disagree_on_an_order() {
        let whenever = |step| timed(0, u64::MAX, step);
        let threads = vec![
            vec![whenever(remember(1, 1))],
            vec![whenever(remember(2, 2))],
            vec![whenever(recall(1, Some(1))), whenever(recall(2, None))],
            vec![whenever(recall(2, Some(2))), whenever(recall(1, None))],
        ];
        assert!(!legal(2, threads));
    }
}
