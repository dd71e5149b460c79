//! One measured figure.

use serde::Serialize;

/// What one peer did at one work on so many threads.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) work: String,
    pub(crate) peer: String,
    pub(crate) threads: usize,
    /// Median over the windows of the slowest thread's time per operation of that thread.
    pub(crate) ns_per_op: f64,
    /// Operations of all threads together, millions a second.
    pub(crate) mops: f64,
    /// Recalls that found their memory. `None` if the work has none.
    pub(crate) hit_rate: Option<f64>,
    /// Measured on one thread only.
    pub(crate) allocs_per_op: Option<f64>,
    /// Requested heap bytes of the table per memory it holds. Measured on one thread only.
    pub(crate) bytes_per_entry: Option<f64>,
}

impl Row {
    /// A row of the work's own cost, in which no peer takes part.
    pub(crate) fn is_floor(&self) -> bool {
        self.peer.starts_with('(')
    }

    /// One of ours.
    pub(crate) fn is_ours(&self) -> bool {
        self.peer.starts_with("affinity")
    }
}

/// The row of this peer at this work.
pub(crate) fn find<'a>(rows: &'a [Row], work: &str, peer: &str, threads: usize) -> Option<&'a Row> {
    rows.iter()
        .find(|row| row.work == work && row.peer == peer && row.threads == threads)
}
