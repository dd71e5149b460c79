//! Requests that are not passed on, whoever sends them.

use std::borrow::Cow;

use http::request::Parts;
use http::{Method, header};
use percent_encoding::percent_decode_str;

use super::both_lengths::Seen;
use super::problem::Problem;

/// Looks at a request's head.
pub(super) fn head(parts: &Parts, seen: &Seen) -> Result<(), Problem> {
    if seen.both_lengths(parts) {
        return Err(Problem::Refused(
            "the request has both content-length and transfer-encoding",
        ));
    }
    if matches!(parts.method, Method::CONNECT | Method::TRACE) {
        return Err(Problem::MethodNotAllowed);
    }
    // A body of another coding would be passed on unread.
    let codings = parts.headers.get_all(header::TRANSFER_ENCODING);
    if codings
        .iter()
        .any(|c| !c.as_bytes().eq_ignore_ascii_case(b"chunked"))
    {
        return Err(Problem::Refused("the transfer coding is not supported"));
    }
    path(parts.uri.path())
}

/// A path is joined to the account's: nothing in it may mean another host, leave the account's
/// prefix, or end a header.
fn path(path: &str) -> Result<(), Problem> {
    if !path.starts_with('/') {
        return Err(Problem::Refused("the path does not begin with a slash"));
    }
    // What an upstream may take the path for. A bad escape stays as it is.
    let decoded = Cow::from(percent_decode_str(path));
    if decoded.iter().any(|b| b.is_ascii_control() || *b == b'\\') {
        return Err(Problem::Refused("the path holds control characters"));
    }
    let climbs = |segment: &[u8]| segment == b".." || segment == b".";
    if decoded.split(|b| *b == b'/').any(climbs) {
        return Err(Problem::Refused("the path holds . or .. segments"));
    }
    Ok(())
}

/// A model's name goes into scopes, and for some dialects into a path.
pub(super) fn model(name: &str) -> Result<(), Problem> {
    if name.len() > 256 || name.chars().any(char::is_control) {
        return Err(Problem::Refused("the model is not the name of a model"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{model, path};

    #[test]
    fn ordinary_paths_pass() {
        for ok in [
            "/",
            "/v1/messages",
            "/v1beta/models/gemini-2.0:generateContent",
            "/a%20b",
            "/%zz",
        ] {
            assert_eq!(path(ok), Ok(()), "{ok}");
        }
    }

    #[test]
    fn paths_that_climb_or_inject_are_refused() {
        for bad in [
            "*",
            "/..",
            "/v1/../admin",
            "/v1/%2e%2e/x",
            "/v1/.%2E",
            "/a%0d%0aHost:x",
            "/a%00",
            "/..%2fx",
            "/a%5cb",
        ] {
            assert!(path(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn models_with_control_characters_are_refused() {
        assert!(model("gpt-4o").is_ok());
        assert!(model("ft:gpt-4o:acme").is_ok());
        assert!(model("x\r\nhost: evil").is_err());
        assert!(model(&"m".repeat(257)).is_err());
    }
}
