//! One request to an account, from its head to the last byte of its answer.

use std::convert::Infallible;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use affinity_hash::mix13;
use bytes::Bytes;
use http_body_util::{BodyExt, Either, Full, Limited};
use hyper::body::Incoming;
use hyper::header::{
    AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER,
};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, StatusCode};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::ask::{Ask, Extra};
use super::body::{Body, Ending, Paced};
use super::cache::PromptCache;
use super::fault::{Fault, Switch};
use super::ledger::{InFlight, Ledger};
use super::options::Options;
use super::problem::Problem;
use super::reply::{Reply, Usage};
use super::responses::Stored;
use super::socket::ResetSwitch;
use super::{chat, gemini, messages, responses};

/// Largest body an account takes.
const BODY_LIMIT: usize = 64 << 20;

/// The API that a path belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    Chat,
    Responses,
    Messages,
    Gemini,
}

/// An answer with all that its dialect needs to write it down.
pub(super) struct Answer<'a> {
    pub(super) ask: &'a Ask,
    pub(super) reply: &'a Reply,
    pub(super) usage: Usage,
    /// Unique in the account; the tail of every id.
    pub(super) serial: &'a str,
    /// Unix time in seconds.
    pub(super) created: u64,
    /// What this account's encrypted reasoning begins with.
    pub(super) seal: &'a str,
}

