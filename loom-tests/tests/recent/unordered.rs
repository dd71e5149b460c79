//! The same file over numbers that are ordered by nothing.

mod sync {
    pub(crate) use loom::sync::atomic::Ordering;

    pub(crate) struct AtomicU64(loom::sync::atomic::AtomicU64);

    impl AtomicU64 {
        pub(crate) fn new(value: u64) -> Self {
            Self(loom::sync::atomic::AtomicU64::new(value))
        }

        pub(crate) fn load(&self, _: Ordering) -> u64 {
            self.0.load(Ordering::Relaxed)
        }

        pub(crate) fn fetch_max(&self, value: u64, _: Ordering) -> u64 {
            self.0.fetch_max(value, Ordering::Relaxed)
        }
    }
}

#[path = "../../../crates/affinity-table/src/recent.rs"]
mod recent;

// One model finds the fault.
#[allow(dead_code)]
#[path = "models.rs"]
pub(crate) mod models;
