//! Who a request is, and where it is to be tried.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

use affinity_hash::{ChainBuilder, Scope};
use affinity_llm::{Dialect as Spoken, Request, Scratch};
use affinity_router::{Decision, Demoted, Identity, Router, Source, Ticket};
use http::request::Parts;
use http::{HeaderMap, Method};

use super::live::{Live, Pool};
use super::problem::Problem;
use super::refuse;
use crate::config::{Bound, Dialect, Expose, Policy};

/// What the buffers of a thread keep between requests, in bytes.
const KEEP: usize = 4 << 20;

/// What is to become of a request.
pub(super) struct Plan {
    pub(super) dialect: Dialect,
    pub(super) model: Option<Box<str>>,
    /// Where the path names that model.
    pub(super) in_path: Option<Range<usize>>,
    pub(super) stream: bool,
    pub(super) pool: Arc<Pool>,
    /// Positions in the pool, in the order to try them.
    pub(super) order: Vec<usize>,
    pub(super) source: Source,
    pub(super) demoted: Option<Demoted>,
    /// The channel that keeps the conversation if another serves this request.
    keeps: Option<usize>,
    pub(super) ticket: Ticket,
    /// Where the fingerprints of this tenant and model begin.
    pub(super) scope: Scope,
}

thread_local! {
    static BUFFERS: RefCell<(Scratch, ChainBuilder)> = RefCell::default();
}

impl Plan {
    pub(super) fn new(
        live: &Live,
        router: &Router,
        parts: &Parts,
        body: &[u8],
        tenant: Option<&str>,
    ) -> Result<Self, Problem> {
        BUFFERS.with_borrow_mut(|(scratch, chain)| {
            let plan = Self::read(live, router, parts, body, tenant, scratch, chain);
            // Also after a request that was refused: it may have been the largest of all. Only
            // after a large one: what was given back is cleared again by the next.
            if body.len() > KEEP / 4 {
                scratch.shrink_to(KEEP);
            }
            if chain.len() > KEEP / size_of::<u64>() {
                *chain = ChainBuilder::new();
            }
            plan
        })
    }

    fn read(
        live: &Live,
        router: &Router,
        parts: &Parts,
        body: &[u8],
        tenant: Option<&str>,
        scratch: &mut Scratch,
        chain: &mut ChainBuilder,
    ) -> Result<Self, Problem> {
        let path = parts.uri.path();
        if live.config.server.expose == Expose::Conversations && !is_harmless(&parts.method, path) {
            return Err(Problem::NoSuchPath);
        }
        let request = Request::read(&parts.headers, path, body, scratch);
        let spoken = request.dialect().map(dialect);
        let in_path = request.path_model_range();
        if in_path.is_some() && request.path_model().is_none() {
            return Err(Problem::Refused("the model is not the name of a model"));
        }
        let model = request.model();
        model.map_or(Ok(()), refuse::model)?;
        let (dialect, pool) = match spoken {
            Some(dialect) => (dialect, live.pool(dialect, model)),
            None => guess(live, &parts.headers, path, model),
        };
        let pool = pool.ok_or(Problem::NoChannel)?;

        let affinity = &live.config.affinity;
        let scope = router.scope(tenant, model);
        let decision = if affinity.policy == Policy::RoundRobin {
            router.rotate(&pool.channels)
        } else {
            let mut identity = match request.fingerprint(scope, chain) {
                Ok(f) => Identity::chain(f.links, Some(f.opener), f.prefix_bytes),
                Err(_) => Identity::anonymous(),
            };
            if affinity.sessions
                && let Some(session) = request.session(&live.session_rules)
            {
                identity = identity.with_session(session.key(scope));
            }
            router.route(identity, &pool.channels)
        };
        let stays = request.bound() && live.config.failover.bound == Bound::Stay;
        Ok(Self {
            dialect,
            model: model.map(Into::into),
            in_path: in_path.filter(|_| request.path_model() == model),
            stream: request.stream(),
            order: tries(
                &decision,
                stays,
                live.config.failover.attempts.map(usize::from),
            ),
            source: decision.source(),
            demoted: decision.demoted(),
            keeps: decision.home().filter(|_| {
                decision.is_remembered() && decision.demoted() == Some(Demoted::OverLoad)
            }),
            ticket: decision.ticket(),
            scope,
            pool: Arc::clone(pool),
        })
    }

    /// Whether a conversation that this position serves now stays with another: its home has
    /// only too much to do.
    pub(super) fn spills(&self, position: usize) -> bool {
        self.keeps.is_some_and(|home| home != position)
    }
}

fn tries(decision: &Decision<'_>, stays: bool, attempts: Option<usize>) -> Vec<usize> {
    if stays && decision.is_remembered() {
        // Another account would refuse what only this one has.
        return decision.home().into_iter().collect();
    }
    let all = decision.order();
    all[..all.len().min(attempts.unwrap_or(usize::MAX))].to_vec()
}

const fn dialect(spoken: Spoken) -> Dialect {
    match spoken {
        Spoken::Responses => Dialect::OpenaiResponses,
        Spoken::AnthropicMessages => Dialect::Anthropic,
        Spoken::Gemini => Dialect::Gemini,
        _ => Dialect::OpenaiChat,
    }
}

/// Conversations, and calls beside them that show nothing of other clients. Only the path says
/// so: a body of the right shape must not open any other.
fn is_harmless(method: &Method, path: &str) -> bool {
    let mut segments = path.trim_end_matches('/').rsplit('/');
    let (last, parent) = (segments.next(), segments.next());
    match *method {
        Method::GET | Method::HEAD => last == Some("models") || parent == Some("models"),
        Method::POST => match last {
            Some("embeddings" | "moderations" | "rerank") => true,
            Some("batches") => false,
            Some(call) if BATCHES.iter().any(|batch| call.ends_with(batch)) => false,
            _ => names_a_dialect(path),
        },
        _ => false,
    }
}

/// Gemini's calls that leave something at the account.
const BATCHES: [&str; 2] = ["batchGenerateContent", "asyncBatchEmbedContent"];

fn names_a_dialect(path: &str) -> bool {
    let (headers, mut scratch) = (HeaderMap::new(), Scratch::new());
    let request = Request::read(&headers, path, b"", &mut scratch);
    request.dialect().is_some()
}

/// Whose API a call beside conversations belongs to, by its path and headers.
fn guess<'a>(
    live: &'a Live,
    headers: &HeaderMap,
    path: &str,
    model: Option<&str>,
) -> (Dialect, Option<&'a Arc<Pool>>) {
    let guesses: &[Dialect] = if headers.contains_key("anthropic-version") {
        &[Dialect::Anthropic]
    } else if path.contains("/v1beta/") || headers.contains_key("x-goog-api-key") {
        &[Dialect::Gemini]
    } else {
        &[Dialect::OpenaiChat, Dialect::OpenaiResponses]
    };
    let with_pool = guesses
        .iter()
        .find_map(|d| live.pool(*d, model).map(|pool| (*d, Some(pool))));
    with_pool.unwrap_or((guesses[0], None))
}
