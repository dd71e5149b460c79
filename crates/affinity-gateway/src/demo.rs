//! `affinity demo`: what affinity is worth, shown on this machine without any account.
//!
//! Agents hold the same conversations twice, through the real gateway in front of simulated
//! accounts: first with requests spread evenly, then with affinity.

mod agent;
mod json;
mod outcome;
mod plot;
mod prices;
mod progress;
mod stage;
mod table;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use affinity_gateway::config::Policy;
use affinity_sim::http::agents::Shape;
use anyhow::Context;

use outcome::Outcome;
use progress::Progress;
use stage::Stage;

/// Exit code of a program that Ctrl-C ended: 128 + SIGINT.
const INTERRUPTED: u8 = 130;

/// What `affinity demo` is asked to do.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// Number of simulated accounts
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(2..=64))]
    accounts: u32,

    /// Number of conversations that the agents hold
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=1000))]
    conversations: u32,

    /// Write the figures as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Draw the cached share over time as SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    /// Seed of everything random: conversations, think times, refusals
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

const AFTER_HELP: &str = "\
Everything runs on loopback. Thinking and cache lifetimes run 30 times faster than real ones; an \
account's first token takes 60 ms and 40 µs for each prompt token that is not cached. One account \
fails for a while in the middle, and each refuses a request now and then: no agent may notice. \
Exit code 1 if one did.";

/// Runs both policies and reports.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Runtime::new().context("cannot start the runtime")?;
    let outcomes = runtime.block_on(async {
        tokio::select! {
            outcomes = compare(&args) => outcomes.map(Some),
            interrupt = tokio::signal::ctrl_c() => {
                interrupt.context("cannot listen for Ctrl-C")?;
                Ok(None)
            }
        }
    })?;
    // Whatever still runs is ours alone and holds nothing.
    runtime.shutdown_background();
    let Some(outcomes) = outcomes else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    if let Some(path) = &args.json {
        write(path, json::render(&outcomes)?)?;
    }
    if let Some(path) = &args.svg {
        write(path, plot::render(&outcomes)?)?;
    }
    let mut out = io::stdout().lock();
    writeln!(out, "{}", table::render(&outcomes))?;
    out.flush()?;
    let unnoticed = outcomes.iter().all(|outcome| outcome.errors == 0);
    Ok(if unnoticed {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

async fn compare(args: &Args) -> anyhow::Result<Vec<Outcome>> {
    let shape = Shape {
        conversations: args.conversations as usize,
        arrivals: Duration::from_secs(3),
        requests: 5..=11,
        think: Duration::from_millis(300),
        system_tokens: 2000,
        opener_tokens: 1500,
        round_tokens: 700,
        seed: args.seed,
    };
    let requests = shape
        .conversations()
        .iter()
        .map(|one| one.requests_left())
        .sum::<usize>();
    let progress = Arc::new(Progress::new(2 * requests));
    let mut outcomes = Vec::new();
    for policy in [Policy::RoundRobin, Policy::Affinity] {
        // Cold caches and a new gateway for each.
        let stage = Stage::start(policy, args.accounts, args.seed).await?;
        outcomes.push(stage.play(shape.conversations(), &progress).await);
    }
    Ok(outcomes)
}

fn write(path: &Path, text: String) -> anyhow::Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
