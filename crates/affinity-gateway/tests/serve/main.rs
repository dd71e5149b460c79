//! The gateway in front of small upstreams that behave as told, all in this process.

mod admin;
mod affinity;
mod config;
mod endings;
mod failover;
mod gemini;
mod harness;
mod learning;
mod load;
mod problems;
mod program;
mod reload;
mod safety;
mod streaming;
mod tls;
