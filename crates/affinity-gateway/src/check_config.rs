//! `affinity check-config`: says whether a configuration would be taken.

use std::io::{self, Write as _};
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
/// When nothing can be printed. A configuration that would be refused is an exit code.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let keys = if args.skip_keys {
        Keys::Skip
    } else {
        Keys::Read
    };
    let config = match config::load(&args.config, config::environment(), keys) {
        Ok(config) => config,
        Err(error) => {
            // If nobody reads it, the exit code still says so.
            let _ = writeln!(io::stderr(), "{error}");
            return Ok(ExitCode::FAILURE);
        }
    };
    writeln!(
        io::stdout(),
        "{}: good: {} channels, {} clients, listening on {}",
        args.config.display(),
        config.channels.len(),
        config.clients.len(),
        config.server.listen
    )?;
    Ok(ExitCode::SUCCESS)
}
