//! Refusals, in the body each provider sends.

use std::time::Duration;

use serde_json::{Value, json};

use super::serve::Dialect;

/// A refusal.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) status: u16,
    code: Option<&'static str>,
    param: Option<&'static str>,
    message: String,
    pub(super) retry_after: Option<Duration>,
}

impl Problem {
    fn new(status: u16, code: Option<&'static str>, message: impl Into<String>) -> Self {
        Self {
            status,
            code,
            param: None,
            message: message.into(),
            retry_after: None,
        }
    }

    pub(super) fn invalid(param: &'static str, message: &str) -> Self {
        let mut problem = Self::new(400, None, format!("{param}: {message}"));
        problem.param = Some(param);
        problem
    }

    pub(super) fn not_json() -> Self {
        Self::new(
            400,
            None,
            "we could not parse the JSON body of your request",
        )
    }

    pub(super) fn too_large() -> Self {
        Self::new(413, None, "request exceeds the maximum size")
    }

    pub(super) fn wrong_key() -> Self {
        Self::new(401, Some("invalid_api_key"), "incorrect API key provided")
    }

    pub(super) fn unknown_model() -> Self {
        Self::new(404, Some("model_not_found"), "the model does not exist")
    }

    pub(super) fn unknown_path() -> Self {
        Self::new(404, None, "not found")
    }

    pub(super) fn unknown_previous_response() -> Self {
        let code = Some("previous_response_not_found");
        let mut problem = Self::new(400, code, "previous response not found");
        problem.param = Some("previous_response_id");
        problem
    }

    pub(super) fn foreign_reasoning() -> Self {
        let code = Some("invalid_encrypted_content");
        Self::new(400, code, "the encrypted content could not be verified")
    }

    pub(super) fn rate_limited(retry_after: Duration) -> Self {
        let message = "rate limit reached for requests; please try again later";
        let mut problem = Self::new(429, Some("rate_limit_exceeded"), message);
        problem.retry_after = Some(retry_after);
        problem
    }

    /// A fault of this status.
    pub(super) fn status(status: u16) -> Self {
        Self::new(
            status,
            None,
            "the server had an error while processing your request",
        )
    }

    /// The body in this dialect.
    pub(super) fn body(&self, dialect: Dialect, request_id: &str) -> Value {
        match dialect {
            Dialect::Messages => json!({
                "type": "error",
                "error": { "type": self.anthropic_type(), "message": self.message },
                "request_id": request_id,
            }),
            Dialect::Chat | Dialect::Responses => json!({ "error": {
                "message": self.message,
                "type": self.openai_type(),
                "param": self.param,
                "code": self.code,
            } }),
            Dialect::Gemini => json!({ "error": {
                "code": self.status,
                "message": self.message,
                "status": self.google_status(),
            } }),
        }
    }

    fn openai_type(&self) -> &'static str {
        match self.status {
            429 => "requests",
            500.. => "server_error",
            _ => "invalid_request_error",
        }
    }

    fn google_status(&self) -> &'static str {
        match self.status {
            401 => "UNAUTHENTICATED",
            403 => "PERMISSION_DENIED",
            404 => "NOT_FOUND",
            429 => "RESOURCE_EXHAUSTED",
            503 => "UNAVAILABLE",
            500.. => "INTERNAL",
            _ => "INVALID_ARGUMENT",
        }
    }

    fn anthropic_type(&self) -> &'static str {
        match self.status {
            401 => "authentication_error",
            403 => "permission_error",
            404 => "not_found_error",
            413 => "request_too_large",
            429 => "rate_limit_error",
            529 => "overloaded_error",
            500.. => "api_error",
            _ => "invalid_request_error",
        }
    }
}
