//! The filter's counters, with their latest values in sight of the checks.

use std::sync::Arc;
use std::sync::atomic::AtomicU8 as Plain;

use super::Ordering;

pub(crate) type Cells = Arc<[AtomicU8]>;

/// `count` counters that start at `value`.
pub(crate) fn zeroed_cells(count: usize, value: u8) -> Cells {
    (0..count).map(|_| AtomicU8::new(value)).collect()
}

/// loom's counter, and a mirror of the latest value in modification order.
///
/// A load of loom's own would be one more step of the model, and may be stale. loom changes threads
/// only before an operation, so the operation and the write to the mirror are one step.
pub(crate) struct AtomicU8 {
    model: loom::sync::atomic::AtomicU8,
    latest: Plain,
}

impl AtomicU8 {
    fn new(value: u8) -> Self {
        AtomicU8 {
            model: loom::sync::atomic::AtomicU8::new(value),
            latest: Plain::new(value),
        }
    }

    pub(crate) fn load(&self, order: Ordering) -> u8 {
        self.model.load(order)
    }

    pub(crate) fn fetch_update(
        &self,
        set: Ordering,
        fetch: Ordering,
        mut f: impl FnMut(u8) -> Option<u8>,
    ) -> Result<u8, u8> {
        self.update(set, fetch, &mut f)
    }

    /// Not generic, so that many copies of the protocol cost little to compile.
    fn update(
        &self,
        set: Ordering,
        fetch: Ordering,
        f: &mut dyn FnMut(u8) -> Option<u8>,
    ) -> Result<u8, u8> {
        let mut written = None;
        let result = self.model.fetch_update(set, fetch, |value| {
            written = f(value);
            written
        });
        if let (Ok(_), Some(value)) = (result, written) {
            self.latest.store(value, Ordering::Relaxed);
        }
        result
    }

    /// The latest value, whoever may see it; no step of the model.
    pub(crate) fn latest(&self) -> u8 {
        self.latest.load(Ordering::Relaxed)
    }
}
