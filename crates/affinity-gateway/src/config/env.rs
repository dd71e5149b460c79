//! Single values from the environment: `AFFINITY__LIMITS__BODY=64MiB` is `limits.body`.

use std::collections::BTreeMap;
use std::ffi::OsString;

use serde::Deserialize;
use toml::de::{DeValue, ValueDeserializer};
use toml::{Spanned, Table, Value};

use super::error::{Problem, what};
use super::sections::Config;

/// What the names of overriding variables begin with.
const PREFIX: &str = "AFFINITY__";

/// The sections whose values can be overridden. Lists (channels, clients) come from the file.
const SECTIONS: [&str; 5] = ["server", "log", "affinity", "failover", "limits"];

/// The variables of this process.
///
/// What is not UTF-8 in them is replaced, so that one which is needed is refused by what reads
/// it, and one that is somebody else's does no harm.
pub(crate) fn environment() -> impl Iterator<Item = (String, String)> {
    let text = |os: OsString| os.to_string_lossy().into_owned();
    std::env::vars_os().map(move |(name, value)| (text(name), text(value)))
}

/// The configuration with the values of these variables in place of those of `root`, from which it
/// was read.
pub(super) fn overridden(
    mut config: Config,
    root: Spanned<DeValue<'_>>,
    environment: &BTreeMap<String, String>,
    problems: &mut Vec<Problem>,
) -> Config {
    let (overrides, wrong): (Vec<_>, Vec<_>) = environment
        .iter()
        .filter_map(|(variable, value)| Override::read(variable, value))
        .partition(Result::is_ok);
    problems.extend(wrong.into_iter().filter_map(Result::err));
    if overrides.is_empty() {
        return config;
    }
    let mut problem = |key: String, error| {
        problems.push(Problem {
            at: None,
            what: what(&key, &error),
            key,
        });
    };
    let mut table = match Table::deserialize(ValueDeserializer::from(root)) {
        Ok(table) => table,
        Err(error) => {
            problem(String::new(), error);
            return config;
        }
    };
    // One variable after the other, so that a problem is known to be the last one's.
    for set in overrides.into_iter().flatten() {
        let variable = set.variable.clone();
        let mut with = table.clone();
        set.apply(&mut with);
        match with.clone().try_into() {
            Ok(read) => (config, table) = (read, with),
            Err(error) => problem(variable, error),
        }
    }
    config
}

/// One variable: the key it sets, and the value.
struct Override {
    variable: String,
    section: String,
    key: String,
    value: Value,
}

impl Override {
    /// Reads a variable; `None` when its name is not ours.
    fn read(variable: &str, value: &str) -> Option<Result<Self, Problem>> {
        let path = variable.strip_prefix(PREFIX)?.to_lowercase();
        let known = path
            .split_once("__")
            .filter(|(section, _)| SECTIONS.contains(section));
        Some(match known {
            Some((section, key)) => Ok(Self {
                variable: variable.into(),
                section: section.into(),
                key: key.into(),
                value: parse(value),
            }),
            None => Err(Problem {
                at: None,
                key: variable.into(),
                what: format!(
                    "expected {PREFIX}SECTION__KEY with one of the sections {}",
                    SECTIONS.join(", ")
                ),
            }),
        })
    }

    fn apply(self, config: &mut Table) {
        let section = config
            .entry(self.section)
            .or_insert_with(|| Value::Table(Table::new()));
        if let Some(section) = section.as_table_mut() {
            section.insert(self.key, self.value);
        }
    }
}

/// A TOML value where it is one (`8`, `true`, `[500]`), else a string.
fn parse(text: &str) -> Value {
    text.parse::<Value>()
        .unwrap_or_else(|_| Value::String(text.into()))
}
