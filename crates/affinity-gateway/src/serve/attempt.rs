//! Sends a request to one account, and waits for the first byte of the answer.

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, Method, Request, Uri, response};
use http_body_util::{BodyExt, Full};
use hyper::body::{Frame, Incoming};
use tokio::time::timeout;

use super::failure::{Failure, Reason};
use super::headers;
use super::live::{Account, Live};
use super::plan::Plan;
use super::reading::Readers;
use super::rewrite;
use super::target;

/// What every attempt of a request sends, but for what is the account's own.
pub(super) struct Outgoing {
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
    readers: Readers,
}

/// The beginning of an answer that is for the client.
pub(super) struct Answered {
    pub(super) head: response::Parts,
    /// What was read of the body; `None` when there is no body.
    pub(super) first: Option<Frame<Bytes>>,
    pub(super) rest: Incoming,
}

impl Outgoing {
    pub(super) fn new(parts: Parts, body: Bytes, live: &Live, readers: Readers) -> Self {
        let mut headers = parts.headers;
        headers::for_upstream(&mut headers, &live.config.affinity.session_header);
        Self {
            method: parts.method,
            uri: parts.uri,
            headers,
            body,
            readers,
        }
    }

    /// The request as this account is to see it; `None` when it cannot be expressed.
    async fn to(&self, account: &Account, plan: &Plan) -> Option<Request<Full<Bytes>>> {
        let renamed = plan.model.as_deref().and_then(|model| account.alias(model));
        let (mut path, mut body) = (None, None);
        if let Some(new) = renamed {
            // Azure's clients name the model in both.
            let (whole, model) = (self.body.clone(), new.to_owned());
            let rewritten = move || rewrite::body(&whole, &model);
            body = self.readers.read(self.body.len(), rewritten).await?.ok()?;
            let place = plan.in_path.clone();
            path = place.and_then(|place| rewrite::path(self.uri.path(), place, new));
            if body.is_none() && path.is_none() {
                return None;
            }
        }
        let path = path.as_deref().unwrap_or(self.uri.path());
        let body = body.unwrap_or_else(|| self.body.clone());
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = target::uri(&account.config.base_url, path, self.uri.query())?;
        *request.headers_mut() = self.headers.clone();
        if let Some((name, value)) = account.auth(plan.dialect) {
            request.headers_mut().insert(name.clone(), value.clone());
        }
        Some(request)
    }

    /// One attempt.
    ///
    /// A connection that ends before it answers is tried once more at the same account: it may
    /// have been an idle one that the upstream was closing, and no reason to move a conversation.
    pub(super) async fn attempt(
        &self,
        account: &Account,
        plan: &Plan,
        live: &Live,
    ) -> Result<Answered, Failure> {
        let patience = account.patience(plan.stream, &live.config.limits);
        let answered = timeout(patience, async {
            match self.once(account, plan, live).await {
                Err(Failure {
                    reason: Reason::Reset,
                    ..
                }) => self.once(account, plan, live).await,
                outcome => outcome,
            }
        });
        answered
            .await
            .unwrap_or_else(|_| Err(failed(Reason::Timeout)))
    }

    async fn once(&self, account: &Account, plan: &Plan, live: &Live) -> Result<Answered, Failure> {
        let request = self
            .to(account, plan)
            .await
            .ok_or(failed(Reason::Inexpressible))?;
        let sent = account.upstream.request(request).await;
        let response = sent.map_err(|error| {
            failed(if error.is_connect() {
                Reason::Connect
            } else {
                Reason::Reset
            })
        })?;
        if let Some(reason) = Reason::of(response.status(), &live.config.failover) {
            return Err(Failure {
                reason,
                response: Some(Box::new(response)),
            });
        }
        let (head, mut rest) = response.into_parts();
        let first = first_frame(&mut rest).await?;
        Ok(Answered { head, first, rest })
    }
}

/// The first frame with something in it. Until it is there, another channel can take over.
async fn first_frame(body: &mut Incoming) -> Result<Option<Frame<Bytes>>, Failure> {
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| failed(Reason::Reset))?;
        if frame.data_ref().is_none_or(|data| !data.is_empty()) {
            return Ok(Some(frame));
        }
    }
    Ok(None)
}

const fn failed(reason: Reason) -> Failure {
    Failure {
        reason,
        response: None,
    }
}
