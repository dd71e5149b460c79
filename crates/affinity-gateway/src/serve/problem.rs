//! Errors of the gateway itself, in a form that the clients of every dialect read.

use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header};

use super::answer::Body;

/// Why the gateway answers a request itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Problem {
    /// The request is not well-formed, or not safe to pass on.
    Refused(&'static str),
    Unauthorized,
    /// Anybody on this machine may ask, and this comes from a web page.
    NotLocal,
    /// Nothing is served at this path.
    NoSuchPath,
    /// No channel serves this dialect or model.
    NoChannel,
    MethodNotAllowed,
    BodyTooLarge,
    BodyTimeout,
    /// No channel could be reached.
    Unreachable,
    /// No channel answered in time.
    Timeout,
}

impl Problem {
    pub(super) const fn status(self) -> StatusCode {
        match self {
            Self::Refused(_) => StatusCode::BAD_REQUEST,
            Self::Unauthorized => StatusCode::UNAUTHORIZED,
            Self::NotLocal => StatusCode::FORBIDDEN,
            Self::NoSuchPath | Self::NoChannel => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::BodyTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::BodyTimeout => StatusCode::REQUEST_TIMEOUT,
            Self::Unreachable => StatusCode::BAD_GATEWAY,
            Self::Timeout => StatusCode::GATEWAY_TIMEOUT,
        }
    }

    /// For metrics, logs and the error's `code`.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Refused(_) => "refused",
            Self::Unauthorized => "unauthorized",
            Self::NotLocal => "not_local",
            Self::NoSuchPath => "no_such_path",
            Self::NoChannel => "no_channel",
            Self::MethodNotAllowed => "method_not_allowed",
            Self::BodyTooLarge => "body_too_large",
            Self::BodyTimeout => "body_timeout",
            Self::Unreachable => "unreachable",
            Self::Timeout => "timeout",
        }
    }

    /// The error's `type`, which the dialects share where they have one.
    const fn kind(self) -> &'static str {
        match self {
            Self::Unauthorized => "authentication_error",
            Self::NotLocal => "permission_error",
            Self::NoSuchPath | Self::NoChannel => "not_found_error",
            Self::BodyTooLarge => "request_too_large",
            Self::Refused(_) | Self::MethodNotAllowed | Self::BodyTimeout => {
                "invalid_request_error"
            }
            Self::Unreachable | Self::Timeout => "api_error",
        }
    }

    const fn message(self) -> &'static str {
        match self {
            Self::Refused(why) => why,
            Self::Unauthorized => "the gateway does not know this API key",
            Self::NotLocal => {
                "without [[clients]] the gateway serves this machine's programs only: the request's host or origin is not loopback"
            }
            Self::NoSuchPath => "the gateway serves no such path",
            Self::NoChannel => "no channel of the gateway serves this API and model",
            Self::MethodNotAllowed => "the gateway does not allow this method",
            Self::BodyTooLarge => "the request's body is larger than the gateway allows",
            Self::BodyTimeout => "the request's body did not arrive in time",
            Self::Unreachable => "no channel could be reached",
            Self::Timeout => "no channel answered in time",
        }
    }

    /// Whether the rest of the request may still be on the connection.
    const fn ends_connection(self) -> bool {
        matches!(
            self,
            Self::Refused(_)
                | Self::BodyTooLarge
                | Self::BodyTimeout
                | Self::Unauthorized
                | Self::NotLocal
        )
    }

    /// The answer: one object that is an error to clients of OpenAI, Anthropic and Gemini alike.
    pub(super) fn response(self) -> Response<Body> {
        let body = serde_json::json!({
            "type": "error",
            "error": {
                "type": self.kind(),
                "message": format!("affinity: {}", self.message()),
                "code": self.name(),
            },
        });
        let mut response = Response::new(Body::full(Bytes::from(body.to_string())));
        *response.status_mut() = self.status();
        let headers = response.headers_mut();
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        );
        if self.ends_connection() {
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}
