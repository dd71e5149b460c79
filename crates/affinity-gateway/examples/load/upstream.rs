//! An account that costs as little as possible: it reads the request and answers at once.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Either, Full};
use hyper::body::{Body, Frame, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::time::{Interval, MissedTickBehavior, interval};

/// Path of answers that come as a stream of [`EVENTS`] events.
pub(crate) const STREAM_PATH: &str = "/slow/v1/chat/completions";
/// Events of a stream.
pub(crate) const EVENTS: usize = 40;
/// How long a stream takes.
pub(crate) const STREAM: Duration = Duration::from_millis(TICK.as_millis() as u64 * EVENTS as u64);

const TICK: Duration = Duration::from_millis(100);
const EVENT: &[u8] = b"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"word \"}}]}\n\n";
const ANSWER: &[u8] = br#"{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"done"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5000,"completion_tokens":1,"total_tokens":5001,"prompt_tokens_details":{"cached_tokens":4992}}}"#;

/// A listening upstream; its task ends with the runtime.
#[derive(Debug)]
pub(crate) struct Upstream(SocketAddr);

impl Upstream {
    pub(crate) async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                // A slower connection is still a connection.
                let _ = stream.set_nodelay(true);
                let io = TokioIo::new(stream);
                tokio::spawn(http1::Builder::new().serve_connection(io, service_fn(answer)));
            }
        });
        Ok(Self(address))
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.0
    }
}

async fn answer(
    request: Request<Incoming>,
) -> Result<Response<Either<Full<Bytes>, Ticking>>, hyper::Error> {
    let slow = request.uri().path() == STREAM_PATH;
    let mut body = request.into_body();
    while let Some(frame) = body.frame().await {
        frame?;
    }
    let (body, kind) = if slow {
        (Either::Right(Ticking::new()), "text/event-stream")
    } else {
        (
            Either::Left(Full::new(Bytes::from_static(ANSWER))),
            "application/json",
        )
    };
    let mut response = Response::new(body);
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    Ok(response)
}

/// An event at each tick.
struct Ticking {
    ticks: Interval,
    left: usize,
}

impl Ticking {
    fn new() -> Self {
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self {
            ticks,
            left: EVENTS,
        }
    }
}

impl Body for Ticking {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.left == 0 {
            return Poll::Ready(None);
        }
        ready!(self.ticks.poll_tick(context));
        self.left -= 1;
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(EVENT)))))
    }
}
