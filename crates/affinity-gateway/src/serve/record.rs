//! What one request leaves behind: a line in the log, and counts.

use std::sync::Arc;
use std::time::Instant;

use affinity_router::Source;

use super::gateway::Shared;
use super::live::Account;
use super::metrics::{demoted_name, source_name};
use super::plan::Plan;
use super::usage::Usage;

/// Written when it is dropped, however the request ended. Holds nothing that a client wrote.
pub(super) struct Record {
    shared: Arc<Shared>,
    pub(super) id: Arc<str>,
    started: Instant,
    /// When the request was in whole.
    complete: Instant,
    pub(super) tenant: Option<Arc<str>>,
    dialect: &'static str,
    source: &'static str,
    depth: (usize, usize),
    demoted: &'static str,
    pub(super) attempts: usize,
    account: Option<Arc<Account>>,
    /// 0 when the request ended before there was one.
    status: u16,
    /// `None` while it goes on: what is dropped so was cut short.
    pub(super) outcome: Option<Outcome>,
    usage: Option<Usage>,
}

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Complete,
    ClientLeft,
    /// The gateway ended while the request was under way.
    GatewayCut,
    /// The upstream ended its answer in the middle.
    UpstreamCut,
    /// The upstream said nothing for too long, in the middle of its answer.
    UpstreamStalled,
}

impl Outcome {
    const fn name(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::ClientLeft => "client-left",
            Self::GatewayCut => "gateway-cut",
            Self::UpstreamCut => "upstream-cut",
            Self::UpstreamStalled => "upstream-stalled",
        }
    }
}

impl Record {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        let now = Instant::now();
        Self {
            id: shared.ids.next(),
            shared,
            started: now,
            complete: now,
            tenant: None,
            dialect: "none",
            source: "none",
            depth: (0, 0),
            demoted: "no",
            attempts: 0,
            account: None,
            status: 0,
            outcome: None,
            usage: None,
        }
    }

    /// The request is in whole.
    pub(super) fn received(&mut self) {
        self.complete = Instant::now();
    }

    pub(super) fn decided(&mut self, plan: &Plan) {
        self.dialect = plan.dialect.name();
        self.source = source_name(plan.source);
        self.demoted = plan.demoted.map_or("no", demoted_name);
        if let Source::Memory { depth, of } = plan.source {
            self.depth = (depth, of);
        }
        self.shared
            .metrics
            .decided(plan.source, plan.demoted, self.complete.elapsed());
    }

    /// The first byte of the answer's body is there.
    pub(super) fn answered(&mut self, account: &Arc<Account>, status: u16) {
        self.account = Some(Arc::clone(account));
        self.status = status;
        self.shared
            .metrics
            .first_byte(account.name(), self.complete.elapsed());
    }

    /// The client gets what a channel refused the request with.
    pub(super) fn refused(&mut self, account: &Arc<Account>, status: u16) {
        self.account = Some(Arc::clone(account));
        self.status = status;
    }

    /// The gateway answers itself.
    pub(super) fn answered_here(&mut self, status: u16) {
        self.status = status;
        self.outcome = Some(Outcome::Complete);
    }

    pub(super) fn used(&mut self, usage: Usage) {
        if let Some(account) = &self.account {
            self.shared.metrics.used(account.name(), usage);
        }
        self.usage = Some(usage);
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        let channel = self.account.as_ref().map_or("none", |a| a.name());
        let took = self.started.elapsed();
        let mut digits = [0; 3];
        let status = status_text(self.status, &mut digits);
        self.shared
            .metrics
            .finished(channel, self.dialect, status, took);
        let outcome = self.outcome.unwrap_or(if self.shared.is_cut() {
            Outcome::GatewayCut
        } else {
            Outcome::ClientLeft
        });
        let usage = self.usage.unwrap_or_default();
        tracing::info!(
            request_id = &*self.id,
            tenant = self.tenant.as_deref().unwrap_or("none"),
            dialect = self.dialect,
            channel,
            source = self.source,
            depth = self.depth.0,
            links = self.depth.1,
            demoted = self.demoted,
            attempts = self.attempts,
            status = self.status,
            outcome = outcome.name(),
            prompt_tokens = usage.prompt,
            cached_tokens = usage.cached,
            ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            "request"
        );
    }
}

/// A status in three digits, without allocating for each request.
fn status_text(status: u16, digits: &mut [u8; 3]) -> &str {
    for (digit, power) in digits.iter_mut().zip([100, 10, 1]) {
        *digit = b'0' + (status / power % 10) as u8;
    }
    str::from_utf8(digits).unwrap_or("000")
}
