//! The table's own time.
//!
//! A precise reading costs as much as a recall, and lifetimes are minutes. So the clock of a table
//! that was given none reads the kernel's coarse clock, at a quarter of that, and the precise one only
//! when the coarse one has moved. The coarse one's reading is never taken for the time: its rate is
//! another, and [`Table::at`](crate::Table::at) takes the precise one's.

use std::time::Duration;

use crossbeam_utils::CachePadded;
use quanta::{Clock, Instant};

use crate::coarse::Coarse;
use crate::recent::Recent;

pub(crate) struct OwnClock {
    precise: Clock,
    /// Time is counted in nanoseconds from here.
    anchor: Instant,
    /// Without, each reading is a precise one. Alone on its cache line: every call reads it.
    coarse: Option<(Coarse, CachePadded<Recent>)>,
}

impl OwnClock {
    /// The user's clock as it is, which may be a mock; or one of our own.
    pub(crate) fn new(given: Option<Clock>) -> Self {
        let coarse = match given {
            Some(_) => None,
            None => Coarse::find().map(|coarse| (coarse, CachePadded::new(Recent::new()))),
        };
        let precise = given.unwrap_or_default();
        OwnClock {
            anchor: precise.now(),
            precise,
            coarse,
        }
    }

    /// The present time: of an own clock where the system has a coarse one, a reading that was
    /// taken since its last tick.
    #[inline]
    pub(crate) fn now(&self) -> u64 {
        match &self.coarse {
            Some((coarse, recent)) => recent.read(coarse.now(), || self.precise()),
            None => self.precise(),
        }
    }

    #[inline]
    fn precise(&self) -> u64 {
        self.since_anchor(self.precise.now())
    }

    /// 0 for times before the anchor.
    #[inline]
    pub(crate) fn since_anchor(&self, time: Instant) -> u64 {
        nanos(time.saturating_duration_since(self.anchor))
    }
}

/// 584 years and more count as for ever.
#[inline]
pub(crate) fn nanos(duration: Duration) -> u64 {
    let seconds = duration.as_secs().saturating_mul(1_000_000_000);
    seconds.saturating_add(u64::from(duration.subsec_nanos()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A time stamp may be read somewhat out of order, and processors' differ by a little.
    const SLACK: u64 = 20_000;

    #[test]
    fn a_given_clock_is_read_by_every_call() {
        let (clock, mock) = Clock::mock();
        let clock = OwnClock::new(Some(clock));
        for nanos in 0..5 {
            assert_eq!(clock.now(), nanos);
            mock.increment(1_u64);
        }
    }

    /// As on systems without a coarse clock.
    #[test]
    fn without_a_coarse_clock_own_time_is_the_precise_one() {
        let clock = OwnClock {
            coarse: None,
            ..OwnClock::new(None)
        };
        for _ in 0..10_000 {
            let before = clock.precise();
            let own = clock.now();
            let after = clock.precise();
            assert!(before <= own + SLACK && own <= after + SLACK);
        }
    }

    #[test]
    fn the_precise_clock_is_read_once_in_a_tick() {
        let recent = Recent::new();
        assert_eq!(recent.read(4, || 100), 100);
        assert_eq!(recent.read(4, || panic!("read again")), 100);
        assert_eq!(recent.read(8, || 200), 200);
        assert_eq!(recent.read(8, || panic!("read again")), 200);
    }

    #[test]
    fn a_thread_that_was_held_up_lowers_nothing() {
        let recent = Recent::new();
        // Read in tick 4, and stored when others had come to tick 8.
        let late = recent.read(4, || {
            recent.read(8, || 200);
            100
        });
        assert_eq!(late, 200);
        assert_eq!(recent.read(8, || panic!("read again")), 200);
        assert_eq!(recent.read(4, || panic!("read again")), 200);
    }

    #[cfg(target_os = "linux")]
    mod own {
        use super::*;
        use std::thread;

        const TICKS: usize = 20;

        /// Reads `clock` over and over, between precise readings, until the coarse one has moved some
        /// times. How long a tick takes, or this thread is kept from running, does not matter.
        fn watch(clock: &OwnClock, coarse: Coarse) {
            let (mut before, mut tick, mut own) = (clock.precise(), coarse.now(), 0);
            // The last precise reading known to be older than the present tick.
            let mut older_than_tick = 0;
            let mut ticks = 0;
            while ticks < TICKS {
                let present = clock.precise();
                let now = coarse.now();
                if now > tick {
                    older_than_tick = before;
                    ticks += 1;
                }
                (before, tick) = (present, now);
                let last = std::mem::replace(&mut own, clock.now());
                let after = clock.precise();
                assert!(own >= last, "{own} after {last}");
                assert!(own <= after + SLACK, "{own}, and it was {after}");
                assert!(
                    own + SLACK >= older_than_tick,
                    "{own}, and a tick began after {older_than_tick}"
                );
            }
        }

        #[test]
        fn own_time_is_of_the_present_tick_and_never_ahead() {
            let clock = OwnClock::new(None);
            let coarse = Coarse::find().expect("a coarse clock on Linux");
            watch(&clock, coarse);
        }

        #[test]
        fn threads_that_share_a_clock_see_no_older_time_and_none_ahead() {
            let clock = OwnClock::new(None);
            let coarse = Coarse::find().expect("a coarse clock on Linux");
            thread::scope(|scope| {
                for _ in 0..8 {
                    scope.spawn(|| watch(&clock, coarse));
                }
            });
        }
    }
}
