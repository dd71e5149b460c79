//! Runs every work once, ours and the peers in turn, and writes docs/benchmarks.md's figures.
//!
//! `cargo run --release -p benches --bin report` measures everything and rewrites what stands
//! between the markers of docs/benchmarks.md, and docs/bench/*.svg. With `--quick` or `--only` it
//! prints the same tables and leaves the documents alone.

use std::io;
use std::process::{Command, ExitCode};

mod contest;
mod document;
mod machine;
mod plots;
mod programme;
mod rows;
mod run;
mod scale;
mod sections;
mod targets;

fn main() -> ExitCode {
    let done = if cfg!(feature = "routers") {
        run::run()
    } else {
        with_all_peers()
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("report: {error}");
            ExitCode::FAILURE
        }
    }
}

/// A comparison needs somebody to compare with: builds itself again with all peers and runs that.
fn with_all_peers() -> io::Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args([
            "run",
            "--release",
            "--bin",
            "report",
            "--features",
            "routers",
        ])
        .args([
            "--manifest-path",
            concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"),
            "--",
        ])
        .args(std::env::args_os().skip(1))
        .status()?;
    if status.success() {
        Ok(())
    } else {
        Err(io::Error::other("the report with all peers failed"))
    }
}
