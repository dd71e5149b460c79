use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytesize::ByteSize;
use http::HeaderName;
use rustls::RootCertStore;
use serde::Deserialize;

use super::values::{
    AuthHeader, BaseUrl, Dialect, Secret, TokenHash, address, duration, header_name,
    optional_address, optional_duration, optional_ttl, size,
};

/// The whole configuration.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub struct Config {
    /// Listeners and shutdown.
    pub server: Server,
    /// What is logged, and how.
    pub log: Log,
    /// The decision.
    pub affinity: Affinity,
    /// When the next channel is tried.
    pub failover: Failover,
    /// Sizes and times that no request may exceed.
    pub limits: Limits,
    /// The upstream accounts.
    pub channels: Vec<Channel>,
    /// Who may use the gateway. Nobody listed: anybody on this machine.
    pub clients: Vec<Client>,
}

/// Listeners and shutdown. Read at start only.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub struct Server {
    /// Where clients connect. Only loopback is allowed while no clients are configured.
    #[serde(deserialize_with = "address")]
    pub listen: SocketAddr,
    /// Where operators connect; no admin listener when absent.
    #[serde(deserialize_with = "optional_address")]
    pub admin: Option<SocketAddr>,
    /// SHA-256 of the admin listener's bearer token. Required off loopback.
    pub admin_token_sha256: Option<TokenHash>,
    /// Which of the accounts' paths clients may reach.
    pub expose: Expose,
    /// How long requests under way may take after a shutdown began.
    #[serde(deserialize_with = "duration")]
    pub shutdown_grace: Duration,
}

impl Default for Server {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 8080)),
            admin: None,
            admin_token_sha256: None,
            expose: Expose::Conversations,
            shutdown_grace: Duration::from_secs(30),
        }
    }
}

/// Which of the accounts' paths clients may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Expose {
    /// Conversations, token counts, embeddings and lists of models: nothing that shows what
    /// another client of the same account stored there.
    Conversations,
    /// Everything: files, batches, stored responses, administration.
    Everything,
}

/// What is logged, and how. Read at start only.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub struct Log {
    /// One JSON object a line, or text.
    pub format: LogFormat,
    /// `error`, `warn`, `info`, `debug`, `trace`, or directives of `tracing-subscriber`.
    pub level: String,
}

impl Default for Log {
    fn default() -> Self {
        Self {
            format: LogFormat::Text,
            level: "info".into(),
        }
    }
}

/// The form of a log line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LogFormat {
    /// For people.
    Text,
    /// For machines.
    Json,
}

/// The decision: what the router remembers and where from.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub struct Affinity {
    /// Affinity, or round robin for comparison.
    pub policy: Policy,
    /// Environment variable with the 32 hex digits of the fingerprint key, equal on all replicas.
    /// Read at start only.
    pub key_env: Option<String>,
    /// The key itself, read from there by [`load`](super::load).
    #[serde(skip)]
    pub key: Option<affinity_hash::Key>,
    /// How many memories are kept. Read at start only.
    pub limit: usize,
    /// A memory's lifetime after its last use, where the channel has no `cache_ttl`. Read at
    /// start only.
    #[serde(deserialize_with = "duration")]
    pub ttl: Duration,
    /// Conversations with fewer bytes are ordered without memory. Read at start only.
    #[serde(deserialize_with = "size")]
    pub min_prefix_bytes: ByteSize,
    /// The gateway's own session header; it wins over every other source.
    #[serde(deserialize_with = "header_name")]
    pub session_header: HeaderName,
    /// Whether clients' session ids decide at all.
    pub sessions: bool,
    /// Whether sub-agents of one session share its channel.
    pub agents: Agents,
    /// Whether models are different conversations. Read at start only.
    pub scope_model: bool,
    /// Sends overloaded channels behind the others. Read at start only.
    pub bounded_load: Option<BoundedLoad>,
    /// Whether answers carry `x-affinity-channel`, `-source` and `-depth`.
    pub response_headers: bool,
}

impl Default for Affinity {
    fn default() -> Self {
        Self {
            policy: Policy::Affinity,
            key_env: None,
            key: None,
            limit: 100_000,
            ttl: affinity_router::ttl::ANTHROPIC_5M,
            min_prefix_bytes: ByteSize::b(0),
            session_header: HeaderName::from_static("x-affinity-session"),
            sessions: true,
            agents: Agents::Share,
            scope_model: true,
            bounded_load: None,
            response_headers: true,
        }
    }
}

/// Who decides the order of channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    /// The conversation.
    Affinity,
    /// Each request starts one channel further; nothing is read for fingerprints or remembered.
    RoundRobin,
}

/// What a sub-agent's requests are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Agents {
    /// Part of their session.
    Share,
    /// Sessions of their own.
    Split,
}

/// See [`affinity_hash::BoundedLoad`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct BoundedLoad {
    /// The cap in percent of the fair share of the requests in flight.
    pub factor_percent: u32,
    /// Requests in flight that a channel may always have.
    pub floor: u32,
}

/// When the next channel is tried.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub struct Failover {
    /// At most this many channels are tried for a request; all of them when absent.
    pub attempts: Option<NonZeroUsize>,
    /// How long a channel cools down that could not be reached, did not answer in time or said
    /// 429 without `retry-after`.
    #[serde(deserialize_with = "duration")]
    pub cooldown: Duration,
    /// No `retry-after` cools a channel down for longer.
    #[serde(deserialize_with = "duration")]
    pub max_cooldown: Duration,
    /// Statuses besides 429 and 5xx on which the next channel is tried.
    pub also_on: Vec<u16>,
    /// What becomes of a request that only one account can serve.
    pub bound: Bound,
}

