//! Reads a configuration past what is wrong with it, so that all of that is said at once.
//!
//! serde stops at the first value that does not fit. Such a value is replaced by one that fits, or
//! left out, and the whole is read again.

use serde_path_to_error::Segment;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use super::error::Problem;
use super::sections::Config;

/// So many problems are enough to begin with; reading again for each takes time.
const MOST: usize = 100;

/// Values that fit, wherever leaving one out would be wrong too, or make others look wrong. An
/// array's first element stands for each.
const GOOD: &str = r#"
server = { listen = "127.0.0.1:0", admin_token_sha256 = "0000000000000000000000000000000000000000000000000000000000000000" }
affinity = { bounded_load = { factor_percent = 200, floor = 8 } }
failover = { also_on = [500] }

[[channels]]
name = ""
base_url = "http://localhost"
dialects = ["gemini"]
models = ["a-model-that-nobody-has"]

[[clients]]
token_sha256 = "0000000000000000000000000000000000000000000000000000000000000000"
tenant = "nobody"
"#;

/// A configuration as far as it can be read.
pub(super) struct Reading<'t> {
    /// What was read in the end; `None` when too much is wrong.
    pub(super) config: Option<Config>,
    /// What it was read from.
    pub(super) root: Spanned<DeValue<'t>>,
    /// What is wrong with single values.
    pub(super) problems: Vec<Problem>,
    /// Which values are not the file's.
    pub(super) mended: Mended,
}

/// Keys whose values are not the file's.
#[derive(Default)]
pub(super) struct Mended(Vec<String>);

impl Mended {
    /// Whether a key is among them, or within one that is.
    pub(super) fn holds(&self, key: &str) -> bool {
        self.0.iter().any(|mended| {
            let rest = key.strip_prefix(mended.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        })
    }
}

/// Reads a table whose values have their places in `text`.
pub(super) fn read<'t>(text: &str, table: Spanned<DeTable<'t>>) -> Reading<'t> {
    let good = value(DeTable::parse_recoverable(GOOD).0);
    let mut reading = Reading {
        config: None,
        root: value(table),
        problems: Vec::new(),
        mended: Mended::default(),
    };
    while reading.problems.len() < MOST {
        let deserializer = ValueDeserializer::from(reading.root.clone());
        let error = match serde_path_to_error::deserialize(deserializer) {
            Ok(config) => {
                reading.config = Some(config);
                break;
            }
            Err(error) => error,
        };
        let mut key = error.path().to_string();
        let problem = Problem::of(text, &key, error.inner());
        let mut path: Vec<_> = error.path().iter().cloned().collect();
        if let Some(missing) = missing(&problem.what) {
            key = format!("{key}.{missing}");
            path.push(Segment::Map {
                key: missing.to_owned(),
            });
        }
        reading.problems.push(problem);
        reading.mended.0.push(key);
        if !mend(&mut reading.root, &path, Some(good.get_ref())) {
            break;
        }
    }
    reading
}

fn value(table: Spanned<DeTable<'_>>) -> Spanned<DeValue<'_>> {
    Spanned::new(table.span(), DeValue::Table(table.into_inner()))
}

/// The field that serde misses, which is not part of the path.
fn missing(what: &str) -> Option<&str> {
    what.strip_prefix("missing field `")?.strip_suffix('`')
}

/// Replaces the value at `path` by the good one, or takes it out of its table. False when what is
/// around it must be taken out instead.
fn mend<'t>(
    value: &mut Spanned<DeValue<'t>>,
    path: &[Segment],
    good: Option<&DeValue<'t>>,
) -> bool {
    match (path.split_first(), value.get_mut()) {
        (Some((Segment::Map { key }, rest)), DeValue::Table(table)) => {
            let good = good.and_then(|good| good.as_table()?.get_key_value(key.as_str()));
            match (table.get_mut(key.as_str()), good) {
                (Some(inner), good) => {
                    if !mend(inner, rest, good.map(|(_, good)| good.get_ref())) {
                        table.remove(key.as_str());
                    }
                }
                (None, Some((key, good))) => {
                    table.insert(key.clone(), good.clone());
                }
                (None, None) => return false,
            }
            true
        }
        (Some((Segment::Seq { index }, rest)), DeValue::Array(items)) => {
            let good = good.and_then(|good| good.get(0));
            let item = items.get_mut(*index);
            item.is_some_and(|item| mend(item, rest, good.map(Spanned::get_ref)))
        }
        (_, value) => {
            let Some(good) = good else { return false };
            *value = good.clone();
            true
        }
    }
}
