//! Puts an account's own name for a model in place of the client's, and changes nothing else.

use bytes::{Bytes, BytesMut};
use serde::Deserialize;
use serde_json::value::RawValue;

/// The body with another model: the bytes of that one value are replaced, all others stay.
/// `None` when the body has no `model`.
pub(super) fn body(body: &Bytes, model: &str) -> Option<Bytes> {
    #[derive(Deserialize)]
    struct Named<'a> {
        #[serde(borrow)]
        model: &'a RawValue,
    }
    let named: Named<'_> = serde_json::from_slice(body).ok()?;
    let old = named.model.get();
    // `old` is a part of `body`, so the difference of their addresses is its place.
    let start = (old.as_ptr() as usize).checked_sub(body.as_ptr() as usize)?;
    let end = start + old.len();
    let new = serde_json::to_string(model).ok()?;
    let mut out = BytesMut::with_capacity(body.len() - old.len() + new.len());
    out.extend_from_slice(body.get(..start)?);
    out.extend_from_slice(new.as_bytes());
    out.extend_from_slice(body.get(end..)?);
    Some(out.freeze())
}

/// What stands before a model in a path: Google's, Azure's and Bedrock's.
const BEFORE: [&str; 3] = ["/models/", "/deployments/", "/model/"];

/// The path with another model, where the path names it (`…/models/{model}:{method}`).
pub(super) fn path(path: &str, old: &str, new: &str) -> Option<String> {
    let at = path.rfind(old)?;
    let (before, after) = (&path[..at], &path[at + old.len()..]);
    let named = BEFORE.iter().any(|place| before.ends_with(place));
    let whole = named && (after.is_empty() || after.starts_with([':', '/']));
    whole.then(|| [before, new, after].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_models_value_changes() {
        let before = r#"{ "x": {"model": "keep"},  "mod\u0065l" : "old" , "messages":["model"] }"#;
        let after = before.replace("\"old\"", "\"new\"");
        assert_eq!(body(&Bytes::from(before), "new"), Some(Bytes::from(after)));
    }

    #[test]
    fn a_body_without_a_model_is_not_rewritten() {
        for other in [&b"{}"[..], b"[]", b"", b"{\"model\":"] {
            assert_eq!(body(&Bytes::from_static(other), "m"), None);
        }
    }

    #[test]
    fn a_body_with_two_models_is_not_rewritten() {
        let twice = br#"{"model":"a","model":"b"}"#;
        assert_eq!(body(&Bytes::from_static(twice), "m"), None);
    }

    #[test]
    fn the_model_in_a_path_is_the_segment_before_the_method() {
        let google = "/v1beta/models/fast:generateContent";
        let renamed = path(google, "fast", "gemini-2.0");
        assert_eq!(
            renamed.as_deref(),
            Some("/v1beta/models/gemini-2.0:generateContent")
        );
        assert_eq!(path("/v1beta/models/breakfast:x", "fast", "g"), None);
        let azure = "/openai/deployments/fast/chat/completions";
        let renamed = path(azure, "fast", "gpt-4o");
        assert_eq!(
            renamed.as_deref(),
            Some("/openai/deployments/gpt-4o/chat/completions")
        );
    }

    #[test]
    fn a_segment_that_is_called_like_the_model_stays() {
        assert_eq!(path("/v1/chat/completions", "chat", "gpt-4o"), None);
    }
}
