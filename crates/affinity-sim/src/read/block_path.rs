//! Prompts given as block ids: only the complete blocks are cached.

use crate::prompt::Prompt;
use crate::trace::Prefixes;

/// How a block format is cut.
pub(super) struct Cut {
    /// Tokens of one block.
    pub tokens: u32,
    /// Index of the block that ends the first entry.
    pub first_entry: usize,
    /// Index of the block that ends the first user message.
    pub opener: usize,
}

/// The links of a prompt's blocks that requests are routed by.
pub(super) struct Links {
    pub whole: u64,
    pub first_entry: u64,
    pub opener: u64,
    /// Whether the opener is a complete block.
    pub user_turn: bool,
}

/// Writes the `complete` first blocks into the prompt; the one behind them is partial and only
/// tells prompts apart. `None` for a prompt without a block.
///
/// # Errors
/// When the trace is full.
pub(super) fn write(
    prefixes: &mut Prefixes,
    prompt: &mut Prompt,
    entries: impl Iterator<Item = impl AsRef<[u8]>>,
    complete: usize,
    cut: &Cut,
) -> Result<Option<Links>, String> {
    let mut links: Option<Links> = None;
    for (index, entry) in entries.enumerate().take(complete.saturating_add(1)) {
        let whole = if index < complete {
            prompt.block(prefixes, entry.as_ref(), cut.tokens)?
        } else {
            prompt.link_of_uncached(entry.as_ref())
        };
        let links = links.get_or_insert(Links {
            whole,
            first_entry: whole,
            opener: whole,
            user_turn: false,
        });
        links.whole = whole;
        if index <= cut.first_entry {
            links.first_entry = whole;
        }
        if index <= cut.opener {
            links.opener = whole;
            links.user_turn = index == cut.opener && index < complete;
        }
    }
    Ok(links)
}
