//! What an answer says about the prompt cache, in whichever dialect it says it.

use serde::Deserialize;

/// Prompt tokens of one answer: all of them, those read from cache, those written to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Usage {
    pub(super) prompt: u64,
    pub(super) cached: u64,
    pub(super) written: u64,
}

/// An answer, or one event of a stream: the parts of it that say something.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Said {
    id: Option<String>,
    object: Option<String>,
    usage: Option<Counts>,
    #[serde(rename = "usageMetadata")]
    usage_metadata: Option<GeminiCounts>,
    /// Anthropic's `message_start`.
    message: Option<Inner>,
    /// The events of Responses.
    response: Option<Inner>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Inner {
    id: Option<String>,
    object: Option<String>,
    usage: Option<Counts>,
}

#[derive(Clone, Copy, Deserialize, Default)]
#[serde(default)]
struct Counts {
    prompt_tokens: Option<u64>,
    input_tokens: Option<u64>,
    prompt_tokens_details: Option<Details>,
    input_tokens_details: Option<Details>,
    cache_read_input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    /// DeepSeek's spelling of `cached_tokens`.
    prompt_cache_hit_tokens: Option<u64>,
}

#[derive(Clone, Copy, Deserialize, Default)]
#[serde(default)]
struct Details {
    cached_tokens: Option<u64>,
}

#[derive(Clone, Copy, Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct GeminiCounts {
    prompt_token_count: Option<u64>,
    cached_content_token_count: Option<u64>,
}

impl Said {
    pub(super) fn usage(&self) -> Option<Usage> {
        if let Some(counts) = self.usage_metadata {
            return Some(Usage {
                prompt: counts.prompt_token_count?,
                cached: counts.cached_content_token_count.unwrap_or(0),
                written: 0,
            });
        }
        let inner = |inner: &Option<Inner>| inner.as_ref().and_then(|i| i.usage);
        self.usage
            .or_else(|| inner(&self.message))
            .or_else(|| inner(&self.response))?
            .usage()
    }

    /// The id of an OpenAI response, which a later request may name.
    pub(super) fn response_id(self) -> Option<String> {
        let is_response = |object: &Option<String>| object.as_deref() == Some("response");
        match self.response {
            Some(inner) if is_response(&inner.object) => inner.id,
            _ if is_response(&self.object) => self.id,
            _ => None,
        }
    }
}

impl Counts {
    fn usage(self) -> Option<Usage> {
        let details = self.prompt_tokens_details.or(self.input_tokens_details);
        let cached = details
            .and_then(|d| d.cached_tokens)
            .or(self.prompt_cache_hit_tokens);
        let (read, written) = (
            self.cache_read_input_tokens,
            self.cache_creation_input_tokens,
        );
        match (self.prompt_tokens, self.input_tokens) {
            (Some(prompt), _) => Some(Usage {
                prompt,
                cached: cached.or(read).unwrap_or(0),
                written: written.unwrap_or(0),
            }),
            // Anthropic counts only what was neither read nor written as input.
            (None, Some(input)) if read.is_some() || written.is_some() => Some(Usage {
                prompt: input
                    .saturating_add(read.unwrap_or(0))
                    .saturating_add(written.unwrap_or(0)),
                cached: read.unwrap_or(0),
                written: written.unwrap_or(0),
            }),
            (None, Some(prompt)) => Some(Usage {
                prompt,
                cached: cached.unwrap_or(0),
                written: 0,
            }),
            (None, None) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Usage> {
        serde_json::from_str::<Said>(text).unwrap().usage()
    }

    const fn usage(prompt: u64, cached: u64, written: u64) -> Option<Usage> {
        Some(Usage {
            prompt,
            cached,
            written,
        })
    }

    #[test]
    fn each_dialect_is_read() {
        let chat = r#"{"choices":[{}],"usage":{"prompt_tokens":9,"prompt_tokens_details":{"cached_tokens":4}}}"#;
        assert_eq!(read(chat), usage(9, 4, 0));
        let responses = r#"{"type":"response.completed","response":{"usage":{"input_tokens":9,"input_tokens_details":{"cached_tokens":5}}}}"#;
        assert_eq!(read(responses), usage(9, 5, 0));
        let anthropic = r#"{"type":"message_start","message":{"usage":{"input_tokens":1,"cache_read_input_tokens":6,"cache_creation_input_tokens":2}}}"#;
        assert_eq!(read(anthropic), usage(9, 6, 2));
        let gemini = r#"{"usageMetadata":{"promptTokenCount":9,"cachedContentTokenCount":3}}"#;
        assert_eq!(read(gemini), usage(9, 3, 0));
    }

    #[test]
    fn counts_beyond_all_bounds_do_not_overflow() {
        let text = r#"{"usage":{"input_tokens":18446744073709551615,"cache_read_input_tokens":5}}"#;
        assert_eq!(read(text), usage(u64::MAX, 5, 0));
    }

    #[test]
    fn what_says_nothing_is_nothing() {
        for nothing in [
            r#"{"usage":null}"#,
            r#"{"type":"message_delta","usage":{"output_tokens":5}}"#,
            r#"{"response":{"usage":null}}"#,
            r#"{"choices":[{"message":{"content":"\"usage\":{\"prompt_tokens\":1}"}}]}"#,
        ] {
            assert_eq!(read(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn only_a_response_has_an_id_to_come_back_to() {
        let id = |text| serde_json::from_str::<Said>(text).unwrap().response_id();
        assert_eq!(
            id(r#"{"id":"resp_1","object":"response"}"#).as_deref(),
            Some("resp_1")
        );
        let event = r#"{"type":"response.created","response":{"id":"resp_2","object":"response","usage":null}}"#;
        assert_eq!(id(event).as_deref(), Some("resp_2"));
        assert_eq!(
            id(r#"{"id":"chatcmpl-1","object":"chat.completion"}"#),
            None
        );
    }
}
