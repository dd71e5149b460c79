//! The way of one request through the gateway.

use std::sync::Arc;

use affinity_router::Source;
use bytes::Bytes;
use http::request::Parts;
use http::{HeaderName, HeaderValue, Request, Response, header, response};
use hyper::body::Incoming;

use super::accept::Handler;
use super::answer::{Answer, Body, Origin, Refusal};
use super::attempt::{Answered, Outgoing};
use super::both_lengths::Seen;
use super::failure::{Failure, Reason};
use super::gateway::Shared;
use super::headers::{self, CREDENTIALS};
use super::learn::Learner;
use super::live::{Account, Live};
use super::local;
use super::metrics::source_name;
use super::patience::Patience;
use super::plan::Plan;
use super::problem::Problem;
use super::record::Record;
use super::refuse;
use super::request_body;
use super::target;
use crate::config::{Dialect, Policy};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// The id that the upstream gave the request, for its support.
const UPSTREAM_REQUEST_ID: HeaderName = HeaderName::from_static("x-affinity-upstream-request-id");
const CHANNEL: HeaderName = HeaderName::from_static("x-affinity-channel");
const SOURCE: HeaderName = HeaderName::from_static("x-affinity-source");
const DEPTH: HeaderName = HeaderName::from_static("x-affinity-depth");

/// Clients' requests.
#[derive(Clone)]
pub(super) struct Clients(pub(super) Arc<Shared>);

impl Handler for Clients {
    type Body = Body;

    async fn answer(&self, seen: Seen, request: Request<Incoming>) -> Response<Body> {
        answer(&self.0, &seen, request).await
    }
}

/// Answers one request, whatever happens.
async fn answer(shared: &Arc<Shared>, seen: &Seen, request: Request<Incoming>) -> Response<Body> {
    let mut record = Record::new(Arc::clone(shared));
    let id = Arc::clone(&record.id);
    let live = shared.live.load_full();
    let mut response = match receive(&live, seen, request, &mut record).await {
        Ok((parts, body)) => forward(shared, &live, parts, body, record).await,
        Err(problem) => refuse_with(problem, record),
    };
    if let Some(theirs) = response.headers_mut().remove(&REQUEST_ID) {
        response.headers_mut().insert(UPSTREAM_REQUEST_ID, theirs);
    }
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response
}

/// Takes in a request that may be passed on.
async fn receive(
    live: &Live,
    seen: &Seen,
    request: Request<Incoming>,
    record: &mut Record,
) -> Result<(Parts, Bytes), Problem> {
    let (parts, body) = request.into_parts();
    refuse::head(&parts, seen)?;
    if live.is_open() && !local::is_local(&parts.uri, &parts.headers) {
        return Err(Problem::NotLocal);
    }
    record.tenant = tenant(live, &parts)?;
    let limits = &live.config.limits;
    let body = request_body::collect(body, limits.body.as_u64(), limits.body_timeout).await?;
    record.received();
    Ok((parts, body))
}

/// Whose request it is; `None` where anybody may ask.
fn tenant(live: &Live, parts: &Parts) -> Result<Option<Arc<str>>, Problem> {
    if live.is_open() {
        return Ok(None);
    }
    let in_headers = CREDENTIALS
        .iter()
        .filter_map(|name| parts.headers.get(name));
    let tokens = in_headers.map(|value| without_scheme(value.as_bytes()));
    let in_query = parts.uri.query().and_then(target::key_in);
    let known = tokens
        .chain(in_query.as_deref())
        .find_map(|token| live.tenant(token));
    known
        .map(|t| Some(Arc::clone(t)))
        .ok_or(Problem::Unauthorized)
}

fn without_scheme(value: &[u8]) -> &[u8] {
    match value.split_at_checked(7) {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case(b"bearer ") => token.trim_ascii(),
        _ => value.trim_ascii(),
    }
}

