//! Streams an answer to the client, and learns from it on the way.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use affinity_hash::Scope;
use affinity_router::{InFlight, Router, Ticket};
use bytes::Bytes;
use http_body_util::Full;
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};

use super::learn::{Learner, Learnt};
use super::live::Account;
use super::patience::Patience;
use super::record::{Outcome, Record};

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The body of whatever the gateway answers.
pub(super) enum Body {
    Full(Full<Bytes>),
    Answer(Box<Answer>),
    Refusal(Box<Refusal>),
}

impl Body {
    pub(super) fn full(bytes: Bytes) -> Self {
        Self::Full(Full::new(bytes))
    }
}

/// What a channel refused a request with, when no other did better.
pub(super) struct Refusal {
    pub(super) body: Incoming,
    pub(super) patience: Patience,
    /// Written when the body is through.
    pub(super) record: Record,
}

impl Refusal {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        if polled.is_pending() {
            ready!(self.patience.poll_lost(cx));
            self.record.outcome = Some(Outcome::UpstreamStalled);
            return Poll::Ready(Some(Err(STALLED.into())));
        }
        self.patience.restore();
        match &polled {
            Poll::Ready(None) => self.record.outcome = Some(Outcome::Complete),
            Poll::Ready(Some(Err(_))) => self.record.outcome = Some(Outcome::UpstreamCut),
            _ => {}
        }
        polled.map_err(Into::into)
    }
}

impl Drop for Refusal {
    fn drop(&mut self) {
        // As for an answer.
        if self.record.outcome.is_none() && self.body.is_end_stream() {
            self.record.outcome = Some(Outcome::Complete);
        }
    }
}

const STALLED: &str = "the upstream sent nothing for too long";

impl HttpBody for Body {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        match &mut *self {
            Self::Full(full) => Pin::new(full)
                .poll_frame(cx)
                .map_err(|never| match never {}),
            Self::Answer(answer) => answer.poll(cx),
            Self::Refusal(refusal) => refusal.poll(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Full(full) => full.is_end_stream(),
            Self::Answer(answer) => answer.first.is_none() && answer.rest.is_end_stream(),
            Self::Refusal(refusal) => refusal.body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Full(full) => full.size_hint(),
            Self::Answer(answer) => answer.size_hint(),
            Self::Refusal(refusal) => refusal.body.size_hint(),
        }
    }
}

/// The answer of one account: passed on piece by piece as the client takes it. Dropping it, when
/// the client leaves, cancels the upstream.
pub(super) struct Answer {
    /// What was read to know that there is an answer.
    first: Option<Frame<Bytes>>,
    rest: Incoming,
    patience: Patience,
    /// The piece that was passed on last: it is read when the next is asked for.
    passed: Option<Bytes>,
    learner: Learner,
    learnt: Learnt,
    origin: Origin,
    record: Record,
    _in_flight: InFlight,
}

/// Whose answer it is.
pub(super) struct Origin {
    pub(super) router: Arc<Router>,
    pub(super) account: Arc<Account>,
    pub(super) ticket: Ticket,
    pub(super) scope: Scope,
    /// Whether a later request may name this answer, which must then be known before its last
    /// byte is out.
    pub(super) may_be_named: bool,
}

impl Answer {
    pub(super) fn new(
        (first, rest): (Option<Frame<Bytes>>, Incoming),
        learner: Learner,
        origin: Origin,
        patience: Patience,
        record: Record,
        in_flight: InFlight,
    ) -> Self {
        Self {
            first,
            rest,
            patience,
            passed: None,
            learner,
            learnt: Learnt::default(),
            origin,
            record,
            _in_flight: in_flight,
        }
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        self.read_passed();
        let polled = match self.first.take() {
            Some(frame) => Poll::Ready(Some(Ok(frame))),
            None => Pin::new(&mut self.rest).poll_frame(cx),
        };
        match polled {
            Poll::Pending => {
                ready!(self.patience.poll_lost(cx));
                self.record.outcome = Some(Outcome::UpstreamStalled);
                Poll::Ready(Some(Err(STALLED.into())))
            }
            Poll::Ready(Some(Ok(frame))) => {
                self.patience.restore();
                self.passed = frame.data_ref().cloned();
                if self.origin.may_be_named && self.rest.is_end_stream() {
                    self.read_passed();
                    self.finish();
                }
                Poll::Ready(Some(Ok(frame)))
            }
            Poll::Ready(Some(Err(error))) => {
                self.record.outcome = Some(Outcome::UpstreamCut);
                Poll::Ready(Some(Err(error.into())))
            }
            Poll::Ready(None) => {
                self.record.outcome = Some(Outcome::Complete);
                self.finish();
                Poll::Ready(None)
            }
        }
    }

    fn read_passed(&mut self) {
        if let Some(piece) = self.passed.take() {
            self.learner.see(&piece, &mut self.learnt);
            self.note();
        }
    }

    fn finish(&mut self) {
        self.learner.end(&mut self.learnt);
        self.note();
        if let Some(usage) = self.learnt.usage.take() {
            self.record.used(usage);
        }
    }

    /// The next request may name this answer: it must find the account that has it.
    fn note(&mut self) {
        if !self.origin.may_be_named {
            return;
        }
        if let Some(id) = self.learnt.response_id.take() {
            let origin = &mut self.origin;
            let session = origin.scope.fingerprint(id.as_bytes());
            origin
                .router
                .alias(&origin.ticket, session, &origin.account.channel);
            origin.may_be_named = false;
        }
    }

    fn size_hint(&self) -> SizeHint {
        let mut hint = self.rest.size_hint();
        let first = self.first.as_ref().and_then(Frame::data_ref);
        let first = first.map_or(0, Bytes::len) as u64;
        if let Some(upper) = hint.upper() {
            hint.set_upper(upper + first);
        }
        hint.set_lower(hint.lower() + first);
        hint
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        // hyper does not ask again once it knows that it has all.
        // (A stream of HTTP/2 that was reset has ended too.)
        if self.record.outcome.is_none() && self.first.is_none() && self.rest.is_end_stream() {
            self.record.outcome = Some(Outcome::Complete);
        }
        self.read_passed();
        self.finish();
    }
}
