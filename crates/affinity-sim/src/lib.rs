//! Simulated upstream accounts with real prompt-cache rules, trace readers, workload generator.

mod accounts;
mod draws;
#[cfg(feature = "http")]
pub mod http;
mod policy;
mod prompt;
mod prompt_cache;
mod read;
mod replay;
mod service;
mod trace;
mod workload;

pub use accounts::Load;
pub use policy::{Policy, Recalls, UnknownPolicy};
pub use prompt_cache::{Block, PromptCache};
pub use read::{Fault, Format, ReadError, ReadOptions, Reading, Skipped, UnknownFormat, read};
pub use replay::{Outcome, Settings, reachable, replay};
pub use trace::{Keys, Request, Trace};
pub use workload::Workload;
