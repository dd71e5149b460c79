//! The body of an answer: paced, and broken on demand.

use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use std::vec;

use bytes::Bytes;
use http_body_util::{Either, Full};
use hyper::body::{Body as HttpBody, Frame};
use tokio::time::{Sleep, sleep};

use super::fault::Fault;
use super::ledger::InFlight;
use super::socket::ResetSwitch;

/// Time for the connection to write what it has before it is reset.
const RESET_DELAY: Duration = Duration::from_millis(20);

/// An answer's body.
pub(super) type Body = Either<Full<Bytes>, Paced>;

/// Ends a body in its middle, and the connection with it.
#[derive(Debug)]
pub(super) struct Broken;

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("broken on demand")
    }
}

impl std::error::Error for Broken {}

impl From<Infallible> for Broken {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

/// How a body ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    Whole,
    /// After so many pieces nothing comes any more.
    Stall(usize),
    /// After so many pieces the connection is reset.
    Reset(usize),
}

impl Ending {
    pub(super) fn of(fault: Option<Fault>) -> Self {
        match fault {
            Some(Fault::Stall { after_events }) => Self::Stall(after_events),
            Some(Fault::Reset { after_events }) => Self::Reset(after_events),
            _ => Self::Whole,
        }
    }
}

/// Pieces sent one for each tick of a pace, the first at once.
#[derive(Debug)]
pub(super) struct Paced {
    pieces: vec::IntoIter<Bytes>,
    pace: Duration,
    ending: Ending,
    wait: Option<Pin<Box<Sleep>>>,
    /// Taken when the body ends by itself; dropped with the body when the client leaves.
    in_flight: Option<InFlight>,
    reset: ResetSwitch,
    /// The delay before a reset has begun.
    lingering: bool,
}

impl Paced {
    pub(super) fn new(
        mut pieces: Vec<Bytes>,
        pace: Duration,
        ending: Ending,
        in_flight: InFlight,
        reset: ResetSwitch,
    ) -> Self {
        if let Ending::Stall(after) | Ending::Reset(after) = ending {
            match &mut pieces[..] {
                [whole] => whole.truncate(whole.len() / 2),
                _ => pieces.truncate(after),
            }
        }
        Self {
            pieces: pieces.into_iter(),
            pace,
            ending,
            wait: None,
            in_flight: Some(in_flight),
            reset,
            lingering: false,
        }
    }

    fn end(&mut self, completed: bool) {
        if let Some(in_flight) = self.in_flight.take() {
            in_flight.end(completed);
        }
    }
}

impl HttpBody for Paced {
    type Data = Bytes;
    type Error = Broken;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        let body = self.get_mut();
        loop {
            if let Some(wait) = &mut body.wait {
                ready!(wait.as_mut().poll(context));
                body.wait = None;
            }
            if let Some(piece) = body.pieces.next() {
                if !body.pace.is_zero() && body.pieces.len() > 0 {
                    body.wait = Some(Box::pin(sleep(body.pace)));
                }
                return Poll::Ready(Some(Ok(Frame::data(piece))));
            }
            match body.ending {
                Ending::Whole => {
                    body.end(true);
                    return Poll::Ready(None);
                }
                // Whoever waits is woken when the connection goes.
                Ending::Stall(_) => return Poll::Pending,
                Ending::Reset(_) if body.lingering => {
                    body.end(false);
                    body.reset.arm();
                    return Poll::Ready(Some(Err(Broken)));
                }
                Ending::Reset(_) => {
                    body.lingering = true;
                    body.wait = Some(Box::pin(sleep(RESET_DELAY)));
                }
            }
        }
    }
}
