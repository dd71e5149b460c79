//! Records that are one line each.

use std::io::{BufRead, Read};

use super::{Intake, ReadError};

/// Longest line in bytes. A session of a whole day is some hundred kilobytes.
pub(super) const MAX_LINE: u64 = 64 << 20;

/// Hands every line that is not blank to the intake, with its number from 1.
pub(super) fn lines(mut input: impl BufRead, intake: &mut Intake) -> Result<(), ReadError> {
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        if (&mut input).take(MAX_LINE).read_until(b'\n', &mut line)? == 0 {
            break;
        }
        if line.len() as u64 == MAX_LINE && line.last() != Some(&b'\n') {
            input.skip_until(b'\n')?;
            intake.fault(number, format!("line is longer than {MAX_LINE} bytes"))?;
        } else if !line.trim_ascii().is_empty() {
            intake.record(number, &line)?;
        }
    }
    Ok(())
}
