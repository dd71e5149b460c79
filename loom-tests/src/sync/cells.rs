//! The filter's counters, with their latest values in sight of the checks.

use std::sync::Arc;
use std::sync::atomic::AtomicU16 as Plain;

use super::Ordering;

pub(crate) type Cells = Arc<[AtomicU16]>;

/// `count` counters that start at `value`.
pub(crate) fn zeroed_cells(count: usize, value: u16) -> Cells {
    (0..count).map(|_| AtomicU16::new(value)).collect()
}

/// loom's counter, and a mirror of the latest value in modification order.
///
/// A load of loom's own would be one more step of the model, and may be stale. loom changes threads
/// only before an operation, so the operation and the write to the mirror are one step.
pub(crate) struct AtomicU16 {
    model: loom::sync::atomic::AtomicU16,
    latest: Plain,
}

impl AtomicU16 {
    fn new(value: u16) -> Self {
        AtomicU16 {
            model: loom::sync::atomic::AtomicU16::new(value),
            latest: Plain::new(value),
        }
    }

    pub(crate) fn load(&self, order: Ordering) -> u16 {
        self.model.load(order)
    }

    pub(crate) fn fetch_update(
        &self,
        set: Ordering,
        fetch: Ordering,
        mut f: impl FnMut(u16) -> Option<u16>,
    ) -> Result<u16, u16> {
        self.update(set, fetch, &mut f)
    }

    /// Not generic, so that many copies of the protocol cost little to compile.
    fn update(
        &self,
        set: Ordering,
        fetch: Ordering,
        f: &mut dyn FnMut(u16) -> Option<u16>,
    ) -> Result<u16, u16> {
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
    pub(crate) fn latest(&self) -> u16 {
        self.latest.load(Ordering::Relaxed)
    }
}
