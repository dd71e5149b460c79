//! The table's protocol under loom: the very files that ship, explored in every interleaving.
//!
//! `protocol.rs`, `ring.rs`, `filter.rs` and `lifetime.rs` are compiled from `affinity-table` as they
//! are, over a `sync` of loom's types. A [`Scenario`] is run on them, every history that comes out is
//! searched for an order that the sequential specification allows, and the invariants that
//! `protocol.rs` names are asserted on the way and at rest. docs/table-protocol.md tells what this
//! shows and what it cannot.

mod check;
mod faults;
mod history;
mod notation;
mod run;
mod scenario;
pub mod scenarios;
mod setup;
mod spec;
mod subject;
mod sync;

// The shipped table uses more of them than the models do.
#[allow(dead_code)]
#[path = "../../crates/affinity-table/src/filter.rs"]
mod filter;
#[allow(dead_code)]
#[path = "../../crates/affinity-table/src/lifetime.rs"]
mod lifetime;
#[allow(dead_code)]
#[path = "../../crates/affinity-table/src/protocol.rs"]
mod protocol;
#[allow(dead_code)]
#[path = "../../crates/affinity-table/src/ring.rs"]
mod ring;

pub use check::check;
pub use faults::{FAULTS, Fault};
pub use run::{Keeping, run};
pub use scenario::{
    A, B, C, D, Key, Op, Scenario, ZERO, clear, forget, forget_channel, len, peek, purge, recall,
    remember, remember_for, walk,
};
pub use setup::Lock;
