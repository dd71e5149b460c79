use std::future::pending;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use affinity_hash::BoundedLoad;
use affinity_router::Router;
use arc_swap::ArcSwap;
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::accept;
use super::admin::Operators;
use super::live::Live;
use super::metrics::Metrics;
use super::proxy::Clients;
use super::reading::Readers;
use super::upstream::Upstreams;
use crate::config::{Config, changed_start_only};

/// Starts gateways.
#[derive(Debug)]
pub struct Gateway;

/// Why a gateway did not start.
#[derive(Debug)]
pub struct StartError {
    what: String,
    source: io::Error,
}

/// A configuration without clients, for a gateway that other machines can reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenToAll;

/// A gateway that serves, until it is shut down or dropped.
pub struct Running {
    /// Where clients connect.
    pub addr: SocketAddr,
    /// Where operators connect, if the configuration says so.
    pub admin_addr: Option<SocketAddr>,
    shared: Arc<Shared>,
    /// The configuration that it started with, which is in place where only a start reads it.
    started: Config,
    stop: watch::Sender<bool>,
    clients: JoinHandle<()>,
    admin: Option<JoinHandle<()>>,
    grace: Duration,
}

/// What all requests share.
pub(super) struct Shared {
    pub(super) router: Arc<Router>,
    pub(super) live: ArcSwap<Live>,
    pub(super) readers: Readers,
    pub(super) metrics: Metrics,
    pub(super) ids: RequestIds,
    upstreams: Upstreams,
    cut: AtomicBool,
}

impl Shared {
    /// Whether the gateway ends without waiting for the requests under way.
    pub(super) fn is_cut(&self) -> bool {
        // Relaxed: whoever is dropped by an abort sees what was stored before it.
        self.cut.load(Ordering::Relaxed)
    }
}

impl Gateway {
    /// Binds the listeners and serves on the current tokio runtime. Port 0 takes any free port.
    ///
    /// # Errors
    /// When a listener cannot be bound.
    pub async fn start(config: Config) -> Result<Running, StartError> {
        let server = config.server.clone();
        let limits = config.limits.clone();
        let upstreams = Upstreams::new(limits.connect_timeout).map_err(|source| StartError {
            what: "the TLS client cannot be set up".into(),
            source,
        })?;
        let router = Arc::new(router(&config));
        let started = config.clone();
        let shared = Arc::new(Shared {
            live: ArcSwap::from_pointee(Live::new(config, &router, &upstreams)),
            router,
            upstreams,
            readers: Readers::new(),
            metrics: Metrics::new(),
            ids: RequestIds::new(),
            cut: AtomicBool::new(false),
        });
        let (stop, stopping) = watch::channel(false);

        let (listener, addr) = bind(server.listen)?;
        let admin = match server.admin {
            Some(admin) => Some(bind(admin)?),
            None => None,
        };
        let proxy = Clients(Arc::clone(&shared));
        let mut stopped = stopping.clone();
        let stop_asked = async move {
            // Fails only when nobody is left who could ask.
            let _ = stopped.wait_for(|stop| *stop).await;
        };
        let clients = accept::serve(listener, proxy, limits.clone(), stop_asked);
        let clients = tokio::spawn(clients);
        let (admin, admin_addr) = admin
            .map(|(listener, addr)| {
                let token = server.admin_token_sha256;
                let operators = Operators::new(Arc::clone(&shared), token, stopping);
                // Until it is aborted: health and metrics are of interest to the last.
                let admin = accept::serve(listener, operators, limits, pending());
                (tokio::spawn(admin), addr)
            })
            .unzip();
        Ok(Running {
            addr,
            admin_addr,
            shared,
            started,
            stop,
            clients,
            admin,
            grace: server.shutdown_grace,
        })
    }
}

/// Connections that may wait to be accepted. With the usual 1,024, a burst of as many clients gets
/// some of them reset when the machine is busy.
const BACKLOG: u32 = 4_096;

