//! Runs every work once, ours and the peers in turn, and writes docs/benchmarks.md's figures.
//!
//! `cargo run --release -p benches --bin report` measures everything and rewrites what stands
//! between the markers of docs/benchmarks.md, and docs/bench/*.svg. With `--quick` or `--only` it
//! prints the same tables and leaves the documents alone.

#[cfg(feature = "peers")]
mod contest;
#[cfg(feature = "peers")]
mod document;
#[cfg(feature = "peers")]
mod machine;
#[cfg(feature = "peers")]
mod plots;
#[cfg(feature = "peers")]
mod programme;
#[cfg(feature = "peers")]
mod rows;
#[cfg(feature = "peers")]
mod run;
#[cfg(feature = "peers")]
mod sections;
#[cfg(feature = "peers")]
mod targets;

#[cfg(feature = "peers")]
fn main() -> std::process::ExitCode {
    run::run()
}

/// A comparison needs somebody to compare with: builds itself again with the peers and runs that.
#[cfg(not(feature = "peers"))]
fn main() -> std::process::ExitCode {
    use std::process::{Command, ExitCode};

    eprintln!("report: building with --features peers");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args([
            "run",
            "--release",
            "--package",
            "benches",
            "--features",
            "peers",
        ])
        .args(["--bin", "report", "--"])
        .args(std::env::args_os().skip(1))
        .status();
    match status {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("report: cannot run cargo: {error}");
            ExitCode::FAILURE
        }
    }
}
