//! How long providers keep a prompt cache after its last use, for [`Channel::ttl`](crate::Channel::ttl).
//!
//! A memory that outlives the cache costs one turn that would have missed anyway; one that dies
//! sooner costs the hits between. So each preset is the upper end of what the provider documents.

use std::time::Duration;

/// Anthropic's default: five minutes after the last use.
pub const ANTHROPIC_5M: Duration = Duration::from_secs(5 * 60);

/// Anthropic with `"ttl": "1h"` on the cache markers.
pub const ANTHROPIC_1H: Duration = Duration::from_secs(60 * 60);

/// OpenAI's in-memory cache: five to ten minutes of inactivity.
pub const OPENAI: Duration = Duration::from_secs(10 * 60);

/// OpenAI with `"prompt_cache_retention": "24h"`.
pub const OPENAI_24H: Duration = Duration::from_secs(24 * 60 * 60);
