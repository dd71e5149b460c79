//! Where at an account a request goes.

use std::borrow::Cow;

use http::Uri;
use http::uri::PathAndQuery;
use percent_encoding::percent_decode_str;

use crate::config::BaseUrl;

/// The account's URI for a client's path and query.
///
/// A base URL may end in the segment that the path begins with (`https://host/v1` and
/// `/v1/messages`), as SDKs are configured either way; it is not doubled. The query's `key`, a
/// credential, stays behind.
pub(super) fn uri(base: &BaseUrl, path: &str, query: Option<&str>) -> Option<Uri> {
    let last = base.path.rfind('/').map_or("", |at| &base.path[at..]);
    let doubled = !last.is_empty()
        && path
            .strip_prefix(last)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let prefix = if doubled {
        &base.path[..base.path.len() - last.len()]
    } else {
        &base.path
    };
    let mut joined = format!("{prefix}{path}");
    let kept = query.into_iter().flat_map(|q| q.split('&'));
    let mut separator = '?';
    for pair in kept.filter(|pair| !is_credential(pair)) {
        joined.push(separator);
        joined.push_str(pair);
        separator = '&';
    }
    Uri::builder()
        .scheme(base.scheme.clone())
        .authority(base.authority.clone())
        .path_and_query(PathAndQuery::try_from(joined).ok()?)
        .build()
        .ok()
}

/// Gemini's clients may send their key in the query.
fn is_credential(pair: &str) -> bool {
    key_in(pair).is_some()
}

/// The key in a query, if there is one, by its name and value without escapes.
pub(super) fn key_in(query: &str) -> Option<Cow<'_, [u8]>> {
    query.split('&').find_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        let is_key = percent_decode_str(name).eq(*b"key");
        is_key.then(|| percent_decode_str(value).into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(base: &str, path: &str, query: Option<&str>) -> String {
        uri(&base.parse().unwrap(), path, query)
            .unwrap()
            .to_string()
    }

    #[test]
    fn paths_join_without_doubling() {
        for (base, expected) in [
            ("https://api.example", "https://api.example/v1/messages"),
            ("https://api.example/", "https://api.example/v1/messages"),
            ("https://api.example/v1", "https://api.example/v1/messages"),
            ("http://h:1/a/v1/", "http://h:1/a/v1/messages"),
            ("http://h:1/anthropic", "http://h:1/anthropic/v1/messages"),
            ("http://h:1/v", "http://h:1/v/v1/messages"),
        ] {
            assert_eq!(joined(base, "/v1/messages", None), expected);
        }
    }

    #[test]
    fn the_query_passes_without_its_key() {
        assert_eq!(
            joined("http://h", "/m:stream", Some("alt=sse&key=secret&x=1")),
            "http://h/m:stream?alt=sse&x=1"
        );
        assert_eq!(joined("http://h", "/m", Some("key=secret")), "http://h/m");
        assert_eq!(
            joined("http://h", "/m", Some("k%65y=secret&x=%31&%6B%65%79=s")),
            "http://h/m?x=%31"
        );
        assert_eq!(
            joined("http://h", "/m", Some("monkey=1")),
            "http://h/m?monkey=1"
        );
    }
}
