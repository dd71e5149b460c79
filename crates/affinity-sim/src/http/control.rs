//! Accounts steered from outside the process.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::{JoinHandle, JoinSet};

use super::account::Account;
use super::fault::Fault;

/// Largest body of a control request.
const BODY_LIMIT: usize = 64 << 10;

/// An HTTP server on loopback that steers accounts, for tests in other languages.
///
/// | request | effect |
/// |---|---|
/// | `GET /accounts` | name, base URL and counts of each |
/// | `GET /accounts/NAME/received` | heads of its last requests, header values included |
/// | `PUT /accounts/NAME/fault` | `{"kind": "status", "status": 500, "times": 1}`; without `times` until healed |
/// | `DELETE /accounts/NAME/fault` | heals it |
/// | `DELETE /accounts/NAME/cache` | empties its prompt cache |
#[derive(Debug)]
pub struct Control {
    accounts: Arc<Vec<Account>>,
    address: SocketAddr,
    task: JoinHandle<()>,
}

#[derive(Deserialize)]
struct Order {
    #[serde(flatten)]
    fault: Fault,
    times: Option<u32>,
}

impl Control {
    /// Takes over the accounts and listens on a port of 127.0.0.1; port 0 is any free one.
    ///
    /// # Errors
    /// The port cannot be bound.
    pub async fn start(accounts: Vec<Account>, port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let address = listener.local_addr()?;
        let accounts = Arc::new(accounts);
        let task = tokio::spawn(accept(listener, Arc::clone(&accounts)));
        Ok(Self {
            accounts,
            address,
            task,
        })
    }

    /// `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The accounts, in the order they came in.
    #[must_use]
    pub fn accounts(&self) -> &[Account] {
        &self.accounts
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn accept(listener: TcpListener, accounts: Arc<Vec<Account>>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let Ok((stream, _)) = accepted else { return };
                let accounts = Arc::clone(&accounts);
                let handler = service_fn(move |request| serve(Arc::clone(&accounts), request));
                connections.spawn(
                    http1::Builder::new().serve_connection(TokioIo::new(stream), handler),
                );
            }
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
        }
    }
}

async fn serve(
    accounts: Arc<Vec<Account>>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let (head, body) = request.into_parts();
    let answer = match Limited::new(body, BODY_LIMIT).collect().await {
        Ok(body) => obey(&accounts, &head.method, head.uri.path(), &body.to_bytes()).await,
        Err(_) => Err(StatusCode::PAYLOAD_TOO_LARGE),
    };
    let (status, value) = match answer {
        Ok(value) => (StatusCode::OK, value),
        Err(status) => (status, json!({ "error": status.as_str() })),
    };
    let mut response = Response::new(Full::new(Bytes::from(value.to_string())));
    *response.status_mut() = status;
    Ok(response)
}

async fn obey(
    accounts: &[Account],
    method: &Method,
    path: &str,
    body: &[u8],
) -> Result<Value, StatusCode> {
    let mut segments = path.trim_matches('/').split('/');
    if segments.next() != Some("accounts") {
        return Err(StatusCode::NOT_FOUND);
    }
    let Some(name) = segments.next() else {
        return Ok(accounts.iter().map(describe).collect());
    };
    let account = accounts.iter().find(|account| account.name() == name);
    let account = account.ok_or(StatusCode::NOT_FOUND)?;
    match (method.as_str(), segments.next()) {
        ("GET", Some("received")) => return Ok(json!(account.received())),
        ("PUT", Some("fault")) => {
            let order: Order = serde_json::from_slice(body).map_err(|_| StatusCode::BAD_REQUEST)?;
            match order.times {
                Some(times) => account.fail_times(order.fault, times).await,
                None => account.fail(order.fault).await,
            }
        }
        ("DELETE", Some("fault")) => account.heal().await,
        ("DELETE", Some("cache")) => account.forget_cache(),
        _ => return Err(StatusCode::NOT_FOUND),
    }
    Ok(describe(account))
}

fn describe(account: &Account) -> Value {
    json!({ "name": account.name(), "base_url": account.base_url(), "stats": account.stats() })
}