/// Tries the request's channels in order.
async fn forward(
    shared: &Shared,
    live: &Arc<Live>,
    parts: Parts,
    body: Bytes,
    mut record: Record,
) -> Response<Body> {
    let read = {
        let (live, router) = (Arc::clone(live), Arc::clone(&shared.router));
        let (body, tenant) = (body.clone(), record.tenant.clone());
        move || {
            (
                Plan::new(&live, &router, &parts, &body, tenant.as_deref()),
                parts,
            )
        }
    };
    let (plan, parts) = match shared.readers.read(body.len(), read).await {
        Some((Ok(plan), parts)) => (plan, parts),
        Some((Err(problem), _)) => return refuse_with(problem, record),
        None => return refuse_with(Problem::Unreachable, record),
    };
    record.decided(&plan);
    let outgoing = Outgoing::new(parts, body, live, shared.readers.clone());
    let mut best: Option<(Failure, &Arc<Account>)> = None;
    for &position in &plan.order {
        let account = &plan.pool.accounts[position];
        let in_flight = account.channel.begin();
        record.attempts += 1;
        match outgoing.attempt(account, &plan, live).await {
            Ok(answered) => {
                bind(shared, &plan, position, &answered);
                record.answered(account, answered.head.status.as_u16());
                let learner = Learner::new(&answered.head.headers);
                let head = client_head(answered.head, live, &plan, account);
                let origin = Origin {
                    router: Arc::clone(&shared.router),
                    account: Arc::clone(account),
                    ticket: plan.ticket,
                    scope: plan.scope,
                    may_be_named: plan.dialect == Dialect::OpenaiResponses
                        && live.config.affinity.policy == Policy::Affinity,
                };
                let patience = Patience::new(account.idle_timeout(&live.config.limits));
                let body = (answered.first, answered.rest);
                let answer = Answer::new(body, learner, origin, patience, record, in_flight);
                return Response::from_parts(head, Body::Answer(Box::new(answer)));
            }
            Err(failure) => {
                if let Some(cooldown) = failure.cooldown(&live.config.failover) {
                    shared.router.cool_for(&account.channel, cooldown);
                }
                shared.metrics.failed_over(account.name(), failure.reason);
                tracing::warn!(
                    request_id = &*record.id,
                    channel = account.name(),
                    reason = failure.reason.name(),
                    "attempt failed"
                );
                let better = |(best, _): &(Failure, _)| {
                    failure.reason.usefulness() > best.reason.usefulness()
                };
                if best.as_ref().is_none_or(better) {
                    best = Some((failure, account));
                }
            }
        }
    }
    give_up(best, live, &plan, record)
}

/// Providers have written their cache once they send the first byte of a success.
fn bind(shared: &Shared, plan: &Plan, position: usize, answered: &Answered) {
    let channel = &plan.pool.accounts[position].channel;
    if !answered.head.status.is_success() || answered.first.is_none() {
        return;
    }
    if plan.spills(position) {
        shared.router.spilled(&plan.ticket, channel);
    } else {
        shared.router.served(&plan.ticket, channel);
    }
}

/// All channels failed: the most useful of their errors, unchanged.
fn give_up(
    best: Option<(Failure, &Arc<Account>)>,
    live: &Live,
    plan: &Plan,
    mut record: Record,
) -> Response<Body> {
    match best {
        Some((
            Failure {
                response: Some(response),
                ..
            },
            account,
        )) => {
            record.refused(account, response.status().as_u16());
            let (head, body) = response.into_parts();
            let refusal = Refusal {
                body,
                patience: Patience::new(account.idle_timeout(&live.config.limits)),
                record,
            };
            let head = client_head(head, live, plan, account);
            Response::from_parts(head, Body::Refusal(Box::new(refusal)))
        }
        other => {
            let reason = other.map_or(Reason::Connect, |(failure, _)| failure.reason);
            refuse_with(reason.problem(), record)
        }
    }
}

fn refuse_with(problem: Problem, mut record: Record) -> Response<Body> {
    let response = problem.response();
    record.answered_here(problem.status().as_u16());
    response
}

/// The upstream's status and headers, as the client is to see them.
fn client_head(
    upstream: response::Parts,
    live: &Live,
    plan: &Plan,
    account: &Account,
) -> response::Parts {
    // Its version is that of the upstream's connection, and its extensions are hyper's.
    let (mut head, ()) = Response::new(()).into_parts();
    head.status = upstream.status;
    let mut passed = upstream.headers;
    headers::for_client(&mut passed);
    if live.config.affinity.response_headers {
        passed.insert(CHANNEL, account.name_header.clone());
        passed.insert(SOURCE, HeaderValue::from_static(source_name(plan.source)));
        if let Source::Memory { depth, of } = plan.source
            && let Ok(value) = HeaderValue::try_from(format!("{depth}/{of}"))
        {
            passed.insert(DEPTH, value);
        }
    }
    debug_assert!(!passed.contains_key(header::TRANSFER_ENCODING));
    head.headers = passed;
    head
}
