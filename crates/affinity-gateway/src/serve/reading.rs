//! Reads large bodies beside all other requests.

use std::panic;
use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// A body of more bytes may take longer to read than others should wait: millions of messages in
/// 15 MB take a second.
const LARGE: usize = 1 << 20;

/// Who reads large bodies: so many at once.
#[derive(Clone)]
pub(super) struct Readers(Arc<Semaphore>);

impl Readers {
    /// Half of the processors are for everybody else.
    pub(super) fn new() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Self(Arc::new(Semaphore::new((processors / 2).max(1))))
    }

    /// Does what takes its time from a body of this many bytes: at once, or on a thread of its
    /// own if the body is large. `None` only while the runtime shuts down.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        if bytes <= LARGE {
            return Some(work());
        }
        let place = Arc::clone(&self.0).acquire_owned().await.ok()?;
        let done = spawn_blocking(move || {
            // Held until the work is done, also when nobody waits for it any more.
            let _place = place;
            work()
        });
        match done.await {
            Ok(done) => Some(done),
            Err(failed) => match failed.try_into_panic() {
                Ok(panicked) => panic::resume_unwind(panicked),
                Err(_) => None,
            },
        }
    }
}