/// What the connections of one account share. Its `Debug` shows nothing of its conversations.
pub(super) struct Service {
    pub(super) options: Options,
    pub(super) faults: Switch,
    pub(super) ledger: Arc<Ledger>,
    cache: Mutex<PromptCache>,
    stored: Mutex<Stored>,
    seal: String,
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl Service {
    pub(super) fn new(options: Options) -> Self {
        let name = affinity_hash::chain(&[options.name.as_bytes()])[0];
        Self {
            faults: Switch::default(),
            ledger: Arc::default(),
            cache: Mutex::new(PromptCache::new(options.cache_ttl)),
            stored: Mutex::default(),
            seal: format!("{:016x}.", mix13(options.seed ^ name)),
            options,
        }
    }

    pub(super) fn forget_cache(&self) {
        lock(&self.cache).clear();
    }

    pub(super) async fn serve(
        self: Arc<Self>,
        request: Request<Incoming>,
        reset: ResetSwitch,
    ) -> Result<Response<Body>, Infallible> {
        let (head, body) = request.into_parts();
        let path = head.uri.path();
        let target = head
            .uri
            .path_and_query()
            .map_or("", |target| target.as_str())
            .to_owned();
        let gemini = gemini::Target::of(path, head.uri.query());
        let (dialect, completion) = match path {
            _ if gemini.is_some() => (Dialect::Gemini, gemini.is_some_and(|g| g.completes())),
            _ if path.ends_with("/chat/completions") => (Dialect::Chat, true),
            _ if path.ends_with("/responses") => (Dialect::Responses, true),
            _ if path.ends_with("/messages") => (Dialect::Messages, true),
            _ if path.ends_with("/messages/count_tokens") => (Dialect::Messages, false),
            _ => (Dialect::Chat, false),
        };
        let bytes = match Limited::new(body, BODY_LIMIT).collect().await {
            Ok(body) => body.to_bytes(),
            Err(_) => return Ok(self.refuse(dialect, "req_0", &Problem::too_large())),
        };
        self.ledger.arrived(target, &head.headers, bytes.len());
        let number = self.ledger.count(|stats| {
            stats.requests += u64::from(completion);
            stats.requests
        });
        let request_id = format!("req_{:x}", mix13(self.options.seed ^ number));
        let outcome = if completion {
            self.complete(dialect, &head, &bytes, number, reset).await
        } else {
            self.side_call(&head, &bytes)
        };
        let mut response =
            outcome.unwrap_or_else(|problem| self.refuse(dialect, &request_id, &problem));
        self.sign(response.headers_mut(), dialect, &request_id);
        Ok(response)
    }

    async fn complete(
        &self,
        dialect: Dialect,
        head: &Parts,
        bytes: &Bytes,
        number: u64,
        reset: ResetSwitch,
    ) -> Result<Response<Body>, Problem> {
        let in_flight = InFlight::enter(&self.ledger);
        let result = self.answer(dialect, head, bytes, number).await;
        let (answered, fault) = match result {
            Ok(done) => done,
            Err(problem) => {
                in_flight.end(false);
                return Err(problem);
            }
        };
        let Answered {
            pieces,
            usage,
            stream,
            events,
        } = answered;
        in_flight.first_token(&usage);
        let pace = self.options.latency.per_output_token;
        let ending = Ending::of(fault);
        let mut response = if !stream && ending == Ending::Whole {
            sleep(pace * usage.output as u32).await;
            in_flight.end(true);
            let whole = pieces.into_iter().next().unwrap_or_default();
            Response::new(Either::Left(Full::new(whole)))
        } else {
            let length = pieces.first().filter(|_| !stream).map(Bytes::len);
            let body = Paced::new(pieces, pace, ending, in_flight, reset);
            let mut response = Response::new(Either::Right(body));
            if let Some(length) = length {
                // Promised in full, though only half will come.
                response
                    .headers_mut()
                    .insert(CONTENT_LENGTH, HeaderValue::from(length));
            }
            response
        };
        let kind = if events {
            "text/event-stream; charset=utf-8"
        } else {
            "application/json"
        };
        response
            .headers_mut()
            .insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        Ok(response)
    }

    /// Everything up to the first token.
    async fn answer(
        &self,
        dialect: Dialect,
        head: &Parts,
        bytes: &Bytes,
        number: u64,
    ) -> Result<(Answered, Option<Fault>), Problem> {
        let fault = self.faults.next();
        if fault.is_some() {
            self.ledger.count(|stats| stats.faulted += 1);
        }
        match fault {
            Some(Fault::Hang) => std::future::pending().await,
            Some(Fault::Status { status }) => return Err(Problem::status(status)),
            Some(Fault::RateLimited { retry_after_ms }) => {
                return Err(self.throttle(Duration::from_millis(retry_after_ms)));
            }
            Some(Fault::Slow { delay_ms }) => sleep(Duration::from_millis(delay_ms)).await,
            _ => {}
        }
        self.authorize(dialect, head)?;
        if self.chance(number, 1000) < u64::from(self.options.throttle.per_mille) {
            return Err(self.throttle(self.options.throttle.retry_after));
        }
        let body: Value = serde_json::from_slice(bytes).map_err(|_| Problem::not_json())?;
        let ask = match dialect {
            Dialect::Chat => chat::read(&body),
            Dialect::Responses => responses::read(&body, &lock(&self.stored), &self.seal),
            Dialect::Messages => messages::read(&body),
            Dialect::Gemini => {
                let target = gemini::Target::of(head.uri.path(), head.uri.query());
                gemini::read(&body, target.ok_or_else(Problem::unknown_path)?)
            }
        }?;
        let known = &self.options.models;
        if !known.is_empty() && !known.contains(&ask.model) {
            return Err(Problem::unknown_model());
        }
        let reply = self.reply(&ask);
        let usage = self.first_token(dialect, &ask, &reply, number).await;
        let serial = format!(
            "{:016x}{number:08x}",
            mix13(self.options.seed.wrapping_add(1))
        );
        let answer = Answer {
            ask: &ask,
            reply: &reply,
            usage,
            serial: &serial,
            created: unix_seconds(),
            seal: &self.seal,
        };
        if let Extra::Responses {
            history,
            store: true,
            ..
        } = &ask.extra
        {
            let continued = responses::continued(&answer, history);
            lock(&self.stored).keep(responses::id(&answer), continued);
        }
        let pieces = match (dialect, ask.stream) {
            (Dialect::Chat, true) => chat::events(&answer),
            (Dialect::Responses, true) => responses::events(&answer),
            (Dialect::Messages, true) => messages::events(&answer),
            (Dialect::Gemini, true) => gemini::events(&answer),
            (Dialect::Chat, false) => vec![json_bytes(&chat::whole(&answer))],
            (Dialect::Responses, false) => vec![json_bytes(&responses::whole(&answer))],
            (Dialect::Messages, false) => vec![json_bytes(&messages::whole(&answer))],
            (Dialect::Gemini, false) => vec![json_bytes(&gemini::whole(&answer))],
        };
        Ok((
            Answered {
                pieces,
                usage,
                stream: ask.stream,
                events: ask.stream && gemini::sends_events(&ask.extra),
            },
            fault,
        ))
    }

    fn reply(&self, ask: &Ask) -> Reply {
        let digest = mix13(ask.prompt.digest(&ask.model) ^ self.options.seed);
        Reply::to(
            digest,
            ask.tool.as_ref(),
            self.options.reply_tokens,
            ask.max_tokens,
        )
    }

    /// Looks the prompt up, waits for its first token, and writes the cache.
    async fn first_token(&self, dialect: Dialect, ask: &Ask, reply: &Reply, number: u64) -> Usage {
        let lookup = {
            let (mut cache, now) = (lock(&self.cache), Instant::now());
            match dialect {
                Dialect::Messages => cache.breakpoints(&ask.prompt, &ask.model, now),
                _ => cache.automatic(&ask.prompt, &ask.model, now),
            }
        };
        let usage = Usage {
            prompt: ask.prompt.tokens(),
            cached: lookup.cached,
            written: lookup.written,
            output: reply.tokens(),
        };
        let latency = self.options.latency;
        let uncached = u32::try_from(usage.prompt - usage.cached).unwrap_or(u32::MAX);
        let wait = latency.base + latency.per_uncached_token * uncached;
        // Between 90 and 110 percent, by the request's number.
        sleep(wait * (900 + self.chance(!number, 200) as u32) / 1000).await;
        lock(&self.cache).write(&lookup, Instant::now());
        usage
    }

    fn side_call(&self, head: &Parts, bytes: &Bytes) -> Result<Response<Body>, Problem> {
        let (method, path) = (&head.method, head.uri.path());
        let parsed = || serde_json::from_slice::<Value>(bytes).map_err(|_| Problem::not_json());
        let value = if method == Method::GET && path.ends_with("/models") {
            self.authorize(Dialect::Chat, head)?;
            let models = self.options.models.iter();
            let data: Vec<Value> = models
                .map(|id| json!({ "id": id, "object": "model", "created": 0, "owned_by": "sim" }))
                .collect();
            json!({ "object": "list", "data": data })
        } else if method == Method::POST && path.ends_with("/count_tokens") {
            self.authorize(Dialect::Messages, head)?;
            json!({ "input_tokens": messages::prompt(&parsed()?)?.tokens() })
        } else if method == Method::POST && path.ends_with(":countTokens") {
            self.authorize(Dialect::Gemini, head)?;
            json!({ "totalTokens": gemini::prompt(&parsed()?)?.tokens() })
        } else {
            return Err(Problem::unknown_path());
        };
        Ok(json_response(StatusCode::OK, &value))
    }

    /// The key as each provider takes it: OpenAI as bearer token, Anthropic in `x-api-key`, Google
    /// in `x-goog-api-key` or the query, both for OAuth tokens as bearer token too. Anthropic also
    /// wants its version header.
    fn authorize(&self, dialect: Dialect, head: &Parts) -> Result<(), Problem> {
        let headers = &head.headers;
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let bearer = text(AUTHORIZATION.as_str()).and_then(|value| value.strip_prefix("Bearer "));
        let key = match dialect {
            Dialect::Messages => text("x-api-key").or(bearer),
            Dialect::Chat | Dialect::Responses => bearer,
            Dialect::Gemini => {
                let mut query = head.uri.query().unwrap_or_default().split('&');
                let in_query = query.find_map(|pair| pair.strip_prefix("key="));
                text("x-goog-api-key").or(in_query).or(bearer)
            }
        };
        if self.options.key.is_some() && key != self.options.key.as_deref() {
            self.ledger.count(|stats| stats.unauthorized += 1);
            return Err(Problem::wrong_key());
        }
        if dialect == Dialect::Messages && !headers.contains_key("anthropic-version") {
            return Err(Problem::invalid("anthropic-version", "header is required"));
        }
        Ok(())
    }

    fn throttle(&self, retry_after: Duration) -> Problem {
        self.ledger.count(|stats| stats.throttled += 1);
        Problem::rate_limited(retry_after)
    }

    /// A number below `bound` that the seed and `draw` decide.
    fn chance(&self, draw: u64, bound: u64) -> u64 {
        mix13(mix13(self.options.seed) ^ mix13(draw)) % bound
    }

    fn refuse(&self, dialect: Dialect, request_id: &str, problem: &Problem) -> Response<Body> {
        let status = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::BAD_GATEWAY);
        let mut response = json_response(status, &problem.body(dialect, request_id));
        if let Some(after) = problem.retry_after {
            let seconds = after.as_millis().div_ceil(1000) as u64;
            let headers = response.headers_mut();
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
            headers.insert(
                "retry-after-ms",
                HeaderValue::from(after.as_millis() as u64),
            );
        }
        response
    }

    /// The headers by which a provider says whose account answered.
    fn sign(&self, headers: &mut HeaderMap, dialect: Dialect, request_id: &str) {
        let (id, organization) = match dialect {
            Dialect::Messages => ("request-id", "anthropic-organization-id"),
            Dialect::Chat | Dialect::Responses => ("x-request-id", "openai-organization"),
            // Google's answers do not say.
            Dialect::Gemini => return,
        };
        for (name, value) in [(id, request_id), (organization, &self.options.name)] {
            if let Ok(value) = HeaderValue::from_str(value) {
                headers.insert(name, value);
            }
        }
    }
}

/// An answer in its dialect: events, or one whole body.
struct Answered {
    pieces: Vec<Bytes>,
    usage: Usage,
    stream: bool,
    /// A stream of server-sent events.
    events: bool,
}

fn json_bytes(value: &Value) -> Bytes {
    Bytes::from(value.to_string())
}

fn json_response(status: StatusCode, value: &Value) -> Response<Body> {
    let mut response = Response::new(Either::Left(Full::new(json_bytes(value))));
    *response.status_mut() = status;
    let kind = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

fn unix_seconds() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

/// A poisoned lock means that a panic was reported already; what it guards stays usable.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
