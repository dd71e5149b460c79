//! The trace formats, by name.

use std::fmt;
use std::str::FromStr;

/// A trace format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// One request a line, 512-token blocks: `{"timestamp","input_length","output_length","hash_ids"}`.
    Mooncake,
    /// One session a line: `{"id","block_size","tool_tokens","requests":[{"t","in","hash_runs",…}]}`.
    Sessions,
    /// One request a line, 256-character blocks: `{"t","session","in_chars","out_chars","hash_runs"}`.
    Blocks,
    /// A JSON array of dialogues: `[{"traj":[chat messages]}]`.
    Transcripts,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 4] = [
        Self::Mooncake,
        Self::Sessions,
        Self::Blocks,
        Self::Transcripts,
    ];

    /// The name it is asked for by.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mooncake => "mooncake",
            Self::Sessions => "sessions",
            Self::Blocks => "blocks",
            Self::Transcripts => "transcripts",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        Self::ALL
            .into_iter()
            .find(|format| format.name() == name)
            .ok_or(UnknownFormat)
    }
}

/// The name is none of a [`Format`]'s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownFormat;

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "unknown trace format, expected one of {}",
            Format::ALL.map(Format::name).join(", ")
        )
    }
}

impl std::error::Error for UnknownFormat {}
