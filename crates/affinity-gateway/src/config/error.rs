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
            what: what(key, error),
        }
    }
}

/// What the parser says of a key, without the excerpt, and without the value where somebody may have
/// written a key or a token in the wrong place.
pub(super) fn what(key: &str, error: &toml::de::Error) -> String {
    let said = error.message().trim_end().replace('\n', ", ");
    let key = key.to_ascii_lowercase();
    let secrets = ["channels", "clients", "key", "token"];
    if secrets.iter().any(|name| key.contains(name)) {
        without_value(&said).unwrap_or(said)
    } else {
        said
    }
}

/// `None` if it repeats no value.
fn without_value(said: &str) -> Option<String> {
    let kinds = ["invalid type:", "invalid value:", "unknown variant"];
    let kind = kinds.into_iter().find(|kind| said.starts_with(kind))?;
    let (found, expected) = said[kind.len()..].rsplit_once(", expected ")?;
    let found = found.split(['`', '"']).next()?.trim_end();
    Some(format!("{kind}{found}, expected {expected}"))
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
