//! Simulated upstream accounts with real prompt-cache rules, trace readers, workload generator.
//!
//! A [`Trace`] comes from [`read`] (four formats) or from a [`Workload`]; [`replay`] sends it
//! through simulated accounts under a [`Policy`]; the [`Outcome`] has the cache hits and the loads.
//! docs/traces.md describes the formats, the policies and what came out.
//!
//! ```
//! use affinity_sim::{Policy, Settings, Workload, reachable, replay};
//!
//! let trace = Workload { sessions: 50, ..Workload::default() }.generate();
//! let settings = Settings::default();
//! let reachable = reachable(&trace, settings.ttl, || ());
//! let share = |policy| replay(&trace, policy, &settings, || ()).share_of(reachable);
//! assert!(share(Policy::MemoryOpener) > 0.99);
//! assert!(share(Policy::RoundRobin) < 0.9);
//! ```

#![forbid(unsafe_code)]
#![deny(missing_docs)]

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
