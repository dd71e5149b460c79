//! Upstreams, the gateway, and a client.

use std::future::Future;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use affinity_gateway::config::{Channel, Config, Dialect};
use affinity_gateway::serve::{Gateway, Running};
use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full, channel, combinators::UnsyncBoxBody};
use hyper::body::{Frame, Incoming};
use hyper::service::service_fn;
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

pub(crate) type Body = UnsyncBoxBody<Bytes, std::io::Error>;
/// The other end of a streamed body.
pub(crate) type Sender = channel::Sender<Bytes, std::io::Error>;

/// A request as an upstream got it.
#[derive(Clone, Debug)]
pub(crate) struct Got {
    pub(crate) uri: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Got {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|v| v.to_str().unwrap())
    }
}

/// An account that behaves as told, and keeps what it got.
pub(crate) struct Upstream {
    pub(crate) addr: SocketAddr,
    got: Arc<Mutex<Vec<Got>>>,
    task: JoinHandle<()>,
}

impl Upstream {
    /// Answers each request with `answer`, whose first argument counts from 0.
    pub(crate) async fn start<F, A>(answer: F) -> Self
    where
        F: Fn(usize, Got) -> A + Send + Sync + 'static,
        A: Future<Output = Response<Body>> + Send + 'static,
    {
        let got: Arc<Mutex<Vec<Got>>> = Arc::default();
        let (answer, seen) = (Arc::new(answer), Arc::clone(&got));
        Self::sockets(got, move |stream| {
            let (answer, seen) = (Arc::clone(&answer), Arc::clone(&seen));
            let service = service_fn(move |request: Request<Incoming>| {
                let (answer, seen) = (Arc::clone(&answer), Arc::clone(&seen));
                async move {
                    let (parts, body) = request.into_parts();
                    let got = Got {
                        uri: parts.uri.to_string(),
                        headers: parts.headers,
                        body: body.collect().await?.to_bytes(),
                    };
                    let number = {
                        let mut seen = seen.lock().unwrap();
                        seen.push(got.clone());
                        seen.len() - 1
                    };
                    Ok::<_, hyper::Error>(answer(number, got).await)
                }
            });
            async move {
                let server = hyper::server::conn::http1::Builder::new();
                // Clients that leave are part of the tests.
                let _ = server.serve_connection(TokioIo::new(stream), service).await;
            }
        })
        .await
    }

    /// Answers every request with the same JSON and status.
    pub(crate) async fn json(status: u16, body: Value) -> Self {
        Self::start(move |_, _| std::future::ready(json_response(status, &body))).await
    }

    /// An account that works.
    pub(crate) async fn good() -> Self {
        Self::json(200, json!({"choices": [], "usage": {"prompt_tokens": 10}})).await
    }

    /// An account that does with each connection as told.
    pub(crate) async fn raw<F, C>(connection: F) -> Self
    where
        F: Fn(TcpStream) -> C + Send + Sync + 'static,
        C: Future<Output = ()> + Send + 'static,
    {
        Self::sockets(Arc::default(), connection).await
    }

    /// Nobody listens there.
    pub(crate) async fn down() -> Self {
        let up = Self::good().await;
        up.task.abort();
        while TcpStream::connect(up.addr).await.is_ok() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        up
    }

    async fn sockets<F, C>(got: Arc<Mutex<Vec<Got>>>, connection: F) -> Self
    where
        F: Fn(TcpStream) -> C + Send + Sync + 'static,
        C: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let addr = listener.local_addr().unwrap();
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                stream.set_nodelay(true).unwrap();
                tokio::spawn(connection(stream));
            }
        });
        Self { addr, got, task }
    }

    pub(crate) fn got(&self) -> Vec<Got> {
        self.got.lock().unwrap().clone()
    }

    pub(crate) fn count(&self) -> usize {
        self.got.lock().unwrap().len()
    }

    /// This account in a configuration.
    pub(crate) fn channel(&self, name: &str) -> Channel {
        let url = format!("http://{}", self.addr).parse().unwrap();
        Channel::new(name, url, &Dialect::ALL)
    }
}

pub(crate) fn full(body: impl Into<Bytes>) -> Body {
    Full::new(body.into())
        .map_err(|never| match never {})
        .boxed_unsync()
}

pub(crate) fn json_response(status: u16, body: &Value) -> Response<Body> {
    Response::builder()
        .status(status)
        .header(header::CONTENT_TYPE, "application/json")
        .body(full(body.to_string()))
        .unwrap()
}

/// A stream of events, and the end that sends them.
pub(crate) fn event_stream() -> (Sender, Response<Body>) {
    let (sender, body) = channel::Channel::new(1);
    let response = Response::builder()
        .header(header::CONTENT_TYPE, "text/event-stream")
        .body(body.boxed_unsync())
        .unwrap();
    (sender, response)
}

/// The gateway over these accounts, as the test changes it.
pub(crate) async fn gateway(
    channels: impl IntoIterator<Item = Channel>,
    change: impl FnOnce(&mut Config),
) -> Running {
    let mut config = Config {
        channels: channels.into_iter().collect(),
        ..Config::default()
    };
    config.server.listen.set_port(0);
    config.server.admin = Some((Ipv4Addr::LOCALHOST, 0).into());
    config.server.shutdown_grace = Duration::from_secs(10);
    change(&mut config);
    Gateway::start(config).await.unwrap()
}

/// The gateway with its defaults over accounts `acct-0`, `acct-1`, …
pub(crate) async fn over(upstreams: &[Upstream]) -> Running {
    gateway(numbered(upstreams), |_| {}).await
}