fn bind(addr: SocketAddr) -> Result<(TcpListener, SocketAddr), StartError> {
    let bound = || {
        let socket = match addr {
            SocketAddr::V4(_) => TcpSocket::new_v4()?,
            SocketAddr::V6(_) => TcpSocket::new_v6()?,
        };
        // As `TcpListener::bind` does: a restart need not wait for old connections to time out.
        #[cfg(not(windows))]
        socket.set_reuseaddr(true)?;
        socket.bind(addr)?;
        let listener = socket.listen(BACKLOG)?;
        let addr = listener.local_addr()?;
        Ok((listener, addr))
    };
    bound().map_err(|source| StartError {
        what: format!("cannot listen on {addr}"),
        source,
    })
}

fn router(config: &Config) -> Router {
    let affinity = &config.affinity;
    let mut builder = Router::builder()
        .limit(affinity.limit)
        .ttl(affinity.ttl)
        .min_prefix_bytes(usize::try_from(affinity.min_prefix_bytes.as_u64()).unwrap_or(usize::MAX))
        .scope_model(affinity.scope_model);
    if let Some(key) = affinity.key {
        builder = builder.key(key);
    }
    if let Some(bound) = affinity.bounded_load {
        builder = builder.bounded_load(BoundedLoad {
            factor_percent: bound.factor_percent,
            floor: bound.floor,
        });
    }
    builder.build()
}

impl Running {
    /// Puts another configuration in place, for requests that begin from now on. Memories,
    /// cooldowns and requests under way stay. What is read at start only stays as it was, and the
    /// log names what would be another.
    ///
    /// # Errors
    /// When it names no clients, and the listener is open to other machines: it stays where it
    /// was bound, whatever the new configuration says.
    pub fn reload(&self, config: Config) -> Result<(), OpenToAll> {
        if config.clients.is_empty() && !self.addr.ip().is_loopback() {
            return Err(OpenToAll);
        }
        for key in changed_start_only(&self.started, &config) {
            tracing::warn!(key, "changed, but read at start only: restart to apply it");
        }
        let live = Live::new(config, &self.shared.router, &self.shared.upstreams);
        self.shared.live.store(Arc::new(live));
        Ok(())
    }

    /// Counts a reload by its outcome.
    pub(super) fn count_reload(&self, outcome: &str) {
        self.shared.metrics.reloaded(outcome);
    }

    /// Takes no new requests, waits for those under way for as long as the configuration grants,
    /// and ends.
    pub async fn shutdown(mut self) {
        // Fails only if the listener is gone already.
        let _ = self.stop.send(true);
        if tokio::time::timeout(self.grace, &mut self.clients)
            .await
            .is_err()
        {
            tracing::warn!("requests are still under way; they are cut off");
        }
    }
}

/// Ends what still serves.
impl Drop for Running {
    fn drop(&mut self) {
        // Relaxed: see `is_cut`.
        self.shared.cut.store(true, Ordering::Relaxed);
        self.clients.abort();
        self.admin.iter().for_each(JoinHandle::abort);
    }
}

impl std::fmt::Debug for Running {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Running")
            .field("addr", &self.addr)
            .field("admin_addr", &self.admin_addr)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Display for OpenToAll {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("clients: expected at least one while other machines reach the gateway")
    }
}

impl std::error::Error for OpenToAll {}

impl std::fmt::Display for StartError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for StartError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

/// Ids that no two requests share: a random part for the process, and a number.
pub(super) struct RequestIds {
    process: u64,
    next: AtomicU64,
}

impl RequestIds {
    fn new() -> Self {
        use std::hash::{BuildHasher, RandomState};
        Self {
            // The seed of the standard library's hasher is the system's randomness.
            process: RandomState::new().hash_one(std::process::id()),
            next: AtomicU64::new(0),
        }
    }

    pub(super) fn next(&self) -> Arc<str> {
        // Relaxed: only that the numbers differ matters.
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        format!("{:016x}{number:08x}", self.process).into()
    }
}
