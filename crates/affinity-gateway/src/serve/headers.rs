//! Which headers pass, in either direction.

use http::header::{self, HeaderName};
use http::{HeaderMap, HeaderValue};

/// The gateway's own headers begin with this. They never pass from one side to the other.
const OWN: &str = "x-affinity-";

/// Headers that concern one connection only (RFC 9110, 7.6.1).
static HOP_BY_HOP: [HeaderName; 9] = [
    header::CONNECTION,
    HeaderName::from_static("proxy-connection"),
    HeaderName::from_static("keep-alive"),
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

/// Headers that hold a client's credentials for the gateway.
pub(super) static CREDENTIALS: [HeaderName; 4] = [
    header::AUTHORIZATION,
    HeaderName::from_static("x-api-key"),
    HeaderName::from_static("x-goog-api-key"),
    HeaderName::from_static("api-key"),
];

/// Headers of a request that the gateway sets itself, or keeps.
static NOT_UPSTREAM: [HeaderName; 5] = [
    header::HOST,
    header::CONTENT_LENGTH,
    header::EXPECT,
    header::COOKIE,
    header::ACCEPT_ENCODING,
];

/// Headers of an answer that are between the gateway and the upstream: its cookies, and where
/// else it may be reached.
static NOT_DOWNSTREAM: [HeaderName; 2] = [header::SET_COOKIE, header::ALT_SVC];

/// Leaves what may go upstream.
///
/// `accept-encoding` may not: what an answer cost is learnt from its text.
pub(super) fn for_upstream(headers: &mut HeaderMap, session_header: &HeaderName) {
    remove_hop_by_hop(headers);
    for name in CREDENTIALS.iter().chain(&NOT_UPSTREAM) {
        headers.remove(name);
    }
    headers.remove(session_header);
    remove_own(headers);
    headers.insert(
        header::ACCEPT_ENCODING,
        HeaderValue::from_static("identity"),
    );
}

/// Leaves what may go to the client.
pub(super) fn for_client(headers: &mut HeaderMap) {
    remove_hop_by_hop(headers);
    for name in &NOT_DOWNSTREAM {
        headers.remove(name);
    }
    remove_own(headers);
}

fn remove_hop_by_hop(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in named {
        headers.remove(name);
    }
    for name in &HOP_BY_HOP {
        headers.remove(name);
    }
}

fn remove_own(headers: &mut HeaderMap) {
    let own: Vec<HeaderName> = headers
        .keys()
        .filter(|name| name.as_str().starts_with(OWN))
        .cloned()
        .collect();
    for name in own {
        headers.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(headers: &HeaderMap) -> Vec<&str> {
        let mut names: Vec<&str> = headers.keys().map(HeaderName::as_str).collect();
        names.sort_unstable();
        names
    }

    fn map(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| {
                (
                    HeaderName::from_static(name),
                    HeaderValue::from_static(value),
                )
            })
            .collect()
    }

    #[test]
    fn credentials_and_what_concerns_the_connection_stay_here() {
        let mut headers = map(&[
            ("authorization", "Bearer t"),
            ("x-api-key", "t"),
            ("x-goog-api-key", "t"),
            ("api-key", "t"),
            ("proxy-authorization", "t"),
            ("cookie", "c"),
            ("connection", "keep-alive, X-Private"),
            ("x-private", "1"),
            ("keep-alive", "1"),
            ("te", "trailers"),
            ("upgrade", "websocket"),
            ("transfer-encoding", "chunked"),
            ("content-length", "3"),
            ("host", "gateway"),
            ("x-affinity-anything", "1"),
            ("my-session", "s"),
            ("anthropic-version", "2023-06-01"),
            ("content-type", "application/json"),
        ]);
        for_upstream(&mut headers, &HeaderName::from_static("my-session"));
        assert_eq!(
            names(&headers),
            ["accept-encoding", "anthropic-version", "content-type"]
        );
    }

    #[test]
    fn an_upstream_sets_no_cookies_and_imitates_no_gateway() {
        let mut headers = map(&[
            ("set-cookie", "a=b"),
            ("alt-svc", "h3"),
            ("x-affinity-channel", "forged"),
            ("connection", "close"),
            ("content-length", "3"),
            ("retry-after", "1"),
        ]);
        for_client(&mut headers);
        assert_eq!(names(&headers), ["content-length", "retry-after"]);
    }
}
