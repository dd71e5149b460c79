//! The program `affinity`: keeps conversations on the upstream account that has their prompt cached.
//!
//! Every subcommand is a module with its arguments and a `run`. Exit codes: 0 done, 1 failed (the
//! reason is on stderr), 2 wrong usage.

mod demo;
mod explain;
mod replay;

use std::io::{self, Write as _};
use std::process::ExitCode;

use affinity_gateway::{check_config, serve};
use clap::{Parser, Subcommand};

#[derive(Debug, Parser)]
#[command(name = "affinity", version, about, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show on this machine what affinity is worth: simulated accounts, the real gateway, agents
    Demo(demo::Args),
    /// Show what a request would be taken for: dialect, session, entries, links; compare two
    Explain(explain::Args),
    /// Replay traffic against simulated accounts and compare routing policies
    Replay(replay::Args),
    /// Serve as a streaming reverse proxy in front of the configured accounts
    Serve(serve::Args),
    /// Check a configuration of `serve` without serving
    CheckConfig(check_config::Args),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Demo(args) => demo::run(args),
        Command::Explain(args) => explain::run(args),
        Command::Replay(args) => replay::run(args),
        Command::Serve(args) => serve::run(args),
        Command::CheckConfig(args) => check_config::run(args),
    };
    match outcome {
        Ok(code) => code,
        // Whoever read our output has seen enough (`affinity … | head`): not a failure.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "affinity: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|io| io.kind() == io::ErrorKind::BrokenPipe)
    })
}
