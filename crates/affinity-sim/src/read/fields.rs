//! Fields that several formats share, checked.

use std::time::Duration;

use serde::Deserialize;

/// Most blocks of one prompt: 16 million tokens at 64 a block.
const MAX_BLOCKS: u64 = 1 << 18;

/// Latest arrival and longest wait that are taken for real: ten years.
const MAX_SECONDS: f64 = 10.0 * 365.0 * 86_400.0;

/// Most tokens of one prompt or answer.
const MAX_TOKENS: u64 = u32::MAX as u64;

/// Reads one record.
pub(super) fn parse<'de, T: Deserialize<'de>>(text: &'de [u8]) -> Result<T, String> {
    serde_json::from_slice(text).map_err(|error| reason(&error))
}

/// What is wrong, without the text that is: a record may hold prompts.
pub(super) fn reason(error: &serde_json::Error) -> String {
    let whole = error.to_string();
    let mut message = whole
        .rsplit_once(" at line ")
        .map_or(&*whole, |(before, _)| before);
    let mut shown = String::new();
    if let Some((before, quoted)) = message.split_once("string \"") {
        shown.push_str(before);
        shown.push_str("string");
        message = quoted.rsplit_once('"').map_or("", |(_, after)| after);
    }
    shown.push_str(message);
    format!("{shown} (column {})", error.column())
}

/// A time in seconds, from a number in a unit of `per_second` to the second.
pub(super) fn time(field: &str, value: f64, per_second: f64) -> Result<Duration, String> {
    let seconds = value / per_second;
    if (0.0..=MAX_SECONDS).contains(&seconds) {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err(format!(
            "`{field}` is {value}, expected 0 to {}",
            MAX_SECONDS * per_second
        ))
    }
}

/// A number of tokens or characters.
pub(super) fn amount(field: &str, value: u64) -> Result<u64, String> {
    if value <= MAX_TOKENS {
        Ok(value)
    } else {
        Err(format!("`{field}` is {value}, expected 0 to {MAX_TOKENS}"))
    }
}

/// Inclusive runs of block ids, first to last.
#[derive(Deserialize)]
#[serde(transparent)]
pub(super) struct Runs(Vec<(u64, u64)>);

impl Runs {
    /// Checks that the runs rise and that together they are one prompt's size.
    pub(super) fn check(&self) -> Result<(), String> {
        let mut blocks = 0;
        for &(first, last) in &self.0 {
            if first > last {
                return Err(format!("`hash_runs` has a run from {first} down to {last}"));
            }
            blocks = (last - first).saturating_add(1).saturating_add(blocks);
            if blocks > MAX_BLOCKS {
                return Err(format!("`hash_runs` has more than {MAX_BLOCKS} blocks"));
            }
        }
        Ok(())
    }

    /// The ids, one by one.
    pub(super) fn ids(&self) -> impl Iterator<Item = u64> + '_ {
        self.0.iter().flat_map(|&(first, last)| first..=last)
    }
}

/// Checks the number of blocks of one prompt.
pub(super) fn check_blocks(field: &str, blocks: usize) -> Result<(), String> {
    if blocks as u64 <= MAX_BLOCKS {
        Ok(())
    } else {
        Err(format!("`{field}` has more than {MAX_BLOCKS} blocks"))
    }
}
