//! Cuts off connections that do not say what they speak.
//!
//! hyper limits the time for a head from when it knows that a connection speaks HTTP/1. Until
//! then it would wait for ever, and the connection would keep a place that others wait for.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Sleep, sleep};

use super::tapped::Look;

/// What a connection of HTTP/2 begins with.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The first bytes of a connection, which must come in time; gone once HTTP/1 and HTTP/2 can be
/// told apart.
pub(super) struct Opening(Option<Undecided>);

struct Undecided {
    until: Pin<Box<Sleep>>,
    /// How much of the preface was read.
    read: usize,
}

impl Opening {
    pub(super) fn within(patience: Duration) -> Self {
        Self(Some(Undecided {
            until: Box::pin(sleep(patience)),
            read: 0,
        }))
    }
}

impl Look for Opening {
    fn read(&mut self, piece: &[u8]) {
        let Some(undecided) = &mut self.0 else {
            return;
        };
        let rest = PREFACE.get(undecided.read..).unwrap_or(&[]);
        undecided.read += piece.len();
        let may_be_http2 = !piece.is_empty() && rest.starts_with(piece);
        if !may_be_http2 || undecided.read == PREFACE.len() {
            self.0 = None;
        }
    }

    fn poll_lost(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        match &mut self.0 {
            Some(undecided) => undecided.until.as_mut().poll(cx),
            None => Poll::Pending,
        }
    }
}
