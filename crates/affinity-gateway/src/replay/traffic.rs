//! The traffic to replay: a trace from a file or standard input, or generated.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use affinity_sim::{ReadOptions, Reading, Skipped, Trace, Workload};
use anyhow::Context;

use super::Args;

/// Traffic and what to call it.
pub(super) struct Traffic {
    pub(super) name: String,
    pub(super) trace: Trace,
}

/// Reads the trace that was asked for, or generates one. Skipped lines are reported on stderr.
pub(super) fn load(args: &Args) -> anyhow::Result<Traffic> {
    let Some(path) = &args.trace else {
        let workload = Workload {
            seed: args.seed,
            ..Workload::default()
        };
        return Ok(Traffic {
            name: "generated".to_owned(),
            trace: workload.generate(),
        });
    };
    let options = ReadOptions {
        format: args.format,
        strict: args.strict,
        seed: args.seed,
    };
    let shown = path.display();
    let input = open(path).with_context(|| format!("cannot open {shown}"))?;
    let Reading { trace, skipped, .. } =
        affinity_sim::read(input, &options).with_context(|| shown.to_string())?;
    report(path, &skipped);
    let name = path.file_name().unwrap_or(path.as_os_str());
    Ok(Traffic {
        name: name.to_string_lossy().into_owned(),
        trace,
    })
}

fn open(path: &Path) -> io::Result<Box<dyn BufRead>> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin().lock()));
    }
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    Ok(Box::new(BufReader::with_capacity(1 << 16, file)))
}

fn report(path: &Path, skipped: &Skipped) {
    let shown = path.display();
    for fault in &skipped.first {
        eprintln!("affinity: {shown}: skipped {fault}");
    }
    let more = skipped.count - skipped.first.len() as u64;
    if more > 0 {
        eprintln!("affinity: {shown}: skipped {more} more malformed lines");
    }
}
