//! The gateway's configuration: a TOML file, with single values overridden by the environment.
//!
//! Every key is documented in docs/gateway.md and shown in docs/affinity.example.toml.

mod check;
mod env;
mod error;
mod keys;
mod load;
mod mend;
mod sections;
mod start_only;
mod values;

pub(crate) use env::environment;
pub use error::{ConfigError, Problem};
pub use load::{Keys, load};
pub use sections::{
    Affinity, Agents, Bound, BoundedLoad, Channel, Client, Config, Expose, Failover, Limits, Log,
    LogFormat, Policy, Server,
};
pub(crate) use start_only::changed_start_only;
pub use values::{AuthHeader, BaseUrl, Dialect, Secret, TokenHash};
