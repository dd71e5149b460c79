//! Records that are the elements of one JSON array.

use std::cell::Cell;
use std::fmt;
use std::io::{self, Read};

use serde::Deserializer as _;
use serde::de::{SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::{Intake, ReadError, fields};

/// Hands every element of the array to the intake, holding one at a time.
///
/// An element of the wrong shape is a fault like a malformed line. Broken JSON is a fault after
/// which nothing more can be read.
pub(super) fn elements(input: impl Read, intake: &mut Intake) -> Result<(), ReadError> {
    let line = Cell::new(1);
    let mut json = serde_json::Deserializer::from_reader(CountLines { input, line: &line });
    let mut refused = None;
    let outcome = json
        .deserialize_seq(Elements {
            intake,
            line: &line,
            refused: &mut refused,
        })
        .and_then(|()| json.end());
    match (refused, outcome) {
        (Some(error), _) => Err(error),
        (None, Err(error)) if error.is_io() => Err(ReadError::Io(error.into())),
        (None, Err(error)) => intake.fault(line.get(), fields::reason(&error)),
        (None, Ok(())) => Ok(()),
    }
}

struct Elements<'a> {
    intake: &'a mut Intake,
    line: &'a Cell<u64>,
    /// The error that ended a strict reading; serde has no room for it.
    refused: &'a mut Option<ReadError>,
}

impl<'de> Visitor<'de> for Elements<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of dialogues")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while let Some(element) = seq.next_element::<Box<RawValue>>()? {
            let text = element.get().as_bytes();
            if let Err(error) = self.intake.record(self.line.get(), text) {
                *self.refused = Some(error);
                return Err(serde::de::Error::custom("refused"));
            }
        }
        Ok(())
    }
}

/// Counts the lines handed out, from 1. The JSON reader takes one byte at a time, so the count is
/// where it stands.
struct CountLines<'a, R> {
    input: R,
    line: &'a Cell<u64>,
}

impl<R: Read> Read for CountLines<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        let newlines = buffer[..read].iter().filter(|&&byte| byte == b'\n').count();
        self.line.set(self.line.get() + newlines as u64);
        Ok(read)
    }
}
