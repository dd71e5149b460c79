//! The router's promises, from the outside.

mod allocations;
mod common;
mod decisions;
mod demotion;
mod forgetting;
mod properties;
mod threads;
