//! Reading traces: four formats, told apart by content, line by line.

mod array;
mod block_path;
mod blocks;
mod fields;
mod format;
mod head;
mod lines;
mod mooncake;
mod sessions;
mod transcripts;

use std::fmt;
use std::io::{self, BufRead, Read};

pub use format::{Format, UnknownFormat};

use crate::trace::Trace;

/// How to read a trace.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadOptions {
    /// The format; `None` tells it by content.
    pub format: Option<Format>,
    /// Refuse the trace at its first malformed line instead of skipping it.
    pub strict: bool,
    /// Seeds the arrival times of formats that have none.
    pub seed: u64,
}

/// A trace and what was left out of it.
#[derive(Debug)]
pub struct Reading {
    /// The requests that could be read; at least one.
    pub trace: Trace,
    /// The format it was read in.
    pub format: Format,
    /// The malformed lines that were left out.
    pub skipped: Skipped,
}

/// Malformed lines that were left out: how many, and the first few of them.
#[derive(Clone, Debug, Default)]
pub struct Skipped {
    /// How many lines (array elements, for transcripts) were left out.
    pub count: u64,
    /// The first of them, at most [`Skipped::SHOWN`].
    pub first: Vec<Fault>,
}

impl Skipped {
    /// How many faults are kept; a file of another kind has one on every line.
    pub const SHOWN: usize = 5;

    fn add(&mut self, fault: Fault) {
        self.count += 1;
        if self.first.len() < Self::SHOWN {
            self.first.push(fault);
        }
    }
}

/// A malformed line: where and why. Never holds text of the trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Line, counted from 1. For an array element, the line it ends on.
    pub line: u64,
    /// What was wrong with it.
    pub reason: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

/// Why a trace could not be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadError {
    /// The input could not be read.
    Io(io::Error),
    /// No line looks like any of the formats.
    UnknownFormat,
    /// A line is malformed, and the reading is strict.
    Malformed(Fault),
    /// Not one request is left.
    Empty(Skipped),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(_) => f.write_str("cannot read the trace"),
            Self::UnknownFormat => write!(
                f,
                "content looks like none of the formats {}",
                Format::ALL.map(Format::name).join(", ")
            ),
            Self::Malformed(fault) => fault.fmt(f),
            Self::Empty(skipped) => match skipped.first.first() {
                Some(fault) => write!(
                    f,
                    "no request in the trace: {} malformed, the first at {fault}",
                    skipped.count
                ),
                None => f.write_str("no request in the trace"),
            },
        }
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Reads a trace.
///
/// Line formats hold one line at a time, transcripts one element; a byte order mark, carriage
/// returns and blank lines are no faults.
///
/// # Errors
/// When the input fails, is in no known format, has no request, or (strict) has a fault.
pub fn read(mut input: impl BufRead, options: &ReadOptions) -> Result<Reading, ReadError> {
    let mut head = head::without_mark(&mut input)?;
    let format = match options.format {
        Some(format) => format,
        None => head::detect(&mut head, &mut input)?.ok_or(ReadError::UnknownFormat)?,
    };
    let mut intake = Intake {
        trace: Trace::default(),
        records: match format {
            Format::Mooncake => Box::new(mooncake::Mooncake),
            Format::Sessions => Box::new(sessions::Sessions::new(options.seed)),
            Format::Blocks => Box::new(blocks::Blocks),
            Format::Transcripts => Box::new(transcripts::Transcripts::new(options.seed)),
        },
        strict: options.strict,
        skipped: Skipped::default(),
    };
    let input = head.as_slice().chain(input);
    match format {
        Format::Transcripts => array::elements(input, &mut intake)?,
        _ => lines::lines(input, &mut intake)?,
    }
    intake.finish(format)
}

/// The requests that one record (a line, an array element) stands for.
trait Records {
    /// Adds the record's requests to the trace: all of them, or none and the reason.
    fn record(&mut self, text: &[u8], trace: &mut Trace) -> Result<(), String>;

    /// Adds what only the whole trace, in order of arrival, can tell.
    fn finish(&self, _trace: &mut Trace) {}
}

/// Where records become requests or faults.
struct Intake {
    trace: Trace,
    records: Box<dyn Records>,
    strict: bool,
    skipped: Skipped,
}

impl Intake {
    fn record(&mut self, line: u64, text: &[u8]) -> Result<(), ReadError> {
        match self.records.record(text, &mut self.trace) {
            Ok(()) => Ok(()),
            Err(reason) => self.fault(line, reason),
        }
    }

    fn fault(&mut self, line: u64, reason: String) -> Result<(), ReadError> {
        let fault = Fault { line, reason };
        if self.strict {
            return Err(ReadError::Malformed(fault));
        }
        self.skipped.add(fault);
        Ok(())
    }

    fn finish(mut self, format: Format) -> Result<Reading, ReadError> {
        if self.trace.is_empty() {
            return Err(ReadError::Empty(self.skipped));
        }
        self.trace.sort();
        self.records.finish(&mut self.trace);
        Ok(Reading {
            trace: self.trace,
            format,
            skipped: self.skipped,
        })
    }
}
