//! The FIFO ring: `limit` places of one fingerprint each, lock-free.
//!
//! Insertion `n` enters its fingerprint in place `n mod limit`, so what comes out is a whole lap
//! older and names a memory to reclaim. Two things can go wrong on the way, and the ring mends
//! both: a straggler enters after a newer insertion has used its place (then the newer fingerprint
//! comes out and has to go back in), and the fingerprint that comes out has been forgotten or
//! inserted anew elsewhere (then it means nothing here and is dropped).
//!
//! A place holds eight bytes: who a fingerprint belongs to now is asked of the map, under the
//! fingerprint's own lock, never remembered here.

use crate::sync::{Ordering, Places};

/// A fingerprint on its way into the place of its number.
#[derive(Clone, Copy)]
pub(crate) struct Ticket {
    /// Never [`EMPTY`].
    pub(crate) fingerprint: u64,
    /// The number of the insertion that the fingerprint stands for.
    pub(crate) number: u64,
}

/// What became of a fingerprint that came out of its place.
pub(crate) enum Out {
    /// Its memory was evicted and has been reclaimed.
    Reclaimed,
    /// Its memory lives on under this number.
    Live(u64),
    /// No memory of it is left.
    Gone,
}

/// A place that nothing has entered yet.
pub(crate) const EMPTY: u64 = 0;

pub(crate) struct Ring {
    places: Places,
    limit: u64,
}

impl Ring {
    /// `limit` must not be 0.
    pub(crate) fn new(places: Places, limit: u64) -> Self {
        Ring { places, limit }
    }

    fn place_of(&self, number: u64) -> u64 {
        number % self.limit
    }

    /// Enters `ticket` and settles whatever comes out through `settle`, which is called without any
    /// lock held.
    ///
    /// Returns the ticket that went in last, for the caller to look at once more: its memory may
    /// have been evicted while it was in hand, by an insertion that has already left this place
    /// (I7). `None` when the place was empty, since then no insertion has passed it.
    ///
    /// Goes round again only when a newer insertion used the place before an older one, so at most
    /// as often as others insert into this very place meanwhile.
    pub(crate) fn enter(
        &self,
        ticket: Ticket,
        mut settle: impl FnMut(u64) -> Out,
    ) -> Option<Ticket> {
        let index = self.place_of(ticket.number);
        let place = self.places.at(index);
        let mut hand = ticket;
        loop {
            // AcqRel: whoever swaps after us sees the number of our insertion, and we see those of
            // all who swapped before. Only the caller's last look needs it (I7).
            let out = place.swap(hand.fingerprint, Ordering::AcqRel);
            if out == EMPTY {
                return None;
            }
            if out == hand.fingerprint {
                break;
            }
            match settle(out) {
                // We are the straggler: a live memory of this very place goes back in. Without the
                // test of the place, two live fingerprints of different places would push each
                // other out for ever.
                Out::Live(number) if self.place_of(number) == index => {
                    hand = Ticket {
                        fingerprint: out,
                        number,
                    };
                }
                Out::Live(_) | Out::Reclaimed | Out::Gone => break,
            }
        }
        Some(hand)
    }
}
