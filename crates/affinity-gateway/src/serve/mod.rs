//! The streaming reverse proxy in front of the accounts.
//!
//! [`Gateway::start`] takes a configuration and serves until it is told to stop. The way of a
//! request: `proxy` refuses what is malformed or not allowed, `plan` reads who it is and asks the
//! router for the order, `attempt` sends it to one channel, `answer` streams what comes back and
//! learns from it.

mod accept;
mod admin;
mod answer;
mod attempt;
mod both_lengths;
mod command;
mod failure;
mod gateway;
mod headers;
mod learn;
mod live;
mod local;
mod logging;
mod metrics;
mod opening;
mod patience;
mod plan;
mod problem;
mod proxy;
mod reading;
mod record;
mod refuse;
mod reload;
mod request_body;
mod rewrite;
mod tapped;
mod target;
mod upstream;
mod usage;

pub use command::{Args, run};
pub use gateway::{Gateway, OpenToAll, Running, StartError};
