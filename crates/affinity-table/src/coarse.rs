//! The kernel's coarse clock, on systems that have one.

#[cfg(not(target_os = "linux"))]
pub(crate) use absent::Coarse;
#[cfg(target_os = "linux")]
pub(crate) use linux::Coarse;

#[cfg(target_os = "linux")]
mod linux {
    use rustix::time::{ClockId, Timespec, clock_getres, clock_gettime};

    const CLOCK: ClockId = ClockId::MonotonicCoarse;
    /// Below this a clock is not coarse: some sandboxes give the precise one in its place, and a
    /// reading of that would serve a single call.
    const FINEST: u64 = 100_000;

    #[derive(Clone, Copy)]
    pub(crate) struct Coarse;

    impl Coarse {
        pub(crate) fn find() -> Option<Self> {
            (nanos(clock_getres(CLOCK)) >= FINEST).then_some(Self)
        }

        /// The time in nanoseconds, which moves by 1 to 10 ms at once. A few loads from a page that
        /// the kernel shares, without a system call.
        #[inline]
        pub(crate) fn now(self) -> u64 {
            nanos(clock_gettime(CLOCK))
        }
    }

    /// Never negative in a monotonic clock.
    #[inline]
    fn nanos(time: Timespec) -> u64 {
        time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
    }
}

#[cfg(not(target_os = "linux"))]
mod absent {
    #[derive(Clone, Copy)]
    pub(crate) enum Coarse {}

    impl Coarse {
        pub(crate) fn find() -> Option<Self> {
            None
        }

        pub(crate) fn now(self) -> u64 {
            match self {}
        }
    }
}
