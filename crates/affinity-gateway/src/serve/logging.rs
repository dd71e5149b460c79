//! Sets up the log on stderr.

use std::io::{IsTerminal, stderr};

use tracing_subscriber::EnvFilter;

use crate::config::{Log, LogFormat};

/// Logs as the configuration says. Does nothing if somebody has set up a log before.
pub(super) fn start(log: &Log) -> Result<(), String> {
    let filter = EnvFilter::try_new(&log.level).map_err(|e| format!("log.level: {e}"))?;
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_target(false)
        // A log that cannot be written must not end requests, as reporting that on stderr would.
        .log_internal_errors(false)
        .with_writer(stderr)
        .with_ansi(stderr().is_terminal());
    let set = match log.format {
        LogFormat::Text => builder.try_init(),
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
    };
    drop(set);
    Ok(())
}
