//! What a piece of work allocates on the calling thread.
//!
//! The crate `allocation-counter` replaces the global allocator of every program that links this
//! one; outside [`of`] it adds a thread-local counter to each allocation, for every peer alike.

/// Heap use of one piece of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocations {
    /// Allocations made (reallocations count as one each).
    pub count: u64,
    /// Requested bytes still held at the end.
    pub held_bytes: i64,
}

/// Runs `work` and tells what it allocated on this thread.
pub fn of<T>(work: impl FnOnce() -> T) -> (T, Allocations) {
    let mut out = None;
    let info = allocation_counter::measure(|| out = Some(work()));
    let allocations = Allocations {
        count: info.count_total,
        held_bytes: info.bytes_current,
    };
    (out.expect("measure runs its closure"), allocations)
}

#[cfg(test)]
mod tests {
    #[test]
    fn counts_and_keeps_what_is_held() {
        let (held, allocations) = super::of(|| {
            drop(std::hint::black_box(vec![1u8; 10]));
            std::hint::black_box(vec![1u8; 100])
        });
        assert_eq!((allocations.count, allocations.held_bytes), (2, 100));
        drop(held);
    }
}