pub(crate) fn numbered(upstreams: &[Upstream]) -> Vec<Channel> {
    let named = upstreams.iter().enumerate();
    named
        .map(|(i, up)| up.channel(&format!("acct-{i}")))
        .collect()
}

/// An answer, in whole.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|v| v.to_str().unwrap())
    }

    pub(crate) fn channel(&self) -> &str {
        self.header("x-affinity-channel").unwrap_or("none")
    }

    /// The number of the account that answered.
    pub(crate) fn account(&self) -> usize {
        self.channel().trim_start_matches("acct-").parse().unwrap()
    }
}

type HttpClient = Client<hyper_util::client::legacy::connect::HttpConnector, Full<Bytes>>;

/// A client of the gateway.
#[derive(Clone)]
pub(crate) struct Caller {
    http: HttpClient,
    addr: SocketAddr,
    headers: Vec<(&'static str, String)>,
}

impl Caller {
    pub(crate) fn of(running: &Running) -> Self {
        Self::at(running.addr)
    }

    pub(crate) fn at(addr: SocketAddr) -> Self {
        Self {
            http: Client::builder(TokioExecutor::new()).build_http(),
            addr,
            headers: Vec::new(),
        }
    }

    /// The same with one more header on each request.
    pub(crate) fn with(&self, name: &'static str, value: &str) -> Self {
        let mut caller = self.clone();
        caller.headers.push((name, value.into()));
        caller
    }

    pub(crate) fn request(
        &self,
        method: Method,
        path: &str,
        body: impl Into<Bytes>,
    ) -> Request<Full<Bytes>> {
        let mut request = Request::builder()
            .method(method)
            .uri(format!("http://{}{path}", self.addr))
            .header(header::CONTENT_TYPE, "application/json");
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        request.body(Full::new(body.into())).unwrap()
    }

    /// Sends, and takes the answer as it streams.
    pub(crate) async fn open(&self, path: &str, body: &Value) -> Response<Incoming> {
        let request = self.request(Method::POST, path, body.to_string());
        self.http.request(request).await.unwrap()
    }

    /// Sends, and takes the answer in whole.
    pub(crate) async fn send(&self, method: Method, path: &str, body: impl Into<Bytes>) -> Answer {
        let request = self.request(method, path, body);
        let (parts, body) = self.http.request(request).await.unwrap().into_parts();
        Answer {
            status: parts.status,
            headers: parts.headers,
            body: body.collect().await.unwrap().to_bytes(),
        }
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, Bytes::new()).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send(Method::POST, path, body.to_string()).await
    }

    /// One turn of a Chat Completions conversation.
    pub(crate) async fn chat(&self, talk: &Talk) -> Answer {
        self.post("/v1/chat/completions", &talk.chat()).await
    }
}

/// A conversation that grows.
#[derive(Clone, Debug)]
pub(crate) struct Talk(Vec<Value>);

impl Talk {
    pub(crate) fn new(opener: &str) -> Self {
        Self(vec![
            json!({"role": "system", "content": "You are helpful."}),
            json!({"role": "user", "content": opener}),
        ])
    }

    /// The next turn: an answer and another question.
    pub(crate) fn turn(&mut self) -> &mut Self {
        let n = self.0.len();
        self.0
            .push(json!({"role": "assistant", "content": format!("answer {n}")}));
        self.0
            .push(json!({"role": "user", "content": format!("question {n}")}));
        self
    }

    pub(crate) fn chat(&self) -> Value {
        json!({"model": "m", "messages": self.0})
    }

    /// A conversation whose first choice among `n` accounts is this one.
    pub(crate) fn at_home_with(account: usize, n: usize) -> Self {
        let router = affinity_router::Router::builder().build();
        let channels = (0..n).map(|i| router.channel(&format!("acct-{i}")));
        let channels = affinity_router::Channels::new(channels);
        let home = |talk: &Self| {
            let body = talk.chat().to_string();
            let mut scratch = affinity_llm::Scratch::new();
            let path = "/v1/chat/completions";
            let request = affinity_llm::Request::read(&(), path, body.as_bytes(), &mut scratch);
            let mut chain = affinity_hash::ChainBuilder::new();
            let scope = router.scope(None, Some("m"));
            let f = request.fingerprint(scope, &mut chain).unwrap();
            let identity =
                affinity_router::Identity::chain(f.links, Some(f.opener), f.prefix_bytes);
            router.route(identity, &channels).order()[0]
        };
        (0..)
            .map(|i| Self::new(&format!("opener {i}")))
            .find(|talk| home(talk) == account)
            .unwrap()
    }
}

/// The value of a metric, by its name and labels.
pub(crate) async fn metric(admin: &Caller, line: &str) -> Option<f64> {
    let text = admin.get("/metrics").await.body;
    let text = String::from_utf8(text.to_vec()).unwrap();
    let found = text
        .lines()
        .find_map(|l| l.strip_prefix(line))?
        .trim()
        .parse();
    Some(found.unwrap())
}

/// Waits until something is so, for two seconds at most.
pub(crate) async fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..400 {
        if is_so() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("never: {what}");
}

/// The next piece of a streamed answer.
pub(crate) async fn piece(body: &mut Incoming) -> Option<Result<Bytes, hyper::Error>> {
    let frame = body.frame().await?;
    Some(frame.map(|f| f.into_data().unwrap_or_default()))
}

pub(crate) async fn send(sender: &mut Sender, data: &'static str) {
    sender
        .send(Frame::data(Bytes::from_static(data.as_bytes())))
        .await
        .unwrap();
}
