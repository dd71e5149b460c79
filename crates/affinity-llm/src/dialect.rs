//! Whose API a request speaks.

use core::fmt;

use crate::read::Outline;

/// A way to send a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// OpenAI's Chat Completions, which most other providers speak too.
    ChatCompletions,
    /// OpenAI's Responses.
    Responses,
    /// Anthropic's Messages, on Bedrock and Vertex too.
    AnthropicMessages,
    /// Gemini's `generateContent`, on Vertex and Code Assist too.
    Gemini,
}

impl Dialect {
    /// The name that docs/spec-llm.md, `affinity explain` and the configurations, metrics and logs of
    /// `affinity serve` have for it: `openai-chat`, `openai-responses`, `anthropic`, `gemini`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ChatCompletions => "openai-chat",
            Self::Responses => "openai-responses",
            Self::AnthropicMessages => "anthropic",
            Self::Gemini => "gemini",
        }
    }

    /// The dialect of a body that came in at a path which does not tell, if only one has its
    /// shape.
    pub(crate) fn of_shape(outline: &Outline) -> Option<Self> {
        let (seen, messages) = (outline.seen, &outline.messages);
        match (seen.messages, seen.input, seen.contents) {
            (true, false, false) if seen.anthropic || messages.blocks => {
                Some(Self::AnthropicMessages)
            }
            (true, false, false) => Some(Self::ChatCompletions),
            // Embeddings have an `input` too, and nothing else of a Responses body.
            (false, true, false) if seen.responses || messages.items || messages.roles => {
                Some(Self::Responses)
            }
            (false, false, true) => Some(Self::Gemini),
            _ => None,
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
