//! How long an upstream may send nothing in the middle of an answer.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep};

/// Runs while the upstream is waited for: from the moment that the client wants more and there
/// is none.
pub(super) struct Patience {
    span: Duration,
    idle: Pin<Box<Sleep>>,
    waiting: bool,
}

impl Patience {
    pub(super) fn new(span: Duration) -> Self {
        Self {
            span,
            idle: Box::pin(sleep(span)),
            waiting: false,
        }
    }

    /// Nothing came. Ready once the patience is at its end.
    pub(super) fn poll_lost(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if !self.waiting {
            self.waiting = true;
            self.idle.as_mut().reset(Instant::now() + self.span);
        }
        self.idle.as_mut().poll(cx)
    }

    /// Something came.
    pub(super) fn restore(&mut self) {
        self.waiting = false;
    }
}
