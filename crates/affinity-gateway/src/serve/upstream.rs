//! The client that speaks to the accounts.

use std::io;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};

pub(super) type Upstream = Client<HttpsConnector<HttpConnector>, Full<Bytes>>;

/// Idle connections are closed before most upstreams and load balancers would.
const IDLE: Duration = Duration::from_secs(50);

/// A client with a connection pool. TLS is verified against Mozilla's roots.
pub(super) fn client(connect_timeout: Duration) -> io::Result<Upstream> {
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    tcp.set_keepalive(Some(Duration::from_secs(60)));
    tcp.set_connect_timeout(Some(connect_timeout));
    let tls = HttpsConnectorBuilder::new()
        .with_provider_and_webpki_roots(rustls::crypto::ring::default_provider())
        .map_err(io::Error::other)?
        .https_or_http()
        .enable_all_versions()
        .wrap_connector(tcp);
    Ok(Client::builder(TokioExecutor::new())
        .timer(TokioTimer::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(IDLE)
        .build(tls))
}
