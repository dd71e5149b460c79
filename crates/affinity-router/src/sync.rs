//! What [`generations`](crate::generations) works with: loom-tests puts loom's in their place.

pub(crate) use std::sync::atomic::{AtomicU64, Ordering, fence};
