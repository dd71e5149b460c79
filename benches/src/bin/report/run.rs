//! The command line.

use std::path::PathBuf;
use std::time::Instant;
use std::{fs, io};

use clap::{Parser, ValueEnum};

use crate::programme::{self, Effort};
use crate::{document, plots, sections};

/// Compares ours with the peers in one interleaved run.
#[derive(Debug, Parser)]
struct Args {
    /// Short windows: tells orders of magnitude in under 3 minutes. Prints, writes no document.
    #[arg(long)]
    quick: bool,
    /// Only one part. Prints, writes no document.
    #[arg(long, value_name = "NAME")]
    only: Option<Part>,
    /// Writes every figure as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// A part of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    Table,
    Route,
    Hash,
    Order,
    Body,
}

pub(crate) fn run() -> io::Result<()> {
    let args = Args::parse();
    let start = Instant::now();
    let effort = if args.quick {
        Effort::Quick
    } else {
        Effort::Full
    };
    let parts = match args.only {
        Some(part) => vec![part],
        None => Part::value_variants().to_vec(),
    };
    let rows: Vec<_> = parts
        .iter()
        .flat_map(|&part| programme::run(part, effort))
        .collect();
    if let Some(path) = &args.json {
        fs::write(path, serde_json::to_string_pretty(&rows)?)?;
    }
    let seconds = start.elapsed().as_secs();
    eprintln!("report: measured in {seconds} s");

    let sections = sections::all(&rows, &parts);
    if args.quick || args.only.is_some() {
        for section in &sections {
            println!("{}", section.text);
        }
        eprintln!("report: docs/benchmarks.md is left alone: only a full run writes it");
        return Ok(());
    }
    document::write(&sections)?;
    plots::draw(&rows, &document::docs().join("bench"))
}
