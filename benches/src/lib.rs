//! What the criterion benches and the benchmark report share: the works, the peers, the measuring.
//!
//! A *work* is a job that a gateway gives its table, its hash or its order ([`works`]). A *peer* is
//! something that a user would pick instead of ours for that job ([`peers`], [`chains`], [`orders`]).
//! Both are the same for the benches (`cargo bench -p benches --features peers`) and for the report
//! (`cargo run --release -p benches --bin report`), so their figures can be compared.
//!
//! Peers are compiled with the feature `peers` only. All randomness has a fixed seed, except the
//! hashers' own.

pub mod allocations;
pub mod by_hand;
pub mod chains;
pub mod entrants;
pub mod orders;
pub mod peer;
pub mod peers;
pub mod readers;
pub mod rng;
pub mod threads;
pub mod works;

/// Whether a bench was called with `-- --quick`: all of them together are to end within three minutes.
pub fn quick() -> bool {
    std::env::args().any(|argument| argument == "--quick")
}
