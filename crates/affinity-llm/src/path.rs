//! What a request's path tells: the dialect, whether it is a conversation, the model.

use crate::dialect::Dialect;

/// A path, read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Path<'p> {
    pub(crate) dialect: Option<Dialect>,
    /// A call beside conversations: counting, embedding, listing.
    pub(crate) side_call: bool,
    /// The model, as the path spells it.
    pub(crate) model: Option<&'p str>,
    /// The path asks for a stream.
    pub(crate) stream: bool,
}

impl<'p> Path<'p> {
    /// Reads a path, with or without scheme, host and query. Prefixes are any gateway's own.
    pub(crate) fn read(path: &'p str) -> Self {
        let path = path.split(['?', '#']).next().unwrap_or_default();
        let path = path.trim_end_matches('/');
        let (rest, last) = path.rsplit_once('/').unwrap_or(("", path));
        if let Some((model, method)) = last.rsplit_once(':').or_else(|| last.rsplit_once("%3A")) {
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
        let model = Some(model).filter(|_| rest.ends_with("models"));
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
        Self { model, ..self }
    }
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
