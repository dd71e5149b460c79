//! Sees requests that state their length twice.
//!
//! A request with both `content-length` and `transfer-encoding` is how one request is smuggled
//! inside another. hyper reads such a request as chunked and drops the other header without a
//! word, so the connection keeps the bytes it read, and the refusal looks there.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use http::request::Parts;
use memchr::memmem;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The latest bytes that a connection read, shared with its requests.
#[derive(Clone, Default)]
pub(super) struct Seen(Arc<Mutex<Vec<u8>>>);

impl Seen {
    fn keep(&self, bytes: &[u8], most: usize) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = &bytes[bytes.len().saturating_sub(most)..];
        let excess = (kept.len() + bytes.len()).saturating_sub(most);
        kept.drain(..excess);
        kept.extend_from_slice(bytes);
    }

    /// Whether a head among the latest bytes that begins as this request does has a
    /// `content-length`. A body that imitates such a head is refused too.
    pub(super) fn content_length_too(&self, parts: &Parts) -> bool {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let line = format!("{} {} HTTP/1.", parts.method, parts.uri);
        let found = memmem::find_iter(&kept, line.as_bytes()).any(|at| {
            let head = &kept[at..];
            let end = memmem::find(head, b"\r\n\r\n").unwrap_or(head.len());
            head[..end].split(|b| *b == b'\n').any(|line| {
                line.get(..15)
                    .is_some_and(|name| name.eq_ignore_ascii_case(b"content-length:"))
            })
        });
        kept.clear();
        found
    }
}

/// A connection that keeps what it reads.
pub(super) struct Watched<T> {
    inner: T,
    seen: Seen,
    /// Bytes kept: those of the largest head.
    most: usize,
}

impl<T> Watched<T> {
    pub(super) fn new(inner: T, most: usize) -> (Self, Seen) {
        let seen = Seen::default();
        let watched = Self {
            inner,
            seen: seen.clone(),
            most,
        };
        (watched, seen)
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Watched<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let result = Pin::new(&mut self.inner).poll_read(cx, buf);
        self.seen.keep(&buf.filled()[before..], self.most);
        result
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Watched<T> {
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
