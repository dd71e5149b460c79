//! Request headers, wherever they are kept.

/// The headers of a request.
///
/// Implemented for slices of name and value pairs, and for `http::HeaderMap` with the feature
/// `http`. Names may be in any case.
///
/// ```
/// use affinity_llm::Headers;
///
/// let headers = [("Content-Type", "application/json"), ("X-Session-Id", "s-1")];
/// let mut names = 0;
/// headers.as_slice().visit(&mut |_, _| names += 1);
/// assert_eq!(names, 2);
/// ```
pub trait Headers {
    /// Shows every header's name and value, in the order of the request. Of headers with the same
    /// name, the first counts.
    fn visit<'h>(&'h self, see: &mut dyn FnMut(&'h str, &'h [u8]));
}

impl<N: AsRef<str>, V: AsRef<[u8]>> Headers for [(N, V)] {
    fn visit<'h>(&'h self, see: &mut dyn FnMut(&'h str, &'h [u8])) {
        for (name, value) in self {
            see(name.as_ref(), value.as_ref());
        }
    }
}

impl<N: AsRef<str>, V: AsRef<[u8]>, const LEN: usize> Headers for [(N, V); LEN] {
    fn visit<'h>(&'h self, see: &mut dyn FnMut(&'h str, &'h [u8])) {
        self.as_slice().visit(see);
    }
}

impl<N: AsRef<str>, V: AsRef<[u8]>> Headers for Vec<(N, V)> {
    fn visit<'h>(&'h self, see: &mut dyn FnMut(&'h str, &'h [u8])) {
        self.as_slice().visit(see);
    }
}

/// No headers.
impl Headers for () {
    fn visit<'h>(&'h self, _: &mut dyn FnMut(&'h str, &'h [u8])) {}
}

#[cfg(feature = "http")]
impl Headers for http::HeaderMap {
    fn visit<'h>(&'h self, see: &mut dyn FnMut(&'h str, &'h [u8])) {
        for (name, value) in self {
            see(name.as_str(), value.as_bytes());
        }
    }
}
