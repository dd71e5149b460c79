//! The gateway of the program `affinity`, as a library: its configuration and the streaming
//! reverse proxy, so that the demo and the tests run the very same code in-process.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod check_config;
pub mod config;
pub mod serve;
