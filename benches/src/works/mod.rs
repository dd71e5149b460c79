//! The works, one file each, each generic over who does it.

mod bodies;
mod chains;
mod mix;
mod orders;
mod reading;
mod requests;
#[cfg(feature = "routers")]
mod trees;
mod turn;
mod walk;

use std::time::Duration;

pub use bodies::{Bodies, LARGE, MANY, SMALL, Shape};
pub use chains::Chains;
pub use mix::{Mix, Share};
pub use orders::{Orders, Take};
pub use reading::Reading;
pub use requests::Body;
#[cfg(feature = "routers")]
pub use trees::{Tree, TreeTurn};
pub use turn::Turn;
pub use walk::{Walk, WalkKind};

/// The memories a table holds in the works that are not about size.
pub const LIMIT: usize = 100_000;

/// A work in progress, done by one peer.
pub trait Course {
    /// Does `ops` operations on each thread. Returns the time of the slowest thread, in which
    /// preparations are not counted.
    fn run(&mut self, ops: u64) -> Duration;

    /// Share of recalls that found a memory since the course began, if it recalls.
    fn hit_rate(&self) -> Option<f64> {
        None
    }

    /// Memories held, if there is a table.
    fn held(&self) -> Option<usize> {
        None
    }
}

/// Hits and recalls of one thread.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    recalls: u64,
    hits: u64,
}

/// The hit rate of all threads.
fn hit_rate(tallies: impl Iterator<Item = Tally>) -> Option<f64> {
    let all = tallies.fold(Tally::default(), |all, one| Tally {
        recalls: all.recalls + one.recalls,
        hits: all.hits + one.hits,
    });
    (all.recalls > 0).then(|| all.hits as f64 / all.recalls as f64)
}
