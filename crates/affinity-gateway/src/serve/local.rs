//! Keeps web pages out of a listener that asks nobody who they are.
//!
//! Such a listener is reached by this machine alone, but so is every page that its browser shows:
//! directly, with an `origin` of the page's, or by a name of the page's own that leads here (DNS
//! rebinding), which then is the `host`.

use std::net::IpAddr;

use http::uri::Authority;
use http::{HeaderMap, Uri, header};

/// Whether a request was made by a program of this machine, or by a page from it.
pub(super) fn is_local(uri: &Uri, headers: &HeaderMap) -> bool {
    let hosts = headers.get_all(header::HOST).iter();
    let origins = headers.get_all(header::ORIGIN).iter();
    uri.host().is_none_or(is_loopback)
        && hosts
            .map(|host| Authority::try_from(host.as_bytes()))
            .all(|host| host.is_ok_and(|host| is_loopback(host.host())))
        && origins
            .map(|origin| Uri::try_from(origin.as_bytes()))
            .all(|origin| origin.is_ok_and(|origin| origin.host().is_some_and(is_loopback)))
}

fn is_loopback(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || host
            .parse::<IpAddr>()
            .is_ok_and(|address| address.to_canonical().is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::{HeaderName, HeaderValue};

    fn with(pairs: &[(&'static str, &'static str)]) -> bool {
        let headers = pairs
            .iter()
            .map(|(name, value)| {
                (
                    HeaderName::from_static(name),
                    HeaderValue::from_static(value),
                )
            })
            .collect();
        is_local(&Uri::from_static("/v1/models"), &headers)
    }

    #[test]
    fn this_machine_has_many_names() {
        for host in [
            "localhost",
            "LOCALHOST:8080",
            "127.0.0.1:8080",
            "127.9.9.9",
            "[::1]:8080",
            "[::ffff:127.0.0.1]",
        ] {
            assert!(with(&[("host", host)]), "{host}");
        }
        for origin in [
            "http://localhost:3000",
            "https://127.0.0.1",
            "http://[::1]:1",
        ] {
            assert!(
                with(&[("host", "localhost"), ("origin", origin)]),
                "{origin}"
            );
        }
        assert!(with(&[]), "a client of HTTP/1.0 names no host");
    }

    #[test]
    fn others_are_not_it() {
        for host in [
            "evil.example",
            "localhost.evil.example:8080",
            "127.0.0.1.evil.example",
            "10.0.0.1",
            "0.0.0.0",
            "",
            "localhost@evil.example",
        ] {
            assert!(!with(&[("host", host)]), "{host}");
        }
        for origin in [
            "null",
            "",
            "https://evil.example",
            "http://localhost.evil.example",
            "http://192.168.0.1",
            "chrome-extension://abcdef",
        ] {
            assert!(
                !with(&[("host", "localhost"), ("origin", origin)]),
                "{origin}"
            );
        }
        assert!(
            !with(&[("host", "localhost"), ("host", "evil.example")]),
            "each of them counts"
        );
        let elsewhere = Uri::from_static("http://evil.example/v1/models");
        assert!(!is_local(&elsewhere, &HeaderMap::new()));
    }
}
