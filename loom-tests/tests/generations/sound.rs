//! The file that ships, over loom's types.

mod sync {
    pub(crate) use loom::sync::atomic::{AtomicU64, Ordering, fence};
}

#[path = "../../../crates/affinity-router/src/generations.rs"]
mod generations;

#[path = "models.rs"]
pub(crate) mod models;
