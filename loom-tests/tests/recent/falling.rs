//! The same file over numbers that may fall.

mod sync {
    pub(crate) use loom::sync::atomic::Ordering;

    pub(crate) struct AtomicU64(loom::sync::atomic::AtomicU64);

    impl AtomicU64 {
        pub(crate) fn new(value: u64) -> Self {
            Self(loom::sync::atomic::AtomicU64::new(value))
        }

        pub(crate) fn load(&self, ordering: Ordering) -> u64 {
            self.0.load(ordering)
        }

        pub(crate) fn fetch_max(&self, value: u64, ordering: Ordering) -> u64 {
            self.0.swap(value, ordering)
        }
    }
}

#[path = "../../../crates/affinity-table/src/recent.rs"]
mod recent;

// One model finds the fault.
#[allow(dead_code)]
#[path = "models.rs"]
pub(crate) mod models;
