//! Values of the configuration that are more than a string.

use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

use affinity_router::ttl;
use bytesize::ByteSize;
use http::uri::{Authority, Scheme};
use http::{HeaderName, HeaderValue, Uri};
use serde::de::{Deserializer, Error, Unexpected, Visitor};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// An API that requests and answers are in; nothing is translated between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dialect {
    /// OpenAI Chat Completions.
    OpenaiChat,
    /// OpenAI Responses.
    OpenaiResponses,
    /// Anthropic Messages.
    Anthropic,
    /// Gemini `generateContent`.
    Gemini,
}

impl Dialect {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::OpenaiChat,
        Self::OpenaiResponses,
        Self::Anthropic,
        Self::Gemini,
    ];

    /// Its name in the configuration and in metrics.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenaiChat => "openai-chat",
            Self::OpenaiResponses => "openai-responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }

    /// The header that carries its API key.
    #[must_use]
    pub const fn auth(self) -> AuthHeader {
        match self {
            Self::OpenaiChat | Self::OpenaiResponses => AuthHeader::Bearer,
            Self::Anthropic => AuthHeader::XApiKey,
            Self::Gemini => AuthHeader::XGoogApiKey,
        }
    }
}

/// The header that carries an account's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AuthHeader {
    /// `authorization: Bearer …`
    Bearer,
    /// `x-api-key: …`
    XApiKey,
    /// `x-goog-api-key: …`
    XGoogApiKey,
    /// `api-key: …`, as Azure has it.
    ApiKey,
}

/// Something that must never be shown.
#[derive(Clone)]
pub struct Secret(HeaderValue);

impl Secret {
    /// The secret as the value of a header; `None` when it cannot be one.
    #[must_use]
    pub fn new(value: &str) -> Option<Self> {
        let mut value = HeaderValue::from_str(value)
            .ok()
            .filter(|v| !v.is_empty())?;
        value.set_sensitive(true);
        Some(Self(value))
    }

    /// The header that authenticates with this key.
    pub(crate) fn header(&self, auth: AuthHeader) -> (HeaderName, HeaderValue) {
        match auth {
            AuthHeader::Bearer => {
                let bearer = [b"Bearer ", self.0.as_bytes()].concat();
                let mut value = HeaderValue::from_bytes(&bearer)
                    .expect("a header value behind a scheme is one");
                value.set_sensitive(true);
                (http::header::AUTHORIZATION, value)
            }
            AuthHeader::XApiKey => (HeaderName::from_static("x-api-key"), self.0.clone()),
            AuthHeader::XGoogApiKey => (HeaderName::from_static("x-goog-api-key"), self.0.clone()),
            AuthHeader::ApiKey => (HeaderName::from_static("api-key"), self.0.clone()),
        }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// The SHA-256 of a token: what the configuration holds in place of the token.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct TokenHash([u8; 32]);

impl TokenHash {
    /// The hash of a token.
    #[must_use]
    pub fn of(token: &[u8]) -> Self {
        Self(Sha256::digest(token).into())
    }
}

impl fmt::Debug for TokenHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenHash")
    }
}

impl<'de> Deserialize<'de> for TokenHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // What was written may be the token itself by mistake: it is not repeated, nor is a number.
        let value = toml::Value::deserialize(deserializer)?;
        let text = value.as_str().unwrap_or("");
        let mut hash = [0; 32];
        let well_formed = text.len() == 64
            && hash
                .iter_mut()
                .zip(text.as_bytes().chunks(2))
                .all(|(byte, pair)| {
                    let digits = pair.iter().all(u8::is_ascii_hexdigit);
                    let parsed = std::str::from_utf8(pair).ok();
                    let parsed = parsed.and_then(|p| u8::from_str_radix(p, 16).ok());
                    *byte = parsed.unwrap_or(0);
                    digits
                });
        if well_formed {
            Ok(Self(hash))
        } else {
            Err(D::Error::custom(
                "expected the SHA-256 of the token as 64 hex digits",
            ))
        }
    }
}

