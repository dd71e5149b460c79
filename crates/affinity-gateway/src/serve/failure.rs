//! Attempts that let the next channel be tried, and how long a channel rests after one.

use std::time::{Duration, SystemTime};

use http::{HeaderMap, Response, StatusCode, header};
use hyper::body::Incoming;

use super::problem::Problem;
use crate::config::Failover;

/// An attempt without an answer for the client, yet.
pub(super) struct Failure {
    pub(super) reason: Reason,
    /// What the upstream said, unread; it is the client's answer if nobody does better.
    pub(super) response: Option<Box<Response<Incoming>>>,
}

/// Why an attempt failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// No connection.
    Connect,
    /// The connection ended before the first byte of the answer's body.
    Reset,
    /// No byte of the answer's body in time.
    Timeout,
    /// 429.
    RateLimited,
    /// 503 and 529.
    Overloaded,
    /// Any other 5xx.
    ServerError,
    /// A status of `failover.also_on`.
    Configured,
    /// The request cannot be put as the account wants it: its model cannot be replaced, or its
    /// path cannot be joined. No fault of the account.
    Inexpressible,
}

impl Reason {
    /// Whether an answer of this status lets the next channel be tried.
    pub(super) fn of(status: StatusCode, failover: &Failover) -> Option<Self> {
        match status.as_u16() {
            429 => Some(Self::RateLimited),
            503 | 529 => Some(Self::Overloaded),
            500..=599 => Some(Self::ServerError),
            other => failover
                .also_on
                .contains(&other)
                .then_some(Self::Configured),
        }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::Reset => "reset",
            Self::Timeout => "timeout",
            Self::RateLimited => "rate-limited",
            Self::Overloaded => "overloaded",
            Self::ServerError => "server-error",
            Self::Configured => "configured",
            Self::Inexpressible => "inexpressible",
        }
    }

    /// What a client can do most with comes first: to wait, to wait without knowing how long, to
    /// report it, to know that nobody was reached.
    pub(super) const fn usefulness(self) -> u8 {
        match self {
            Self::RateLimited => 5,
            Self::Overloaded => 4,
            Self::Configured => 3,
            Self::ServerError => 2,
            Self::Timeout => 1,
            Self::Connect | Self::Reset | Self::Inexpressible => 0,
        }
    }

    /// The gateway's own answer when no upstream gave one.
    pub(super) const fn problem(self) -> Problem {
        match self {
            Self::Timeout => Problem::Timeout,
            Self::Inexpressible => Problem::Refused("the request cannot be sent to the account"),
            _ => Problem::Unreachable,
        }
    }
}

impl Failure {
    /// How long the channel goes behind the others. A server error that names no time is taken
    /// for the request's own: cooling down for it would move every conversation of the account.
    pub(super) fn cooldown(&self, failover: &Failover) -> Option<Duration> {
        let asked = self.response.as_ref();
        let asked = asked.and_then(|r| retry_after(r.headers(), SystemTime::now()));
        match self.reason {
            Reason::Connect | Reason::Reset | Reason::Timeout | Reason::RateLimited => {
                Some(asked.unwrap_or(failover.cooldown))
            }
            Reason::Overloaded
            | Reason::ServerError
            | Reason::Configured
            | Reason::Inexpressible => asked,
        }
        .map(|cooldown| cooldown.min(failover.max_cooldown))
    }
}

/// `retry-after` in seconds or as a date, or OpenAI's `retry-after-ms`.
fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name| {
        headers
            .get(name)
            .and_then(|v: &http::HeaderValue| v.to_str().ok())
    };
    if let Some(ms) = text("retry-after-ms").and_then(|t| t.trim().parse::<f64>().ok()) {
        return Duration::try_from_secs_f64(ms / 1000.0).ok();
    }
    let text = text(header::RETRY_AFTER.as_str())?.trim();
    match text.parse::<f64>() {
        Ok(seconds) => Duration::try_from_secs_f64(seconds).ok(),
        Err(_) => httpdate::parse_http_date(text)
            .ok()?
            .duration_since(now)
            .ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    #[test]
    fn retry_after_is_read_in_every_form() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        let read = |name: &'static str, value| {
            let mut headers = HeaderMap::new();
            headers.insert(name, HeaderValue::from_static(value));
            retry_after(&headers, now)
        };
        assert_eq!(read("retry-after", "7"), Some(Duration::from_secs(7)));
        assert_eq!(read("retry-after", "0.5"), Some(Duration::from_millis(500)));
        assert_eq!(
            read("retry-after-ms", "250"),
            Some(Duration::from_millis(250))
        );
        let date = read("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT");
        assert_eq!(date, Some(Duration::from_secs(30)));
        for nonsense in [
            "soon",
            "-1",
            "NaN",
            "1e300",
            "Sun, 06 Nov 1994 08:00:00 GMT",
        ] {
            assert_eq!(read("retry-after", nonsense), None, "{nonsense}");
        }
    }

    #[test]
    fn client_errors_are_the_clients() {
        let failover = Failover::default();
        for status in [200, 400, 401, 403, 404, 413, 422] {
            let status = StatusCode::from_u16(status).unwrap();
            assert_eq!(Reason::of(status, &failover), None);
        }
        for status in [429, 500, 502, 503, 504, 529] {
            let status = StatusCode::from_u16(status).unwrap();
            assert!(Reason::of(status, &failover).is_some());
        }
    }
}
