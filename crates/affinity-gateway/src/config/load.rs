use std::collections::HashMap;
use std::fs;
use std::ops::Range;
use std::path::Path;

use toml::Table;
use toml::de::{DeTable, DeValue};

use super::check::check;
use super::env::Override;
use super::error::{ConfigError, Problem, place};
use super::keys;
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
    let mut config = parse(&text, &environment).map_err(fail)?;
    let mut problems = check(&config);
    if keys == Keys::Read {
        let directory = file.parent().unwrap_or(Path::new(""));
        problems.extend(keys::read(&mut config, directory, &environment));
    }
    if problems.is_empty() {
        return Ok(config);
    }
    if let Ok(table) = DeTable::parse(&text) {
        for problem in &mut problems {
            let span = locate(table.get_ref(), &problem.key);
            problem.at = span.map(|span| place(&text, &span));
        }
    }
    problems.sort_by_key(|problem| problem.at);
    Err(fail(problems))
}

fn parse(text: &str, environment: &HashMap<String, String>) -> Result<Config, Vec<Problem>> {
    // The file alone first, so that its problems have their places.
    let file = toml::Deserializer::parse(text).map_err(|e| vec![problem(text, "", &e)])?;
    let config: Config = serde_path_to_error::deserialize(file)
        .map_err(|e| vec![problem(text, &e.path().to_string(), e.inner())])?;

    let (overrides, problems): (Vec<_>, Vec<_>) = environment
        .iter()
        .filter_map(|(variable, value)| Override::read(variable, value))
        .partition(Result::is_ok);
    if !problems.is_empty() {
        return Err(problems.into_iter().filter_map(Result::err).collect());
    }
    if overrides.is_empty() {
        return Ok(config);
    }
    // One variable after the other, so that a problem is known to be the last one's.
    let mut table: Table = text.parse().map_err(|e| vec![problem(text, "", &e)])?;
    let mut config = config;
    for set in overrides.into_iter().flatten() {
        let variable = set.variable.clone();
        set.apply(&mut table);
        config = table.clone().try_into().map_err(|error: toml::de::Error| {
            vec![Problem {
                at: None,
                key: variable,
                what: error.message().trim_end().replace('\n', ", "),
            }]
        })?;
    }
    Ok(config)
}

/// The problem without the excerpt of the file that the parser would show: a line may hold what
/// should not be printed.
fn problem(text: &str, key: &str, error: &toml::de::Error) -> Problem {
    Problem {
        at: error.span().map(|span| place(text, &span)),
        key: if key == "." {
            String::new()
        } else {
            key.into()
        },
        what: error.message().trim_end().replace('\n', ", "),
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
