//! How long a request is in flight where the trace does not say.

use std::time::Duration;

/// Until the first token.
const FIRST_TOKEN: Duration = Duration::from_millis(500);

/// For every further token: 50 tokens per second.
const PER_TOKEN: Duration = Duration::from_millis(20);

/// Longest answer that is believed, in tokens.
const MAX_TOKENS: u64 = 1 << 20;

/// Time in flight of a request with an answer of `output_tokens`.
pub(crate) fn service_time(output_tokens: u64) -> Duration {
    FIRST_TOKEN + PER_TOKEN * output_tokens.min(MAX_TOKENS) as u32
}
