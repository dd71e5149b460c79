//! A connection that is looked at while it is read.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Looks at what a connection reads.
pub(super) trait Look {
    /// These bytes were read; none at the end.
    fn read(&mut self, piece: &[u8]);

    /// There is nothing to read yet. Ready when the connection has waited too long and is to be
    /// cut off.
    fn poll_lost(&mut self, _cx: &mut Context<'_>) -> Poll<()> {
        Poll::Pending
    }
}

/// A connection and who looks at it; what is written passes unseen.
pub(super) struct Tapped<T, L> {
    inner: T,
    look: L,
}

impl<T, L> Tapped<T, L> {
    pub(super) fn new(inner: T, look: L) -> Self {
        Self { inner, look }
    }
}

impl<T: AsyncRead + Unpin, L: Look + Unpin> AsyncRead for Tapped<T, L> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let polled = Pin::new(&mut self.inner).poll_read(cx, buf);
        if polled.is_pending() {
            ready!(self.look.poll_lost(cx));
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        self.look.read(&buf.filled()[before..]);
        polled
    }
}

impl<T: AsyncWrite + Unpin, L: Unpin> AsyncWrite for Tapped<T, L> {
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
