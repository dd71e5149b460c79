//! The same file without its fences.

mod sync {
    pub(crate) use loom::sync::atomic::{AtomicU64, Ordering};

    pub(crate) fn fence(_: Ordering) {}
}

#[path = "../../../crates/affinity-router/src/generations.rs"]
mod generations;

// One fault at a time: the other is planted in the sound copy.
#[allow(dead_code)]
#[path = "models.rs"]
pub(crate) mod models;
