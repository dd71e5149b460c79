//! Sees requests that state their length twice.
//!
//! A request with both `content-length` and `transfer-encoding` is how one request is smuggled
//! inside another. hyper reads such a request as chunked and drops the other header without a
//! word, so the connection keeps the bytes of heads as it reads them, and the refusal looks
//! there.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::request::Parts;
use http::{Version, header};
use memchr::{memchr_iter, memmem};

use super::tapped::Look;

/// What a connection read since its last request, shared with its requests.
#[derive(Clone)]
pub(super) struct Seen(Arc<Mutex<State>>);

struct State {
    kept: Vec<u8>,
    /// Bytes that are to come and belong to a body.
    skip: u64,
    /// No more than this many bytes are kept: those of the largest head.
    most: usize,
}

impl Seen {
    /// Nothing yet, of a connection whose heads have at most `most` bytes.
    pub(super) fn new(most: usize) -> Self {
        Self(Arc::new(Mutex::new(State {
            kept: Vec::new(),
            skip: 0,
            most,
        })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether this request, whose head was just read, states its length twice. To be asked once
    /// for each request.
    pub(super) fn both_lengths(&self, parts: &Parts) -> bool {
        let mut state = self.state();
        if parts.version >= Version::HTTP_2 {
            // Frames have one length each.
            state.take_body(u64::MAX, 0);
            return false;
        }
        let line = format!("{} {} HTTP/1.", parts.method, parts.uri);
        // Where it is unclear what belongs to this head, more is kept rather than less: the head
        // of the next request may be here already.
        let found = memmem::find(&state.kept, line.as_bytes());
        let start = found.unwrap_or(0);
        let end = start + head_end(&state.kept[start..]).unwrap_or(0);
        if parts.headers.contains_key(header::TRANSFER_ENCODING) {
            let both = match found {
                Some(_) => state.heads(&line).any(has_content_length),
                // The client wrote the URI in another way, such as with a fragment.
                None => has_content_length(&state.kept),
            };
            state.take_body(0, end);
            return both;
        }
        let length = parts.headers.get(header::CONTENT_LENGTH);
        let length = length
            .and_then(|v| v.to_str().ok()?.parse().ok())
            .unwrap_or(0);
        state.take_body(length, end);
        false
    }
}

impl State {
    fn keep(&mut self, bytes: &[u8]) {
        let skipped = usize::try_from(self.skip)
            .unwrap_or(usize::MAX)
            .min(bytes.len());
        self.skip -= skipped as u64;
        self.kept.extend_from_slice(&bytes[skipped..]);
        let excess = self.kept.len().saturating_sub(self.most);
        self.kept.drain(..excess);
    }

    /// A body of this length begins at `start` of what is kept.
    fn take_body(&mut self, length: u64, start: usize) {
        let here = (self.kept.len() - start) as u64;
        match usize::try_from(length) {
            Ok(length) if length as u64 <= here => {
                self.kept.drain(..start + length);
            }
            _ => {
                self.skip = length - here;
                self.kept = Vec::new();
            }
        }
    }

    /// The heads that begin with this line. A body may imitate one, and is refused for it.
    fn heads<'a>(&'a self, line: &'a str) -> impl Iterator<Item = &'a [u8]> {
        memmem::find_iter(&self.kept, line).map(|at| {
            let head = &self.kept[at..];
            &head[..head_end(head).unwrap_or(head.len())]
        })
    }
}

/// Where the first empty line ends; hyper takes lines that end without a carriage return too.
fn head_end(bytes: &[u8]) -> Option<usize> {
    memchr_iter(b'\n', bytes).find_map(|at| match bytes[at + 1..] {
        [b'\n', ..] => Some(at + 2),
        [b'\r', b'\n', ..] => Some(at + 3),
        _ => None,
    })
}

fn has_content_length(head: &[u8]) -> bool {
    const NAME: &[u8] = b"content-length:";
    let mut lines = head.split(|b| *b == b'\n');
    lines.any(|line| {
        line.get(..NAME.len())
            .is_some_and(|name| name.eq_ignore_ascii_case(NAME))
    })
}

impl Look for Seen {
    fn read(&mut self, piece: &[u8]) {
        self.state().keep(piece);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::Request;

    fn parts(headers: &[(&str, &str)]) -> Parts {
        let mut request = Request::post("/v1/messages");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(()).unwrap().into_parts().0
    }

    /// As hyper hands it over.
    fn chunked() -> Parts {
        parts(&[("transfer-encoding", "chunked")])
    }

    fn read(seen: &Seen, text: &str) {
        text.as_bytes().chunks(7).for_each(|c| seen.state().keep(c));
    }

    const BOTH: &str = "POST /v1/messages HTTP/1.1\r\nContent-LENGTH: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n";
    const CHUNKED: &str =
        "POST /v1/messages HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n";
    const SIZED: &str = "POST /v1/messages HTTP/1.1\r\ncontent-length: 5\r\n\r\nabcde";

    #[test]
    fn two_lengths_are_seen_and_one_is_not() {
        let seen = Seen::new(1 << 16);
        read(&seen, CHUNKED);
        assert!(!seen.both_lengths(&chunked()));
        read(&seen, BOTH);
        assert!(seen.both_lengths(&chunked()));
    }

    #[test]
    fn the_request_before_is_not_taken_for_this_one() {
        let seen = Seen::new(1 << 16);
        for _ in 0..3 {
            read(&seen, SIZED);
            assert!(!seen.both_lengths(&parts(&[("content-length", "5")])));
            read(&seen, CHUNKED);
            assert!(!seen.both_lengths(&chunked()));
        }
    }

    #[test]
    fn a_request_read_together_with_the_one_before_is_seen() {
        let seen = Seen::new(1 << 16);
        read(&seen, &[SIZED, BOTH].concat());
        assert!(!seen.both_lengths(&parts(&[("content-length", "5")])));
        assert!(seen.both_lengths(&chunked()));
    }

    #[test]
    fn a_head_that_came_with_a_chunked_body_is_seen() {
        let seen = Seen::new(1 << 16);
        let other = BOTH.replace("/v1/messages", "/v2/messages");
        read(&seen, &[CHUNKED, &other].concat());
        assert!(!seen.both_lengths(&chunked()));
        let mut parts = chunked();
        parts.uri = "/v2/messages".parse().unwrap();
        assert!(seen.both_lengths(&parts));
    }

    #[test]
    fn lines_without_a_carriage_return_hide_nothing() {
        let seen = Seen::new(1 << 16);
        read(&seen, &[&SIZED.replace("\r\n", "\n"), BOTH].concat());
        assert!(!seen.both_lengths(&parts(&[("content-length", "5")])));
        assert!(seen.both_lengths(&chunked()));
    }

    #[test]
    fn a_uri_that_is_read_otherwise_than_written_hides_nothing() {
        for written in ["/v1/messages#fragment", "HTTP://host/v1/messages"] {
            let seen = Seen::new(1 << 16);
            read(&seen, &BOTH.replace("/v1/messages", written));
            let mut parts = chunked();
            parts.uri = written.parse().unwrap();
            assert!(seen.both_lengths(&parts), "{written}");
        }
    }

    #[test]
    fn bodies_are_not_kept() {
        let seen = Seen::new(1 << 16);
        read(
            &seen,
            "POST /v1/messages HTTP/1.1\r\ncontent-length: 1000\r\n\r\nabc",
        );
        assert!(!seen.both_lengths(&parts(&[("content-length", "1000")])));
        read(&seen, &"x".repeat(996));
        assert!(seen.state().kept.is_empty());
        read(&seen, "yPOST");
        assert_eq!(seen.state().kept, b"POST");
    }
}
