//! The operators' listener: health, metrics, channels.

use std::sync::Arc;

use axum::Router as Routes;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Json, Response};
use axum::routing::{delete, get};
use hyper::body::Incoming;
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use serde::Serialize;
use tokio::sync::watch;

use super::accept::Handler;
use super::both_lengths::Seen;
use super::gateway::Shared;
use super::local;
use super::refuse;
use crate::config::{Dialect, TokenHash};

#[derive(Clone)]
struct Admin {
    shared: Arc<Shared>,
    token: Option<TokenHash>,
    stopping: watch::Receiver<bool>,
}

/// The routes, as a listener serves them.
#[derive(Clone)]
pub(super) struct Operators(TowerToHyperService<Routes>);

impl Operators {
    pub(super) fn new(
        shared: Arc<Shared>,
        token: Option<TokenHash>,
        stopping: watch::Receiver<bool>,
    ) -> Self {
        let admin = Admin {
            shared,
            token,
            stopping,
        };
        Self(TowerToHyperService::new(routes(admin)))
    }
}

impl Handler for Operators {
    type Body = Body;

    async fn answer(&self, seen: Seen, request: http::Request<Incoming>) -> Response {
        let (parts, body) = request.into_parts();
        if let Err(problem) = refuse::head(&parts, &seen) {
            return problem.response().map(Body::new);
        }
        let request = Request::from_parts(parts, body);
        self.0
            .call(request)
            .await
            .unwrap_or_else(|never| match never {})
    }
}

fn routes(admin: Admin) -> Routes {
    let guarded = Routes::new()
        .route("/metrics", get(metrics))
        .route("/affinity/channels", get(channels))
        .route("/affinity/channels/{name}/memories", delete(forget))
        .layer(from_fn_with_state(admin.clone(), guard));
    Routes::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .merge(guarded)
        .with_state(admin)
}

/// Health is for load balancers; everything else needs the token if there is one, and else to
/// come from this machine's own programs.
async fn guard(State(admin): State<Admin>, request: Request, next: Next) -> Response {
    if admin.token.is_none() && !local::is_local(request.uri(), request.headers()) {
        return StatusCode::FORBIDDEN.into_response();
    }
    let authorization = request.headers().get(header::AUTHORIZATION);
    let given = authorization
        .and_then(|value| value.as_bytes().strip_prefix(b"Bearer "))
        .map(TokenHash::of);
    if admin.token.is_some() && given != admin.token {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    next.run(request).await
}

/// Ready while it takes requests and some channel is not cooling down.
async fn ready(State(admin): State<Admin>) -> (StatusCode, &'static str) {
    if *admin.stopping.borrow() {
        return (StatusCode::SERVICE_UNAVAILABLE, "shutting down\n");
    }
    let live = admin.shared.live.load();
    let cooling = |channel| admin.shared.router.cooling(channel).is_some();
    if live.accounts.iter().all(|a| cooling(&a.channel)) {
        return (StatusCode::SERVICE_UNAVAILABLE, "all channels cool down\n");
    }
    (StatusCode::OK, "ready\n")
}

async fn metrics(State(admin): State<Admin>) -> impl IntoResponse {
    let live = admin.shared.live.load_full();
    let text = admin.shared.metrics.text(&admin.shared.router, &live);
    ([(header::CONTENT_TYPE, prometheus::TEXT_FORMAT)], text)
}

#[derive(Serialize)]
struct ChannelState {
    name: String,
    dialects: Vec<Dialect>,
    models: Vec<String>,
    weight: u32,
    in_flight: u32,
    max_in_flight: Option<u32>,
    /// How much longer the channel cools down; absent when it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    cooling_ms: Option<u64>,
}

async fn channels(State(admin): State<Admin>) -> Json<Vec<ChannelState>> {
    let live = admin.shared.live.load();
    let state = live.accounts.iter().map(|account| {
        let cooling = admin.shared.router.cooling(&account.channel);
        ChannelState {
            name: account.name().into(),
            dialects: account.config.dialects.clone(),
            models: account.config.models.clone(),
            weight: account.config.weight,
            in_flight: account.channel.in_flight(),
            max_in_flight: account.config.max_in_flight,
            cooling_ms: cooling.map(|left| u64::try_from(left.as_millis()).unwrap_or(u64::MAX)),
        }
    });
    Json(state.collect())
}

#[derive(Serialize)]
struct Forgotten {
    forgotten: usize,
}

async fn forget(
    State(admin): State<Admin>,
    Path(name): Path<String>,
) -> Result<Json<Forgotten>, StatusCode> {
    let live = admin.shared.live.load_full();
    let account = live.account(&name).ok_or(StatusCode::NOT_FOUND)?;
    let forgotten = admin.shared.router.forget_channel(&account.channel);
    tracing::info!(channel = account.name(), forgotten, "memories forgotten");
    Ok(Json(Forgotten { forgotten }))
}
