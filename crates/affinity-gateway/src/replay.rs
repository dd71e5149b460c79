//! `affinity replay`: routing policies side by side on real or generated traffic.

mod json;
mod plot;
mod progress;
mod table;
mod traffic;

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use affinity_sim::{Format, Outcome, Policy, Settings, Trace};
use anyhow::Context;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use progress::Progress;
use traffic::Traffic;

/// What `affinity replay` is asked to do.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// Trace to replay, `-` for standard input; without one, agent conversations are generated
    trace: Option<PathBuf>,

    /// Format of the trace [default: told by its content]
    #[arg(long, value_parser = formats())]
    format: Option<Format>,

    /// Number of simulated accounts
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    channels: u32,

    /// Seconds that an account keeps a prompt, and affinity a memory, after the last use
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = seconds)]
    ttl: Duration,

    /// Most memories that affinity holds
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    limit: usize,

    /// Policies to replay, separated by commas [default: all]
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = policies())]
    policy: Vec<Policy>,

    /// Write the figures as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Draw the figures as SVG
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,

    /// Refuse a trace with a malformed line instead of skipping the line
    #[arg(long)]
    strict: bool,

    /// Seed of everything random: generated traffic, arrival times, the policy random
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

const AFTER_HELP: &str = "\
Columns: `hit` is the share of prompt tokens read from a cache; `of reachable` compares it with one \
account that serves all the traffic; `max/mean` is the most loaded account against the average.";

fn formats() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::ALL.map(Format::name)).try_map(|name| name.parse::<Format>())
}

fn policies() -> impl TypedValueParser<Value = Policy> {
    PossibleValuesParser::new(Policy::ALL.map(Policy::name)).try_map(|name| name.parse::<Policy>())
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text
        .parse()
        .map_err(|_| "expected seconds, such as 300 or 0.5")?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

/// The figures of all policies on one traffic.
#[derive(Debug)]
struct Comparison {
    /// What was replayed: the file's name, or `generated`.
    traffic: String,
    requests: usize,
    settings: Settings,
    prompt_tokens: u64,
    reachable_tokens: u64,
    rows: Vec<(Policy, Outcome)>,
}

impl Comparison {
    /// Hit ratio of one account with all the traffic.
    fn reachable(&self) -> f64 {
        self.reachable_tokens as f64 / self.prompt_tokens.max(1) as f64
    }

    /// Of what is reachable; `None` when nothing is.
    fn share(&self, outcome: &Outcome) -> Option<f64> {
        let any = self.reachable_tokens > 0;
        any.then(|| outcome.share_of(self.reachable_tokens))
    }
}

/// Replays the traffic and prints the policies side by side.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let Traffic { name, trace } = traffic::load(&args)?;
    let comparison = compare(name, &trace, &args);
    if let Some(path) = &args.json {
        fs::write(path, json::render(&comparison)?)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    if let Some(path) = &args.plot {
        fs::write(path, plot::render(&comparison)?)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    // Last: whoever closes the pipe still gets the files.
    let mut out = io::stdout().lock();
    writeln!(out, "{}", table::render(&comparison))?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn compare(traffic: String, trace: &Trace, args: &Args) -> Comparison {
    let settings = Settings {
        channels: args.channels as usize,
        ttl: args.ttl,
        limit: args.limit,
        seed: args.seed,
    };
    let asked = |policy: &Policy| args.policy.is_empty() || args.policy.contains(policy);
    let policies: Vec<Policy> = Policy::ALL.into_iter().filter(asked).collect();
    let progress = Progress::new(trace.len() * (policies.len() + 1));

    progress.now("one account with all the traffic");
    let reachable_tokens = affinity_sim::reachable(trace, settings.ttl, || progress.step());
    let replay = |policy: Policy| {
        progress.now(policy.name());
        let outcome = affinity_sim::replay(trace, policy, &settings, || progress.step());
        (policy, outcome)
    };
    Comparison {
        traffic,
        requests: trace.len(),
        settings,
        prompt_tokens: trace.prompt_tokens(),
        reachable_tokens,
        rows: policies.into_iter().map(replay).collect(),
    }
}
