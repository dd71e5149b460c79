//! A connection that can be reset.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// Asks for a connection to end with a reset instead of an orderly close.
#[derive(Clone, Debug, Default)]
pub(super) struct ResetSwitch(Arc<AtomicBool>);

impl ResetSwitch {
    pub(super) fn arm(&self) {
        // Read by the same connection's task, which is woken by other means.
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_armed(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A TCP stream that resets when it is dropped with its switch armed.
#[derive(Debug)]
pub(super) struct Socket {
    stream: TcpStream,
    reset: ResetSwitch,
}

impl Socket {
    pub(super) fn new(stream: TcpStream) -> (Self, ResetSwitch) {
        let reset = ResetSwitch::default();
        (
            Self {
                stream,
                reset: reset.clone(),
            },
            reset,
        )
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        if self.reset.is_armed() {
            // Without it the close is orderly: a milder fault, but still one.
            let _ = self.stream.set_zero_linger();
        }
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.reset.is_armed() {
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
