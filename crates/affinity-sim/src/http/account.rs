//! An account's listener and its handle.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use super::fault::Fault;
use super::ledger::{Received, Stats};
use super::options::Options;
use super::serve::Service;
use super::socket::Socket;

/// A simulated account, answering on a loopback port until it is stopped or dropped.
#[derive(Debug)]
pub struct Account {
    service: Arc<Service>,
    address: SocketAddr,
    /// Whether the account should take connections.
    wanted: watch::Sender<bool>,
    /// Whether it does.
    listening: watch::Receiver<bool>,
    task: JoinHandle<()>,
}

impl Account {
    /// Starts an account on a free port of 127.0.0.1. Needs a running tokio runtime.
    ///
    /// # Errors
    /// The port cannot be bound.
    pub async fn start(options: Options) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let service = Arc::new(Service::new(options));
        let (wanted, wanted_seen) = watch::channel(true);
        let (listening_set, listening) = watch::channel(true);
        let accepting = accept(listener, Arc::clone(&service), wanted_seen, listening_set);
        let task = tokio::spawn(accepting);
        Ok(Self {
            service,
            address,
            wanted,
            listening,
            task,
        })
    }

    /// The account's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.service.options.name
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// `http://127.0.0.1:PORT`, without a path.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The counts so far.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.service.ledger.stats()
    }

    /// The last 512 requests, oldest first.
    #[must_use]
    pub fn received(&self) -> Vec<Received> {
        self.service.ledger.received()
    }

    /// Has this fault from now on; [`Account::heal`] ends it.
    pub async fn fail(&self, fault: Fault) {
        self.service.faults.set(Some(fault), None);
        self.listen(fault != Fault::Down).await;
    }

    /// Has this fault for the next `times` requests. [`Fault::Down`] has no requests to count and
    /// lasts until [`Account::heal`].
    pub async fn fail_times(&self, fault: Fault, times: u32) {
        self.service
            .faults
            .set((times > 0).then_some(fault), Some(times));
        self.listen(fault != Fault::Down).await;
    }

    /// Ends the fault in force; requests that hang already keep hanging.
    pub async fn heal(&self) {
        self.service.faults.set(None, None);
        self.listen(true).await;
    }

    /// Empties the prompt cache.
    pub fn forget_cache(&self) {
        self.service.forget_cache();
    }

    /// Stops listening and drops every connection.
    pub async fn stop(mut self) {
        self.task.abort();
        // The task was aborted or has panicked; either way it is over.
        let _ = (&mut self.task).await;
    }

    /// Returns when the account listens, or does not, as asked.
    async fn listen(&self, wanted: bool) {
        self.wanted.send_replace(wanted);
        // The task ends only with the account.
        let _ = self.listening.clone().wait_for(|now| *now == wanted).await;
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Accepts while wanted. When not, the port refuses and open connections are dropped.
async fn accept(
    listener: TcpListener,
    service: Arc<Service>,
    mut wanted: watch::Receiver<bool>,
    listening: watch::Sender<bool>,
) {
    let Ok(address) = listener.local_addr() else {
        return;
    };
    let mut listener = Some(listener);
    let mut connections = JoinSet::new();
    loop {
        let Some(open) = &listener else {
            if wanted.wait_for(|wanted| *wanted).await.is_err() {
                return;
            }
            listener = Some(bind_again(address).await);
            listening.send_replace(true);
            continue;
        };
        tokio::select! {
            accepted = open.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(connection(stream, Arc::clone(&service)));
                }
                // Out of descriptors: the next attempt may find one.
                Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
            },
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
            alive = async { wanted.wait_for(|wanted| !*wanted).await.is_ok() } => {
                if !alive {
                    return;
                }
                listener = None;
                connections.shutdown().await;
                listening.send_replace(false);
            }
        }
    }
}

/// The same port as before; another process may hold it for a moment.
async fn bind_again(address: SocketAddr) -> TcpListener {
    loop {
        match TcpListener::bind(address).await {
            Ok(listener) => return listener,
            Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
}

async fn connection(stream: TcpStream, service: Arc<Service>) {
    let open = Open::count(&service);
    // Without it, small events wait for the peer's delayed acknowledgement.
    let _ = stream.set_nodelay(true);
    let (socket, reset) = Socket::new(stream);
    let handler = service_fn(move |request| Arc::clone(&service).serve(request, reset.clone()));
    // A client that goes away, or a connection that was broken on demand, is no fault of ours.
    let _ = http1::Builder::new()
        .timer(TokioTimer::new())
        .serve_connection(TokioIo::new(socket), handler)
        .await;
    drop(open);
}

/// Counts a connection as open while it lives, however it ends.
struct Open(Arc<Service>);

impl Open {
    fn count(service: &Arc<Service>) -> Self {
        service.ledger.count(|stats| {
            stats.connections += 1;
            stats.open_connections += 1;
        });
        Self(Arc::clone(service))
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.ledger.count(|stats| stats.open_connections -= 1);
    }
}
