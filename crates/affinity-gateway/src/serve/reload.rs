//! Puts a changed configuration in place while requests are served.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::gateway::Running;
use crate::config::{self, Keys};

/// How often the file is looked at: a look costs one `stat`, and no watcher needs to be set up
/// that would lose a file that is replaced by renaming.
const EVERY: Duration = Duration::from_secs(2);

/// Reads the configuration again whenever its file changes, or `asked` resolves. Never returns.
pub(super) async fn keep(running: &Running, file: &Path, mut asked: impl AsyncFnMut()) {
    let mut seen = stamp(file);
    let mut looks = tokio::time::interval(EVERY);
    loop {
        tokio::select! {
            () = asked() => seen = stamp(file),
            _ = looks.tick() => {
                let now = stamp(file);
                if now == seen {
                    continue;
                }
                seen = now;
            }
        }
        reload(running, file);
    }
}

/// A bad configuration is refused, and the one in place stays.
fn reload(running: &Running, file: &Path) {
    let reloaded = config::load(file, config::environment(), Keys::Read)
        .map_err(|error| error.to_string())
        .and_then(|config| running.reload(config).map_err(|error| error.to_string()));
    match reloaded {
        Ok(()) => {
            running.count_reload("ok");
            tracing::info!(file = %file.display(), "configuration reloaded");
        }
        Err(problems) => {
            running.count_reload("refused");
            for problem in problems.lines() {
                tracing::error!("configuration refused, the old one stays: {problem}");
            }
        }
    }
}

/// What differs when a file was written or replaced; `None` while it is away.
fn stamp(file: &Path) -> Option<(SystemTime, u64)> {
    let metadata = fs::metadata(file).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}
