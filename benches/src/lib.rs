//! Criterion benches, ours beside the peers.
