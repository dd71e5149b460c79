//! `affinity check-config`: says whether a configuration would be taken.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::config::{self, Keys};

/// Arguments of `affinity check-config`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The configuration file
    #[arg(long, short, default_value = "affinity.toml")]
    config: PathBuf,
    /// Do not read the keys that the configuration names
    #[arg(long)]
    skip_keys: bool,
}

/// Prints what is wrong to stderr, a line each, or a summary to stdout.
///
/// # Errors
/// When the configuration would be refused.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let keys = if args.skip_keys {
        Keys::Skip
    } else {
        Keys::Read
    };
    let config = match config::load(&args.config, std::env::vars(), keys) {
        Ok(config) => config,
        Err(error) => {
            eprintln!("{error}");
            return Ok(ExitCode::FAILURE);
        }
    };
    println!(
        "{}: good: {} channels, {} clients, listening on {}",
        args.config.display(),
        config.channels.len(),
        config.clients.len(),
        config.server.listen
    );
    Ok(ExitCode::SUCCESS)
}
