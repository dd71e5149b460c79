//! What a request's path tells: the dialect, whether it is a conversation, the model.

use std::borrow::Cow;
use std::ops::Range;

use percent_encoding::percent_decode_str;

use crate::dialect::Dialect;

/// A path, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Path<'p> {
    pub(crate) dialect: Option<Dialect>,
    /// A call beside conversations: counting, embedding, listing.
    pub(crate) side_call: bool,
    /// Where the path names a model.
    pub(crate) model: Option<Model<'p>>,
    /// The path asks for a stream.
    pub(crate) stream: bool,
}

/// The model that a path names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Model<'p> {
    /// Its bytes of the path, escapes and all.
    pub(crate) spelled: &'p str,
    /// Without escapes; `None` when these hide what no name has.
    pub(crate) name: Option<Cow<'p, str>>,
}

impl<'p> Model<'p> {
    fn new(spelled: &'p str) -> Self {
        let name = percent_decode_str(spelled).decode_utf8().ok();
        let name = name.filter(|name| !name.contains(char::is_control));
        Self { spelled, name }
    }

    /// Its place in the path that it was read from.
    pub(crate) fn range_in(&self, path: &str) -> Range<usize> {
        // `spelled` is a part of `path`, so the difference of their addresses is its place.
        let start = self.spelled.as_ptr() as usize - path.as_ptr() as usize;
        start..start + self.spelled.len()
    }
}

impl<'p> Path<'p> {
    /// Reads a path, with or without scheme, host and query. Prefixes are any gateway's own.
    pub(crate) fn read(path: &'p str) -> Self {
        let path = path.split(['?', '#']).next().unwrap_or_default();
        let path = path.trim_end_matches('/');
        let (rest, last) = path.rsplit_once('/').unwrap_or(("", path));
        if let Some((model, method)) = last.rsplit_once(':').or_else(|| escaped_colon(last)) {
            return Self::method(rest, model, method);
        }
        let (before, parent) = rest.rsplit_once('/').unwrap_or(("", rest));
        match (parent, last) {
            ("chat", "completions") => {
                Self::of(Dialect::ChatCompletions).with_model(deployment(before))
            }
            (_, "responses") => Self::of(Dialect::Responses).with_model(deployment(rest)),
            (_, "messages") if !threads(rest) => Self::of(Dialect::AnthropicMessages),
            // Bedrock: /model/{id}/invoke.
            (model, "invoke") if before.ends_with("/model") => {
                Self::of(Dialect::AnthropicMessages).with_model(Some(model))
            }
            (model, "invoke-with-response-stream") if before.ends_with("/model") => Self {
                stream: true,
                ..Self::of(Dialect::AnthropicMessages).with_model(Some(model))
            },
            ("messages", "count_tokens" | "batches") => Self::side(Dialect::AnthropicMessages),
            ("responses", "input_tokens" | "compact") => Self::side(Dialect::Responses),
            ("batches", _) | (_, "batches") => Self::side(None),
            (_, "embeddings" | "models" | "files" | "moderations" | "rerank")
            | ("models" | "files" | "responses", _)
            | ("images", "generations" | "edits" | "variations")
            | ("audio", "speech" | "transcriptions" | "translations") => Self::side(None),
            _ => Self::default(),
        }
    }

    /// Google's `{model}:{method}`, on Vertex for Anthropic's models too.
    fn method(rest: &str, model: &'p str, method: &str) -> Self {
        let (dialect, stream) = match method {
            "generateContent" => (Dialect::Gemini, false),
            "streamGenerateContent" => (Dialect::Gemini, true),
            "rawPredict" | "streamRawPredict" if rest.ends_with("/publishers/anthropic/models") => {
                // Vertex counts tokens with a model of that name.
                if model == "count-tokens" {
                    return Self::side(Dialect::AnthropicMessages);
                }
                (Dialect::AnthropicMessages, method == "streamRawPredict")
            }
            "countTokens"
            | "embedContent"
            | "batchEmbedContents"
            | "batchGenerateContent"
            | "asyncBatchEmbedContent" => return Self::side(Dialect::Gemini),
            "predict" => return Self::side(None),
            _ => return Self::default(),
        };
        // Code Assist has no model in its path: /v1internal:generateContent.
        let model = Some(model)
            .filter(|_| rest.ends_with("models"))
            .map(Model::new);
        Self {
            dialect: Some(dialect),
            side_call: false,
            model,
            stream,
        }
    }

    fn of(dialect: Dialect) -> Self {
        Self {
            dialect: Some(dialect),
            ..Self::default()
        }
    }

    fn side(dialect: impl Into<Option<Dialect>>) -> Self {
        Self {
            dialect: dialect.into(),
            side_call: true,
            ..Self::default()
        }
    }

    fn with_model(self, model: Option<&'p str>) -> Self {
        Self {
            model: model.map(Model::new),
            ..self
        }
    }
}

/// `{model}%3A{method}`, in either case.
fn escaped_colon(last: &str) -> Option<(&str, &str)> {
    let (at, _) = last.rmatch_indices('%').find(|(at, _)| {
        let escape = last.as_bytes().get(*at..at + 3);
        escape.is_some_and(|e| e.eq_ignore_ascii_case(b"%3a"))
    })?;
    Some((&last[..at], &last[at + 3..]))
}

/// Azure: `/openai/deployments/{deployment}/…`.
fn deployment(rest: &str) -> Option<&str> {
    let (before, name) = rest.rsplit_once('/')?;
    before.ends_with("/deployments").then_some(name)
}

/// The Assistants API has messages of another kind: `/threads/{thread}/messages`.
fn threads(rest: &str) -> bool {
    rest.rsplit('/').nth(1) == Some("threads")
}
