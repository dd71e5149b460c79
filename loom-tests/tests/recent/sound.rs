//! The file that ships, over loom's types.

mod sync {
    pub(crate) use loom::sync::atomic::{AtomicU64, Ordering};
}

#[path = "../../../crates/affinity-table/src/recent.rs"]
mod recent;

#[path = "models.rs"]
pub(crate) mod models;
