//! Cuts off connections that do not say what they speak.
//!
//! hyper limits the time for a head from when it knows that a connection speaks HTTP/1. Until
//! then it would wait for ever, and the connection would keep a place that others wait for.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// What a connection of HTTP/2 begins with.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// A connection whose first bytes must come in time.
pub(super) struct Opening<T> {
    inner: T,
    /// Until HTTP/1 and HTTP/2 can be told apart.
    undecided: Option<Undecided>,
}

struct Undecided {
    until: Pin<Box<Sleep>>,
    /// How much of the preface was read.
    read: usize,
}

impl<T> Opening<T> {
    pub(super) fn new(inner: T, patience: Duration) -> Self {
        Self {
            inner,
            undecided: Some(Undecided {
                until: Box::pin(sleep(patience)),
                read: 0,
            }),
        }
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Opening<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let polled = Pin::new(&mut self.inner).poll_read(cx, buf);
        let Some(undecided) = &mut self.undecided else {
            return polled;
        };
        if polled.is_pending() {
            ready!(undecided.until.as_mut().poll(cx));
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        let piece = &buf.filled()[before..];
        undecided.read += piece.len();
        let rest = PREFACE.get(undecided.read - piece.len()..).unwrap_or(&[]);
        let may_be_http2 = !piece.is_empty() && rest.starts_with(piece);
        if !may_be_http2 || undecided.read == PREFACE.len() {
            self.undecided = None;
        }
        polled
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Opening<T> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }
}
