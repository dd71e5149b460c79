//! Clients in a closed loop: each sends its next request when the last one is answered.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::ensure;
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::upstream::EVENTS;

/// Time within which all streams are opened; much less than one takes.
const RAMP: Duration = Duration::from_millis(500);

/// Where to send what.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) address: SocketAddr,
    pub(crate) path: &'static str,
    pub(crate) bodies: Arc<Vec<Bytes>>,
}

/// The requests of one measurement.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) elapsed: Duration,
    /// Time of each request, in ascending order.
    pub(crate) times: Vec<Duration>,
}

impl Run {
    pub(crate) fn per_second(&self) -> f64 {
        self.times.len() as f64 / self.elapsed.as_secs_f64()
    }

    /// The time that so many per mille of the requests kept, by nearest rank.
    pub(crate) fn quantile(&self, per_mille: usize) -> Duration {
        let rank = (self.times.len() * per_mille).div_ceil(1000).max(1);
        self.times.get(rank - 1).copied().unwrap_or_default()
    }
}

/// Sends on so many connections for this long.
pub(crate) async fn closed_loop(
    target: &Target,
    connections: usize,
    span: Duration,
) -> anyhow::Result<Run> {
    let next = Arc::new(AtomicUsize::new(0));
    let began = Instant::now();
    let mut clients = JoinSet::new();
    for _ in 0..connections {
        clients.spawn(client(target.clone(), Arc::clone(&next), began + span));
    }
    let mut times = Vec::new();
    while let Some(client) = clients.join_next().await {
        times.extend(client??);
    }
    let elapsed = began.elapsed();
    times.sort_unstable();
    Ok(Run { elapsed, times })
}

async fn client(
    target: Target,
    next: Arc<AtomicUsize>,
    until: Instant,
) -> anyhow::Result<Vec<Duration>> {
    let mut sender = connect(target.address).await?;
    let mut times = Vec::new();
    while Instant::now() < until {
        let at = next.fetch_add(1, Ordering::Relaxed) % target.bodies.len();
        let request = request(&target, at)?;
        let sent = Instant::now();
        let response = sender.send_request(request).await?;
        let status = response.status();
        response.into_body().collect().await?;
        times.push(sent.elapsed());
        ensure!(status.is_success(), "status {status}");
    }
    Ok(times)
}

/// Opens so many streams, each on a connection of its own, within half a second, as a listener's
/// queue holds no thousand connections at one instant; returns how many came whole.
pub(crate) async fn streams(target: &Target, count: usize) -> usize {
    let mut streams = JoinSet::new();
    for at in 0..count {
        let delay = RAMP * at as u32 / count as u32;
        streams.spawn(stream(target.clone(), at, delay));
    }
    let mut whole = 0;
    while let Some(stream) = streams.join_next().await {
        match stream {
            Ok(Ok(())) => whole += 1,
            Ok(Err(error)) => eprintln!("a stream broke: {error:#}"),
            Err(error) => eprintln!("a stream's task failed: {error}"),
        }
    }
    whole
}

async fn stream(target: Target, at: usize, delay: Duration) -> anyhow::Result<()> {
    tokio::time::sleep(delay).await;
    let mut sender = connect(target.address).await?;
    let request = request(&target, at % target.bodies.len())?;
    let response = sender.send_request(request).await?;
    ensure!(
        response.status().is_success(),
        "status {}",
        response.status()
    );
    let body = response.into_body().collect().await?.to_bytes();
    let events = memchr::memmem::find_iter(&body, b"\n\n").count();
    ensure!(events == EVENTS, "{events} of {EVENTS} events");
    Ok(())
}

fn request(target: &Target, at: usize) -> anyhow::Result<Request<Full<Bytes>>> {
    let request = Request::post(target.path)
        .header("host", target.address.to_string())
        .header("content-type", "application/json")
        .header("authorization", "Bearer load");
    Ok(request.body(Full::new(target.bodies[at].clone()))?)
}

async fn connect(address: SocketAddr) -> anyhow::Result<SendRequest<Full<Bytes>>> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    // Its end is seen by whoever waits for an answer.
    tokio::spawn(connection);
    Ok(sender)
}