/// Scheme, authority and path prefix of an upstream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseUrl {
    pub(crate) scheme: Scheme,
    pub(crate) authority: Authority,
    /// Without a slash at the end; empty when there is none.
    pub(crate) path: String,
}

impl BaseUrl {
    fn parse(text: &str) -> Option<Self> {
        let parts = text.parse::<Uri>().ok()?.into_parts();
        let (scheme, authority) = (parts.scheme?, parts.authority?);
        let path = parts.path_and_query.as_ref();
        let usable = (scheme == Scheme::HTTP || scheme == Scheme::HTTPS)
            && path.is_none_or(|p| p.query().is_none())
            && !authority.as_str().contains('@');
        usable.then(|| Self {
            scheme,
            authority,
            path: path.map_or("", |p| p.path()).trim_end_matches('/').into(),
        })
    }
}

impl std::str::FromStr for BaseUrl {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text).ok_or("expected an http or https URL without user, query or fragment")
    }
}

impl<'de> Deserialize<'de> for BaseUrl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(D::Error::custom)
    }
}

/// A value written as a string, which the message of an error may repeat.
struct Text<F> {
    expected: &'static str,
    read: F,
}

impl<T, F: FnOnce(&str) -> Option<T>> Visitor<'_> for Text<F> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        let Self { expected, read } = self;
        read(text).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &expected))
    }
}

/// Durations are added to the present, which has no room for all of them.
const LONGEST: Duration = Duration::from_secs(10 * 366 * 24 * 3600);

fn parse_duration(text: &str) -> Option<Duration> {
    let duration = humantime::parse_duration(text).ok();
    duration.filter(|duration| *duration <= LONGEST)
}

pub(super) fn duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    deserializer.deserialize_str(Text {
        expected: "a duration such as \"5s\" or \"1h 30m\", at most 10 years",
        read: parse_duration,
    })
}

pub(super) fn optional_duration<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Duration>, D::Error> {
    duration(deserializer).map(Some)
}

/// A duration, or the name of a provider's cache lifetime.
pub(super) fn optional_ttl<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Duration>, D::Error> {
    let ttl = |text: &str| match text {
        "anthropic-5m" => Some(ttl::ANTHROPIC_5M),
        "anthropic-1h" => Some(ttl::ANTHROPIC_1H),
        "openai" => Some(ttl::OPENAI),
        "openai-24h" => Some(ttl::OPENAI_24H),
        other => parse_duration(other),
    };
    let read = deserializer.deserialize_str(Text {
        expected: "anthropic-5m, anthropic-1h, openai, openai-24h or a duration such as \"5m\", at most 10 years",
        read: ttl,
    });
    read.map(Some)
}

/// A size: a number of bytes, or a string with its unit.
pub(super) fn size<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ByteSize, D::Error> {
    struct Size;

    impl Visitor<'_> for Size {
        type Value = ByteSize;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a size like \"16 MiB\"")
        }

        fn visit_i64<E: Error>(self, bytes: i64) -> Result<ByteSize, E> {
            let size = u64::try_from(bytes).map(ByteSize);
            size.map_err(|_| E::invalid_value(Unexpected::Signed(bytes), &self))
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<ByteSize, E> {
            let size = text.parse();
            size.map_err(|_| E::invalid_value(Unexpected::Str(text), &self))
        }
    }

    deserializer.deserialize_any(Size)
}

pub(super) fn address<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SocketAddr, D::Error> {
    deserializer.deserialize_str(Text {
        expected: "an IP address and a port such as \"127.0.0.1:8080\"",
        read: |text: &str| text.parse().ok(),
    })
}

pub(super) fn optional_address<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<SocketAddr>, D::Error> {
    address(deserializer).map(Some)
}

pub(super) fn header_name<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<HeaderName, D::Error> {
    deserializer.deserialize_str(Text {
        expected: "the name of a header",
        read: |text: &str| HeaderName::try_from(text).ok(),
    })
}
