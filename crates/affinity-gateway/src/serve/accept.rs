//! Takes clients' connections.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use http::{Request, Response};
use hyper::body::{Body, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio_io_timeout::TimeoutStream;

use super::both_lengths::Seen;
use super::opening::Opening;
use super::tapped::Tapped;
use crate::config::Limits;

/// After an error such as too many open files, accepting again at once would spin.
const PAUSE: Duration = Duration::from_millis(50);

/// Answers a listener's requests. Both listeners are limited alike: a slow client of either must
/// not hold what others wait for.
pub(super) trait Handler: Clone + Send + Sync + 'static {
    type Body: Body<Data: Send, Error: Into<BoxError>> + Send + 'static;

    /// Answers one request; `seen` is what its connection read since the last.
    fn answer(
        &self,
        seen: Seen,
        request: Request<Incoming>,
    ) -> impl Future<Output = Response<Self::Body>> + Send;
}

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Serves until `stop`, and then until the connections under way have ended.
pub(super) async fn serve(
    listener: TcpListener,
    handler: impl Handler,
    limits: Limits,
    stop: impl Future<Output = ()>,
) {
    let mut stop = pin!(stop);
    let server = Arc::new(server(&limits));
    let graceful = GracefulShutdown::new();
    let places = Arc::new(Semaphore::new(limits.connections));
    // Dropped with this future: a shutdown that waits no longer ends them all.
    let mut connections = JoinSet::new();
    loop {
        let next = tokio::select! {
            accepted = accept(&listener, &places) => accepted,
            Some(_) = connections.join_next() => continue,
            () = &mut stop => break,
        };
        let (stream, place) = next;
        let connection = connection(
            stream,
            &limits,
            Arc::clone(&server),
            handler.clone(),
            graceful.watcher(),
        );
        connections.spawn(async move {
            connection.await;
            drop(place);
        });
    }
    drop(listener);
    graceful.shutdown().await;
    while connections.join_next().await.is_some() {}
}

/// The next connection, once there is a place for it.
async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> (TcpStream, Option<OwnedSemaphorePermit>) {
    let place = Arc::clone(places).acquire_owned().await.ok();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return (stream, place),
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

fn server(limits: &Limits) -> Builder<TokioExecutor> {
    let head = usize::try_from(limits.head.as_u64()).unwrap_or(usize::MAX);
    let mut server = Builder::new(TokioExecutor::new());
    server
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head_timeout)
        .max_buf_size(head)
        .max_headers(limits.headers);
    server
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(Duration::from_secs(20))
        .max_header_list_size(u32::try_from(head).unwrap_or(u32::MAX));
    server
}

fn connection(
    stream: TcpStream,
    limits: &Limits,
    server: Arc<Builder<TokioExecutor>>,
    handler: impl Handler,
    graceful: hyper_util::server::graceful::Watcher,
) -> impl Future<Output = ()> + Send + 'static {
    // Each piece of a stream is to leave at once; without, small ones wait for each other.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "cannot set TCP_NODELAY");
    }
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(limits.write_timeout));
    let head = usize::try_from(limits.head.as_u64()).unwrap_or(usize::MAX);
    let stream = Tapped::new(Box::pin(stream), Opening::within(limits.head_timeout));
    let seen = Seen::new(head);
    let stream = Tapped::new(stream, seen.clone());
    let service = service_fn(move |request| {
        let (handler, seen) = (handler.clone(), seen.clone());
        async move { Ok::<_, Infallible>(handler.answer(seen, request).await) }
    });
    async move {
        let connection = server.serve_connection(TokioIo::new(stream), service);
        // Clients that leave or speak nonsense end here; hyper has answered what it could.
        if let Err(error) = graceful.watch(connection.into_owned()).await {
            tracing::debug!(error = %kind(&*error), "connection ended");
        }
    }
}

/// The kind of an error, without anything that the client sent.
fn kind(error: &(dyn std::error::Error + Send + Sync + 'static)) -> &'static str {
    match error.downcast_ref::<hyper::Error>() {
        Some(e) if e.is_timeout() => "timeout",
        Some(e) if e.is_parse() => "malformed",
        Some(e) if e.is_incomplete_message() => "incomplete",
        Some(e) if e.is_user() => "answer cut",
        _ => "other",
    }
}
