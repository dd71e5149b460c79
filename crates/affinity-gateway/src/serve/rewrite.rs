//! Puts an account's own name for a model in place of the client's, and changes nothing else.

use std::ops::Range;

use bytes::{Bytes, BytesMut};
use serde::Deserialize;
use serde_json::value::RawValue;

/// A body that names its model more than once at one place: nobody knows which is meant.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Ambiguous;

#[derive(Deserialize)]
struct Named<'a> {
    #[serde(borrow)]
    model: Option<&'a RawValue>,
    /// What Gemini's Code Assist wraps the body in.
    #[serde(borrow)]
    request: Option<&'a RawValue>,
}

/// The body with another model: the bytes of that value are replaced wherever it is read from,
/// all others stay. `None` when the body has no `model`.
pub(super) fn body(body: &Bytes, model: &str) -> Result<Option<Bytes>, Ambiguous> {
    let Some(top) = named(body)? else {
        return Ok(None);
    };
    let wrapped = top.request.map(|request| named(request.get().as_bytes()));
    let wrapped = wrapped.transpose()?.flatten();
    let models = [top.model, wrapped.and_then(|wrapped| wrapped.model)];
    // Both are parts of `body`, so the differences of their addresses are their places.
    let mut places: Vec<_> = models
        .into_iter()
        .flatten()
        .map(RawValue::get)
        .filter(|old| old.starts_with('"'))
        .map(|old| (old.as_ptr() as usize - body.as_ptr() as usize, old.len()))
        .collect();
    places.sort_unstable();
    if places.is_empty() {
        return Ok(None);
    }
    let new = serde_json::Value::from(model).to_string();
    let mut out = BytesMut::with_capacity(body.len() + places.len() * new.len());
    let mut copied = 0;
    for (start, len) in places {
        out.extend_from_slice(&body[copied..start]);
        out.extend_from_slice(new.as_bytes());
        copied = start + len;
    }
    out.extend_from_slice(&body[copied..]);
    Ok(Some(out.freeze()))
}

/// `None` for what is no JSON object.
fn named(json: &[u8]) -> Result<Option<Named<'_>>, Ambiguous> {
    if json.trim_ascii_start().first() != Some(&b'{') {
        return Ok(None);
    }
    match serde_json::from_slice(json) {
        Ok(named) => Ok(Some(named)),
        // Of an object's fields, all raw, only their repetition is wrong.
        Err(error) if error.is_data() => Err(Ambiguous),
        Err(_) => Ok(None),
    }
}

/// The path with another model where it names one.
pub(super) fn path(path: &str, model: Range<usize>, new: &str) -> Option<String> {
    Some([path.get(..model.start)?, new, path.get(model.end..)?].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_models_value_changes() {
        let before = r#"{ "x": {"model": "keep"},  "mod\u0065l" : "old" , "messages":["model"] }"#;
        let after = before.replace("\"old\"", "\"new\"");
        assert_eq!(body(&Bytes::from(before), "new"), Ok(Some(after.into())));
    }

    #[test]
    fn a_body_without_a_model_is_not_rewritten() {
        for other in [&b"{}"[..], b"[]", b"", b"{\"model\":"] {
            assert_eq!(body(&Bytes::from_static(other), "m"), Ok(None));
        }
    }

    #[test]
    fn a_body_with_two_models_is_not_rewritten() {
        for twice in [
            r#"{"model":"a","model":"b"}"#,
            r#"{"request":{"model":"a","model":"b"}}"#,
        ] {
            assert_eq!(body(&Bytes::from(twice), "m"), Err(Ambiguous));
        }
    }

    #[test]
    fn a_wrapped_model_is_replaced_too() {
        for (before, after) in [
            (
                r#"{"request":{"model":"a"}}"#,
                r#"{"request":{"model":"m"}}"#,
            ),
            (
                r#"{"request": {"model": "a"}, "model": "a"}"#,
                r#"{"request": {"model": "m"}, "model": "m"}"#,
            ),
            (
                r#"{"request":"x","model":"a"}"#,
                r#"{"request":"x","model":"m"}"#,
            ),
        ] {
            assert_eq!(body(&Bytes::from(before), "m"), Ok(Some(after.into())));
        }
    }
}
