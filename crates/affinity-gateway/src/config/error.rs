use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Everything that is wrong with a configuration; each problem on a line of its own.
#[derive(Debug)]
pub struct ConfigError {
    pub(crate) file: PathBuf,
    pub(crate) problems: Vec<Problem>,
}

/// One thing that is wrong: where, which key, what, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Line and column, from 1; `None` when the problem is not at a place in the file.
    pub at: Option<(usize, usize)>,
    /// Such as `channels[0].base_url`; empty when the whole file is meant.
    pub key: String,
    /// What is wrong, and what would be right.
    pub what: String,
}

impl Problem {
    /// A problem of the parser's without its excerpt of the file: a line may hold what should not
    /// be printed.
    pub(super) fn of(text: &str, key: &str, error: &toml::de::Error) -> Self {
        Self {
            at: error.span().map(|span| place(text, &span)),
            // What the path of the whole is.
            key: if key == "." { "" } else { key }.into(),
            what: one_line(error),
        }
    }
}

/// What the parser says, without the excerpt.
pub(super) fn one_line(error: &toml::de::Error) -> String {
    error.message().trim_end().replace('\n', ", ")
}

impl ConfigError {
    pub(super) fn new(file: &Path, mut problems: Vec<Problem>) -> Self {
        problems.sort_by_key(|problem| problem.at);
        Self {
            file: file.to_owned(),
            problems,
        }
    }

    /// What is wrong, in the order of the file.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

/// Line and column, from 1, of a byte of `text`.
pub(super) fn place(text: &str, span: &Range<usize>) -> (usize, usize) {
    let before = text.get(..span.start).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
    (line, column)
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.problems.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(f, "{}", self.file.display())?;
            if let Some((line, column)) = problem.at {
                write!(f, ":{line}:{column}")?;
            }
            if !problem.key.is_empty() {
                write!(f, ": {}", problem.key)?;
            }
            write!(f, ": {}", problem.what)?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigError {}
