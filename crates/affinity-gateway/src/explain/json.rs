//! Accounts as JSON, written as they are: a conversation may have millions of entries.

use std::io::{Result, Write};

use affinity_llm::Dialect;
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::account::{Account, Entry, Fingerprint, Session};
use super::difference::{Aside, Difference};

/// Writes one account.
pub(super) fn account(out: &mut impl Write, account: &Account, show_text: bool) -> Result<()> {
    value(out, &Shown(account, show_text))
}

/// Writes two, and where they part.
pub(super) fn difference(
    out: &mut impl Write,
    (a, b): (&Account, &Account),
    difference: Option<&Difference<'_>>,
    show_text: bool,
) -> Result<()> {
    #[derive(serde::Serialize)]
    struct Both<'a> {
        a: Shown<'a, Account>,
        b: Shown<'a, Account>,
        difference: Option<Shown<'a, Difference<'a>>>,
        beside: Vec<Aside>,
    }
    let both = Both {
        a: Shown(a, show_text),
        b: Shown(b, show_text),
        difference: difference.map(|difference| Shown(difference, show_text)),
        beside: Aside::all(a, b),
    };
    value(out, &both)
}

fn value(out: &mut impl Write, value: &impl Serialize) -> Result<()> {
    serde_json::to_writer_pretty(&mut *out, value)?;
    writeln!(out)
}

/// With text, or without.
struct Shown<'a, T>(&'a T, bool);

/// A link, or another hash.
struct Hex(u64);

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("{:016x}", self.0))
    }
}

/// A list that is never held as a whole.
struct List<F>(F);

impl<I, F> Serialize for List<F>
where
    I: Iterator<Item: Serialize>,
    F: Fn() -> I,
{
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        to.collect_seq((self.0)())
    }
}

impl Serialize for Shown<'_, Account> {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        let Self(account, show_text) = *self;
        let fingerprint = account.fingerprint.as_ref();
        let rejected = || {
            let pairs = account.rejected.iter();
            pairs.map(|(source, reason)| serde_json::json!({"source": source, "reason": reason}))
        };
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("dialect", &account.dialect.map(Dialect::name))?;
        let told = if account.by_shape { "shape" } else { "path" };
        map.serialize_entry("told", &account.dialect.map(|_| told))?;
        map.serialize_entry("model", &account.model)?;
        map.serialize_entry("stream", &account.stream)?;
        map.serialize_entry("session", &account.session.as_ref())?;
        map.serialize_entry("rejected", &List(rejected))?;
        map.serialize_entry("bound", &account.bound)?;
        map.serialize_entry("reason", &fingerprint.err().map(ToString::to_string))?;
        let shown = fingerprint
            .ok()
            .map(|fingerprint| Shown(fingerprint, show_text));
        map.serialize_entry("fingerprint", &shown)?;
        map.end()
    }
}

impl Serialize for Session {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("source", &self.source)?;
        map.serialize_entry("id_hash", &Hex(self.id_hash))?;
        map.serialize_entry("agent", &self.agent.map(Hex))?;
        map.end()
    }
}

impl Serialize for Shown<'_, Fingerprint> {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        let Self(fingerprint, show_text) = *self;
        let entries = &fingerprint.entries;
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("opener", &fingerprint.opener)?;
        map.serialize_entry("prefix_bytes", &fingerprint.prefix_bytes)?;
        map.serialize_entry("turns", &fingerprint.turns)?;
        map.serialize_entry(
            "links",
            &List(|| entries.iter().map(|entry| Hex(entry.link))),
        )?;
        let shown = || entries.iter().map(|entry| Shown(entry, show_text));
        map.serialize_entry("entries", &List(shown))?;
        map.end()
    }
}

impl Serialize for Shown<'_, Entry> {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        let Self(entry, show_text) = *self;
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("kind", entry.kind_name())?;
        map.serialize_entry("bytes", &entry.bytes)?;
        if show_text {
            let leaves = || {
                let leaves = entry.leaves.iter();
                leaves.map(|leaf| serde_json::json!({"place": leaf.place, "text": leaf.text}))
            };
            map.serialize_entry("text", &List(leaves))?;
        }
        map.end()
    }
}

impl Serialize for Shown<'_, Difference<'_>> {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        let Self(difference, show_text) = *self;
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("entry", &difference.entry)?;
        map.serialize_entry("kind", difference.kind)?;
        map.serialize_entry("other_kind", &difference.other_kind)?;
        map.serialize_entry(
            "continues",
            &difference.continues.map(|[goes_on, _]| goes_on),
        )?;
        map.serialize_entry("field", &difference.field(show_text))?;
        if show_text {
            map.serialize_entry("a", &difference.a)?;
            map.serialize_entry("b", &difference.b)?;
        }
        map.end()
    }
}
