use std::fs;
use std::ops::Range;
use std::path::Path;

use toml::de::{DeTable, DeValue};

use super::check::check;
use super::env;
use super::error::{ConfigError, Problem, place};
use super::keys;
use super::mend::{self, Reading};
use super::sections::Config;

/// Whether the keys that a configuration names are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// They are, and one that is missing is a problem.
    Read,
    /// They are not: for checking a configuration where its secrets are not.
    Skip,
}

/// Reads a configuration file, applies overrides from these environment variables, checks that
/// the whole makes sense, and reads the keys that it names.
///
/// # Errors
/// Everything that is wrong, each with its place in the file and its key.
pub fn load(
    file: &Path,
    environment: impl IntoIterator<Item = (String, String)>,
    keys: Keys,
) -> Result<Config, ConfigError> {
    let fail = |problems| ConfigError::new(file, problems);
    let text = fs::read_to_string(file).map_err(|error| {
        fail(vec![Problem {
            at: None,
            key: String::new(),
            what: format!("cannot be read: {error}"),
        }])
    })?;
    let environment = environment.into_iter().collect();
    let (table, errors) = DeTable::parse_recoverable(&text);
    if !errors.is_empty() {
        // What is left of such a file would have problems that are not its own.
        let problems = errors.iter().map(|error| Problem::of(&text, "", error));
        return Err(fail(problems.collect()));
    }
    let Reading {
        config,
        root,
        mut problems,
        mended,
    } = mend::read(&text, table.clone());
    let Some(config) = config else {
        return Err(fail(problems));
    };
    let mut config = env::overridden(config, root, &environment, &mut problems);

    let mut of_the_whole = check(&config);
    if keys == Keys::Read {
        let directory = file.parent().unwrap_or(Path::new(""));
        of_the_whole.extend(keys::read(&mut config, directory, &environment));
    }
    of_the_whole.retain(|problem| !mended.holds(&problem.key));
    for problem in &mut of_the_whole {
        let span = locate(table.get_ref(), &problem.key);
        problem.at = span.map(|span| place(&text, &span));
    }
    problems.append(&mut of_the_whole);
    if problems.is_empty() {
        Ok(config)
    } else {
        Err(fail(problems))
    }
}

/// Where a key such as `channels[1].name` stands, or the nearest table around it.
fn locate(table: &DeTable<'_>, key: &str) -> Option<Range<usize>> {
    let mut span = None;
    let mut table = table;
    for step in key.split('.') {
        let (name, index) = match step.split_once('[') {
            Some((name, rest)) => (name, rest.trim_end_matches(']').parse::<usize>().ok()),
            None => (step, None),
        };
        let Some(mut value) = table.get(name) else {
            break;
        };
        if let (Some(index), DeValue::Array(items)) = (index, value.get_ref()) {
            let Some(item) = items.get(index) else { break };
            value = item;
        }
        span = Some(value.span());
        match value.get_ref() {
            DeValue::Table(inner) => table = inner,
            _ => break,
        }
    }
    span
}
