//! The last reading of a precise clock, which serves for as long as a coarse clock stands still.

use super::sync::{AtomicU64, Ordering};

/// Two numbers that only rise, so that it does not matter whether a pair is of one writer.
pub(crate) struct Recent {
    tick: AtomicU64,
    reading: AtomicU64,
}

impl Recent {
    pub(crate) fn new() -> Self {
        Self {
            tick: AtomicU64::new(0),
            reading: AtomicU64::new(0),
        }
    }

    /// A reading of `precise`, old or new, that was taken after the coarse clock had come to `tick`,
    /// which the caller has just read; never below an earlier one.
    ///
    /// A tick is stored (Release) after a reading that was taken in it. Whoever finds it here (Acquire)
    /// or a later one finds that reading or a later one: never older than the tick, and of the past.
    #[inline]
    pub(crate) fn read(&self, tick: u64, precise: impl FnOnce() -> u64) -> u64 {
        if tick <= self.tick.load(Ordering::Acquire) {
            return self.reading.load(Ordering::Relaxed);
        }
        let reading = precise();
        // Not stores: a thread that was held up in between must not put an old number over a new one.
        let before = self.reading.fetch_max(reading, Ordering::Relaxed);
        self.tick.fetch_max(tick, Ordering::Release);
        before.max(reading)
    }
}
