//! Running one work on several threads at once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// The thread counts to measure: powers of two up to what the machine has, and all it has.
pub fn counts() -> Vec<usize> {
    let all = thread::available_parallelism().map_or(1, usize::from);
    let mut counts: Vec<usize> = (0..).map(|p| 1 << p).take_while(|&n| n < all).collect();
    counts.push(all);
    counts
}

/// Runs `work` once for each lane, each on its own thread, all starting together.
///
/// Returns the time of the slowest. One lane runs on the calling thread, where
/// [`allocations`](crate::allocations) can see it, and is [timed](alone) by its processor time.
pub fn slowest<L: Send>(lanes: &mut [L], work: impl Fn(&mut L) + Sync) -> Duration {
    if let [lane] = lanes {
        return alone(|| work(lane));
    }
    let timed = |lane: &mut L| {
        let start = Instant::now();
        work(lane);
        start.elapsed()
    };
    let waiting = AtomicUsize::new(lanes.len());
    thread::scope(|scope| {
        let running: Vec<_> = lanes
            .iter_mut()
            .map(|lane| {
                scope.spawn(|| {
                    // Relaxed: nothing is handed over. Yielding, since a busy machine may not have
                    // started the others yet.
                    waiting.fetch_sub(1, Ordering::Relaxed);
                    while waiting.load(Ordering::Relaxed) > 0 {
                        thread::yield_now();
                    }
                    timed(lane)
                })
            })
            .collect();
        let times = running
            .into_iter()
            .map(|t| t.join().expect("a bench thread panicked"));
        times.max().expect("at least one lane")
    })
}

/// Runs `work` on this thread; returns the processor time it took.
///
/// Being preempted does not count, so that a busy machine disturbs less. Waiting for a lock would not
/// count either, but alone there is nobody to wait for.
pub fn alone(work: impl FnOnce()) -> Duration {
    let start = processor_time();
    work();
    processor_time().saturating_sub(start)
}

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