impl Default for Failover {
    fn default() -> Self {
        Self {
            attempts: None,
            cooldown: Duration::from_secs(5),
            max_cooldown: Duration::from_secs(300),
            also_on: Vec::new(),
            bound: Bound::Stay,
        }
    }
}

/// What becomes of a request that holds encrypted reasoning or names an earlier response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// It goes to the remembered channel only; another would refuse it.
    Stay,
    /// It fails over like any other.
    Move,
}

/// Sizes and times that no request may exceed.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub struct Limits {
    /// Bytes of a request's body.
    #[serde(deserialize_with = "size")]
    pub body: ByteSize,
    /// Bytes of a request's head. Read at start only.
    #[serde(deserialize_with = "size")]
    pub head: ByteSize,
    /// Lines of a request's head. Read at start only.
    pub headers: usize,
    /// Connections of clients at once. Read at start only.
    pub connections: usize,
    /// For a request's head to arrive, which is also how long an idle connection is kept. Read
    /// at start only.
    #[serde(deserialize_with = "duration")]
    pub head_timeout: Duration,
    /// For the next piece of a request's body to arrive.
    #[serde(deserialize_with = "duration")]
    pub body_timeout: Duration,
    /// For a client to take the next piece of an answer. Read at start only.
    #[serde(deserialize_with = "duration")]
    pub write_timeout: Duration,
    /// For a connection to an upstream. Read at start only.
    #[serde(deserialize_with = "duration")]
    pub connect_timeout: Duration,
    /// From sending a streaming request to the first byte of the answer's body.
    #[serde(deserialize_with = "duration")]
    pub first_byte_timeout: Duration,
    /// The same for a request that does not stream: its first byte comes when all is generated.
    #[serde(deserialize_with = "duration")]
    pub answer_timeout: Duration,
    /// Between two pieces of an answer's body.
    #[serde(deserialize_with = "duration")]
    pub idle_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: ByteSize::mib(32),
            head: ByteSize::kib(64),
            headers: 100,
            connections: 10_000,
            head_timeout: Duration::from_secs(60),
            body_timeout: Duration::from_secs(30),
            write_timeout: Duration::from_secs(60),
            connect_timeout: Duration::from_secs(5),
            first_byte_timeout: Duration::from_secs(120),
            answer_timeout: Duration::from_secs(600),
            idle_timeout: Duration::from_secs(300),
        }
    }
}

/// One upstream account.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct Channel {
    /// The account's identity: the same name is the same account, and its memories stay.
    pub name: String,
    /// Where its API is; a path is put before the request's.
    pub base_url: BaseUrl,
    /// The APIs that it speaks.
    pub dialects: Vec<Dialect>,
    /// Environment variable with its API key.
    pub key_env: Option<String>,
    /// File with its API key, relative to the configuration file.
    pub key_file: Option<PathBuf>,
    /// The key itself, read from there by [`load`](super::load). Without one, requests go
    /// upstream without credentials.
    #[serde(skip)]
    pub key: Option<Secret>,
    /// File with the certificates (PEM) of the authorities that vouch for it, in place of the
    /// public ones; relative to the configuration file.
    pub ca_file: Option<PathBuf>,
    /// The authorities themselves, read from there by [`load`](super::load).
    #[serde(skip)]
    pub ca: Option<Arc<RootCertStore>>,
    /// The header that carries the key; the dialect's own by default.
    pub auth: Option<AuthHeader>,
    /// Its share of conversations; 0 takes part in fail-over only.
    #[serde(default = "one")]
    pub weight: u32,
    /// The models it serves; any when empty.
    #[serde(default)]
    pub models: Vec<String>,
    /// Other names for models: the request's name is replaced by this account's.
    #[serde(default)]
    pub aliases: BTreeMap<String, String>,
    /// With this many requests in flight it goes behind the others.
    pub max_in_flight: Option<u32>,
    /// How long its prompt cache lives after its last use.
    #[serde(default, deserialize_with = "optional_ttl")]
    pub cache_ttl: Option<Duration>,
    /// In place of `limits.first_byte_timeout`.
    #[serde(default, deserialize_with = "optional_duration")]
    pub first_byte_timeout: Option<Duration>,
    /// In place of `limits.answer_timeout`.
    #[serde(default, deserialize_with = "optional_duration")]
    pub answer_timeout: Option<Duration>,
    /// In place of `limits.idle_timeout`.
    #[serde(default, deserialize_with = "optional_duration")]
    pub idle_timeout: Option<Duration>,
}

const fn one() -> u32 {
    1
}

impl Channel {
    /// A channel with default settings and without a key.
    #[must_use]
    pub fn new(name: &str, base_url: BaseUrl, dialects: &[Dialect]) -> Self {
        Self {
            name: name.into(),
            base_url,
            dialects: dialects.into(),
            key_env: None,
            key_file: None,
            key: None,
            ca_file: None,
            ca: None,
            auth: None,
            weight: one(),
            models: Vec::new(),
            aliases: BTreeMap::new(),
            max_in_flight: None,
            cache_ttl: None,
            first_byte_timeout: None,
            answer_timeout: None,
            idle_timeout: None,
        }
    }
}

/// Somebody who may use the gateway.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct Client {
    /// SHA-256 of the token that the client sends as its API key, in hex.
    pub token_sha256: TokenHash,
    /// Whose conversations these are. Tenants never share memories; clients of one tenant do.
    pub tenant: String,
}
