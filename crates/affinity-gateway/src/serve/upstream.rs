//! The clients that speak to the accounts.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper_rustls::{ConfigBuilderExt, HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::{ClientConfig, ConfigBuilder, WantsVerifier};

use crate::config;

/// A client with a connection pool.
pub(super) type Upstream = Client<HttpsConnector<HttpConnector>, Full<Bytes>>;

/// Idle connections are closed before most upstreams and load balancers would.
const IDLE: Duration = Duration::from_secs(50);

/// Makes the accounts' clients. TLS is verified always.
pub(super) struct Upstreams {
    connect_timeout: Duration,
    tls: ConfigBuilder<ClientConfig, WantsVerifier>,
    /// Of all accounts without authorities of their own: verifies against Mozilla's roots.
    common: Upstream,
}

impl Upstreams {
    pub(super) fn new(connect_timeout: Duration) -> io::Result<Self> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(io::Error::other)?;
        let verified = tls.clone().with_webpki_roots().with_no_client_auth();
        Ok(Self {
            connect_timeout,
            tls,
            common: client(verified, connect_timeout),
        })
    }

    /// The client for an account; its own, with its own connections, if it trusts others.
    pub(super) fn of(&self, account: &config::Channel) -> Upstream {
        let Some(roots) = &account.ca else {
            return self.common.clone();
        };
        let verified = self.tls.clone().with_root_certificates(Arc::clone(roots));
        client(verified.with_no_client_auth(), self.connect_timeout)
    }
}

fn client(tls: ClientConfig, connect_timeout: Duration) -> Upstream {
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    tcp.set_keepalive(Some(Duration::from_secs(60)));
    tcp.set_connect_timeout(Some(connect_timeout));
    let connector = HttpsConnectorBuilder::new()
        .with_tls_config(tls)
        .https_or_http()
        .enable_all_versions()
        .wrap_connector(tcp);
    Client::builder(TokioExecutor::new())
        .timer(TokioTimer::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(IDLE)
        .build(connector)
}
