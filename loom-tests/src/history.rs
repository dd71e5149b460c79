//! Recorded histories, and the search for a legal order of their steps.

use std::collections::HashSet;

use crate::spec::{Spec, Step};

/// One call of one thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Call {
    pub(crate) steps: Vec<Step>,
    /// The steps happen in the order given; otherwise in any.
    pub(crate) in_order: bool,
    /// Ticks at invocation and return; 0 and `u64::MAX` where only program order counts.
    pub(crate) invoked: u64,
    pub(crate) returned: u64,
}

/// What happened: `before` one after the other, then `threads` side by side, then `after`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct History {
    pub(crate) before: Vec<Call>,
    pub(crate) threads: Vec<Vec<Call>>,
    pub(crate) after: Vec<Call>,
}

impl History {
    /// True if some order of the steps, one that keeps every thread's own order and never puts a call
    /// before one that had returned when it was invoked, is legal from `spec` on.
    pub(crate) fn is_linearizable(&self, mut spec: Spec) -> bool {
        if !replay(&mut spec, &self.before) {
            return false;
        }
        let mut search = Search {
            history: self,
            seen: HashSet::new(),
        };
        search.complete(spec, vec![Position::default(); self.threads.len()])
    }
}

fn replay(spec: &mut Spec, calls: &[Call]) -> bool {
    calls
        .iter()
        .flat_map(|call| &call.steps)
        .all(|step| spec.take(step))
}

/// How far a thread has come.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
struct Position {
    call: usize,
    /// Steps of that call that are done, one bit each.
    done: u32,
}

struct Search<'h> {
    history: &'h History,
    /// Dead ends, and those in work.
    seen: HashSet<(Spec, Vec<Position>)>,
}

impl Search<'_> {
    fn complete(&mut self, spec: Spec, at: Vec<Position>) -> bool {
        let history = self.history;
        let is_done = |(calls, at): (&Vec<Call>, &Position)| at.call == calls.len();
        if history.threads.iter().zip(&at).all(is_done) {
            return replay(&mut spec.clone(), &history.after);
        }
        if !self.seen.insert((spec.clone(), at.clone())) {
            return false;
        }
        (0..at.len()).any(|thread| self.advance(thread, &spec, &at))
    }

    /// Tries every step that `thread` may take next.
    fn advance(&mut self, thread: usize, spec: &Spec, at: &[Position]) -> bool {
        let history = self.history;
        let Some(call) = history.threads[thread].get(at[thread].call) else {
            return false;
        };
        let overtakes = |(calls, at): (&Vec<Call>, &Position)| {
            calls
                .get(at.call)
                .is_some_and(|pending| pending.returned < call.invoked)
        };
        if history.threads.iter().zip(at).any(overtakes) {
            return false;
        }
        let all = (1_u32 << call.steps.len()) - 1;
        for (index, step) in call.steps.iter().enumerate() {
            let bit = 1 << index;
            if at[thread].done & bit != 0 {
                continue;
            }
            let mut spec = spec.clone();
            if spec.take(step) {
                let mut at = at.to_vec();
                at[thread].done |= bit;
                if at[thread].done == all {
                    at[thread] = Position {
                        call: at[thread].call + 1,
                        done: 0,
                    };
                }
                if self.complete(spec, at) {
                    return true;
                }
            }
            if call.in_order {
                break;
            }
        }
        false
    }
}
