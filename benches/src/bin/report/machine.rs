//! What a figure means nothing without: machine, date, command, versions.

use std::fs;
use std::process::Command;
use std::time::SystemTime;

/// The lock file of this very build.
const LOCK: &str = include_str!("../../../../Cargo.lock");

/// The crates compared or measured with, in the lock file's spelling.
const CRATES: [&str; 21] = [
    "TinyUFO",
    "ahash",
    "cached",
    "dashmap",
    "foyer-memory",
    "hrw-hash",
    "kv-index",
    "mini-moka",
    "moka",
    "papaya",
    "pingora-ketama",
    "quanta",
    "quick_cache",
    "rendezvous_hash",
    "scc",
    "serde_json",
    "sha2",
    "siphasher",
    "sonic-rs",
    "twox-hash",
    "xxhash-rust",
];

/// A paragraph for the top of the figures.
pub(crate) fn describe() -> String {
    let versions: Vec<_> = CRATES
        .iter()
        .map(|name| format!("{name} {}", version(name).unwrap_or("?")))
        .collect();
    format!(
        "Machine: {}, {} threads, {} GiB, {}. Compiler: {}, release, thin LTO, one codegen unit, no \
         target-cpu flags. Date: {}. Commit: {}. Command: \
         `cargo run --release -p benches --bin report`.\n\nVersions: {}.\n",
        field("/proc/cpuinfo", "model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
        std::thread::available_parallelism().map_or(1, usize::from),
        gibibytes().map_or_else(|| "?".to_owned(), |g| g.to_string()),
        output("uname", &["-sr"]),
        output("rustc", &["--version"]),
        humantime::format_rfc3339_seconds(SystemTime::now()),
        output("git", &["describe", "--always", "--dirty"]),
        versions.join(", "),
    )
}

/// The newest version of `name` in the lock file.
fn version(name: &str) -> Option<&'static str> {
    let header = format!("name = \"{name}\"\nversion = \"");
    let at = LOCK.rfind(&header)? + header.len();
    LOCK[at..].split('"').next()
}

fn field(path: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn gibibytes() -> Option<u64> {
    let total = field("/proc/meminfo", "MemTotal")?;
    let kibibytes: u64 = total.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes.div_ceil(1 << 20))
}

/// What a command prints, or a question mark.
fn output(program: &str, args: &[&str]) -> String {
    let output = Command::new(program)
        .args(args)
        .output()
        .ok()
        .filter(|o| o.status.success());
    let text = output.map(|o| String::from_utf8_lossy(&o.stdout).trim().to_owned());
    text.unwrap_or_else(|| "?".to_owned())
}
