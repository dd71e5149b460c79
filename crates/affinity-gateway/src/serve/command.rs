use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use tokio::signal::unix::{SignalKind, signal};

use super::gateway::Gateway;
use super::logging;
use super::reload;
use crate::config::{self, Config, Keys};

/// Arguments of `affinity serve`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The configuration file
    #[arg(long, short, default_value = "affinity.toml")]
    config: PathBuf,
}

/// Serves until SIGTERM or SIGINT, of which a second one ends at once; SIGHUP or a change of the file reloads the configuration.
///
/// # Errors
/// When the configuration is wrong or a listener cannot be bound.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let config = config::load(&args.config, config::environment(), Keys::Read)?;
    logging::start(&config.log).map_err(anyhow::Error::msg)?;
    // Two descriptors a request, and the usual soft limit is 1024.
    if let Err(error) = rlimit::increase_nofile_limit(u64::MAX) {
        tracing::warn!(%error, "the limit of open files stays as it is");
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    runtime.block_on(serve(config, args.config))?;
    Ok(ExitCode::SUCCESS)
}

async fn serve(config: Config, file: PathBuf) -> anyhow::Result<()> {
    let mut hangup = signal(SignalKind::hangup())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let open = config.clients.is_empty();
    let running = Gateway::start(config).await?;
    let admin = running.admin_addr.map(tracing::field::display);
    tracing::info!(addr = %running.addr, admin, "serving");
    if open {
        tracing::warn!(
            "no [[clients]] are configured: anybody on this machine may use the channels"
        );
    }
    tokio::select! {
        () = reload::keep(&running, &file, async || { hangup.recv().await; }) => {}
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    tracing::info!("shutting down");
    tokio::select! {
        () = running.shutdown() => {}
        // Whoever asks twice does not want to wait.
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    Ok(())
}
