//! Agents and their HTTP client.

use std::time::Duration;

use affinity_sim::http::agents::{Conversation, Heard, Listener};
use anyhow::{Context, ensure};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use tokio::time::{Instant, sleep_until, timeout};

/// Longest time that an agent waits for an answer's end.
const PATIENCE: Duration = Duration::from_secs(15);

/// No request begins later than this: a machine that is busy otherwise shows less instead of
/// keeping people waiting.
const LAST_CALL: Duration = Duration::from_secs(12);

/// The way to a gateway.
#[derive(Clone, Debug)]
pub(super) struct Line {
    client: Client<HttpConnector, Full<Bytes>>,
    base_url: String,
}

/// What became of one request.
pub(super) type Call = anyhow::Result<(Heard, Duration)>;

impl Line {
    pub(super) fn new(base_url: String) -> Self {
        let client = Client::builder(TokioExecutor::new()).build_http();
        Self { client, base_url }
    }

    /// Holds a conversation to its end and reports each request. After one that failed, the
    /// agent gives up.
    pub(super) async fn hold(
        self,
        mut conversation: Conversation,
        began: Instant,
        mut report: impl FnMut(Call),
    ) {
        let mut next = began + conversation.start();
        while next < began + LAST_CALL {
            sleep_until(next).await;
            let call = timeout(PATIENCE, self.ask(&conversation)).await;
            let call = call.context("no answer in time").and_then(|call| call);
            let think = match &call {
                Ok((heard, _)) => conversation.answer(&heard.said),
                Err(_) => None,
            };
            report(call);
            let Some(think) = think else { return };
            next = Instant::now() + think;
        }
    }

    /// Sends the present request; returns the answer and the time to its first byte.
    async fn ask(&self, conversation: &Conversation) -> Call {
        let mut request = Request::post(format!("{}{}", self.base_url, conversation.path()));
        // Any key will do: the gateway replaces it.
        for (name, value) in conversation.headers("demo") {
            request = request.header(name, value);
        }
        let request = request.body(Full::from(conversation.body()))?;
        let sent = Instant::now();
        let response = self.client.request(request).await.context("no answer")?;
        let status = response.status();
        ensure!(status.is_success(), "status {status}");
        let mut body = response.into_body();
        let mut listener = Listener::new(conversation.api());
        let mut first = None;
        while let Some(frame) = body.frame().await {
            let frame = frame.context("the answer broke off")?;
            if let Some(data) = frame.data_ref() {
                first.get_or_insert_with(|| sent.elapsed());
                listener.feed(data);
            }
        }
        let heard = listener.finish().context("the answer has no end")?;
        Ok((heard, first.unwrap_or_default()))
    }
}
