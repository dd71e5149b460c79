//! Where two turns part.

use affinity_llm::{Dialect, Leaf};

use super::account::{Account, Entry, Session};

/// The first entry that two requests do not share.
pub(super) struct Difference<'a> {
    pub(super) entry: usize,
    /// What the entry is in A, or in B if A has ended.
    pub(super) kind: &'static str,
    /// What it is in B, if that is something else.
    pub(super) other_kind: Option<&'static str>,
    /// Which of them goes on here, and which has ended, if one has.
    pub(super) continues: Option<[&'static str; 2]>,
    /// The first place in the entry at which they differ.
    pub(super) place: Option<&'a str>,
    pub(super) a: Option<&'a str>,
    pub(super) b: Option<&'a str>,
}

impl<'a> Difference<'a> {
    /// None if the links of both are the same, or if one has no fingerprint.
    pub(super) fn between(a: &'a Account, b: &'a Account) -> Option<Self> {
        let (a, b) = (a.fingerprint.as_ref().ok()?, b.fingerprint.as_ref().ok()?);
        let common = common(&a.entries, &b.entries);
        match (a.entries.get(common), b.entries.get(common)) {
            (None, None) => None,
            (Some(a), Some(b)) => Some(Self::in_entry(common, a, b)),
            (Some(a), None) => Some(Self::at_the_end(common, a, ["A", "B"])),
            (None, Some(b)) => Some(Self::at_the_end(common, b, ["B", "A"])),
        }
    }

    fn at_the_end(entry: usize, next: &'a Entry, continues: [&'static str; 2]) -> Self {
        Self {
            entry,
            kind: next.kind_name(),
            other_kind: None,
            continues: Some(continues),
            place: None,
            a: None,
            b: None,
        }
    }

    fn in_entry(entry: usize, a: &'a Entry, b: &'a Entry) -> Self {
        let common = a
            .leaves
            .iter()
            .zip(&b.leaves)
            .take_while(|(a, b)| a == b)
            .count();
        let (a_leaf, b_leaf) = match (a.leaves.get(common), b.leaves.get(common)) {
            // One has something at a place where the other has nothing.
            (Some(in_a), Some(in_b)) if in_a.place != in_b.place => {
                let later = &b.leaves[common..];
                if later.iter().any(|leaf| leaf.place == in_a.place) {
                    (None, Some(in_b))
                } else {
                    (Some(in_a), None)
                }
            }
            leaves => leaves,
        };
        let place = a_leaf.or(b_leaf);
        let text = |leaf: Option<&'a Leaf>| leaf.map(|leaf| leaf.text.as_str());
        Self {
            entry,
            kind: a.kind_name(),
            other_kind: Some(b.kind_name()).filter(|&kind| kind != a.kind_name()),
            continues: None,
            place: place.map(|leaf| leaf.place.as_str()),
            a: text(a_leaf),
            b: text(b_leaf),
        }
    }

    /// Where they differ, without the keys that are the conversation's own unless text is shown.
    pub(super) fn field(&self, show_text: bool) -> Option<&'a str> {
        self.place.map(|place| {
            if show_text {
                place
            } else {
                of_the_dialect(place)
            }
        })
    }
}

/// How many entries two requests share.
pub(super) fn shared(a: &Account, b: &Account) -> usize {
    match (&a.fingerprint, &b.fingerprint) {
        (Ok(a), Ok(b)) => common(&a.entries, &b.entries),
        _ => 0,
    }
}

fn common(a: &[Entry], b: &[Entry]) -> usize {
    let pairs = a.iter().zip(b);
    pairs.take_while(|(a, b)| a.link == b.link).count()
}

/// Something else than the conversation that two requests differ in. It may part them all the same:
/// `serve` binds the model into every link, and a session decides before any link does.
#[derive(serde::Serialize)]
pub(super) struct Aside {
    pub(super) what: &'static str,
    pub(super) a: Option<String>,
    pub(super) b: Option<String>,
}

impl Aside {
    pub(super) fn all(a: &Account, b: &Account) -> Vec<Self> {
        let both = |what, show: &dyn Fn(&Account) -> Option<String>| {
            let (a, b) = (show(a), show(b));
            (a != b).then_some(Self { what, a, b })
        };
        let dialect = |account: &Account| account.dialect.map(Dialect::name).map(str::to_owned);
        let bound = |account: &Account| Some(if account.bound { "yes" } else { "no" }.to_owned());
        let session = |account: &Account| account.session.as_ref().map(Session::to_string);
        [
            both("dialect", &dialect),
            // Escaped: a body must not steer the terminal.
            both("model", &|account| {
                let model = account.model.as_ref();
                model.map(|model| model.escape_debug().to_string())
            }),
            both("session", &session),
            both("bound", &bound),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// What holds values of a tool call: the keys below it are part of what was said.
const OF_THE_CALL: [&str; 4] = ["input", "arguments", "args", "response"];

/// A place up to and with the first field whose keys are not the dialect's.
fn of_the_dialect(place: &str) -> &str {
    let mut end = 0;
    for segment in place.split_inclusive(['.', '[']) {
        end += segment.len();
        let name = segment.trim_end_matches(['.', '[']);
        if OF_THE_CALL.contains(&name) {
            return &place[..end - (segment.len() - name.len())];
        }
    }
    place
}

#[cfg(test)]
mod tests {
    use super::of_the_dialect;

    #[test]
    fn keys_of_a_tool_call_are_not_shown_as_a_place() {
        let shown = [
            ("content[0].input.patient_name.first", "content[0].input"),
            (
                "tool_calls[1].function.arguments[2].k",
                "tool_calls[1].function.arguments",
            ),
            ("content[0].text", "content[0].text"),
            ("input", "input"),
            ("", ""),
        ];
        for (place, expected) in shown {
            assert_eq!(of_the_dialect(place), expected);
        }
    }
}
