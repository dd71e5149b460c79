//! Reads requests into plans, large ones beside the others.

use std::panic;
use std::sync::Arc;

use bytes::Bytes;
use http::request::Parts;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use super::gateway::Shared;
use super::live::Live;
use super::plan::Plan;
use super::problem::Problem;

/// A body of more bytes may take longer to read than others should wait: millions of messages in
/// 15 MB take a second.
const LARGE: usize = 1 << 20;

/// Large bodies that are read at once.
pub(super) struct Readers(Arc<Semaphore>);

impl Readers {
    /// Half of the processors are for everybody else.
    pub(super) fn new() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Self(Arc::new(Semaphore::new((processors / 2).max(1))))
    }
}

/// Who the request is and where it is to be tried; and its head, unchanged.
pub(super) async fn read(
    shared: &Shared,
    live: &Arc<Live>,
    parts: Parts,
    body: &Bytes,
    tenant: Option<&Arc<str>>,
) -> Result<(Parts, Plan), Problem> {
    if body.len() <= LARGE {
        let plan = Plan::new(live, &shared.router, &parts, body, tenant.map(|t| &**t))?;
        return Ok((parts, plan));
    }
    // Never closed, so there is always a place in the end.
    let place = Arc::clone(&shared.readers.0).acquire_owned().await.ok();
    let (live, router) = (Arc::clone(live), Arc::clone(&shared.router));
    let (body, tenant) = (body.clone(), tenant.cloned());
    let read = spawn_blocking(move || {
        let _place = place;
        let plan = Plan::new(&live, &router, &parts, &body, tenant.as_deref())?;
        Ok((parts, plan))
    });
    read.await
        .unwrap_or_else(|failed| match failed.try_into_panic() {
            Ok(panicked) => panic::resume_unwind(panicked),
            // The runtime is shutting down, and this request with it.
            Err(_) => Err(Problem::Unreachable),
        })
}
