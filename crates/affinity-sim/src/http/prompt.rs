//! The prompt as the account's tokenizer sees it.

use std::fmt;
use std::time::Duration;

use serde_json::Value;

/// Bytes of text that count as one token.
const BYTES_PER_TOKEN: usize = 4;

/// A rendered prompt: one text, cut into content blocks. Its `Debug` shows none of it.
#[derive(Clone, Default)]
pub(super) struct Prompt {
    text: String,
    blocks: Vec<Block>,
}

#[derive(Clone, Copy, Debug)]
struct Block {
    /// Where the block ends in the text.
    end: usize,
    /// The lifetime asked for by a `cache_control` on this block.
    breakpoint: Option<Lifetime>,
}

/// How long a breakpoint's prefix is to live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lifetime {
    Short,
    Hour,
}

impl Lifetime {
    /// The lifetime in an account whose short one is `ttl`.
    pub(super) fn of(self, ttl: Duration) -> Duration {
        match self {
            Self::Short => ttl,
            Self::Hour => ttl * 12,
        }
    }
}

impl Prompt {
    /// Starts a message of this role; its content follows in [`Prompt::block`]s.
    pub(super) fn role(&mut self, role: &str) {
        self.text.push_str("<|");
        self.text.push_str(role);
        self.text.push_str("|>");
    }

    pub(super) fn block(&mut self, content: &str, breakpoint: Option<Lifetime>) {
        self.text.push_str(content);
        self.blocks.push(Block {
            end: self.text.len(),
            breakpoint,
        });
    }

    /// A block of structured content, in the order and spelling of its JSON.
    pub(super) fn json(&mut self, content: &Value, breakpoint: Option<Lifetime>) {
        self.block(&content.to_string(), breakpoint);
    }

    /// Puts an earlier prompt's blocks here.
    pub(super) fn append(&mut self, earlier: &Prompt) {
        let base = self.text.len();
        self.text.push_str(&earlier.text);
        self.blocks.extend(earlier.blocks.iter().map(|block| Block {
            end: base + block.end,
            ..*block
        }));
    }

    /// Asks for a breakpoint at the last block.
    pub(super) fn mark_last(&mut self, lifetime: Lifetime) {
        if let Some(block) = self.blocks.last_mut() {
            block.breakpoint.get_or_insert(lifetime);
        }
    }

    pub(super) fn tokens(&self) -> usize {
        tokens(self.text.len())
    }

    /// The links of every whole run of `step` tokens: equal links, equal prompts up to there.
    pub(super) fn steps(&self, model: &str, step: usize) -> Vec<u64> {
        let entries = self.text.as_bytes().chunks_exact(step * BYTES_PER_TOKEN);
        links(model, entries)
    }

    /// Every block's link, tokens through its end, and breakpoint.
    pub(super) fn prefixes(&self, model: &str) -> Vec<Prefix> {
        let starts = std::iter::once(0).chain(self.blocks.iter().map(|block| block.end));
        let entries = starts
            .zip(&self.blocks)
            .map(|(start, block)| &self.text.as_bytes()[start..block.end]);
        links(model, entries)
            .into_iter()
            .zip(&self.blocks)
            .map(|(link, block)| Prefix {
                link,
                tokens: tokens(block.end),
                breakpoint: block.breakpoint,
            })
            .collect()
    }

    /// A number that stands for the whole prompt.
    pub(super) fn digest(&self, model: &str) -> u64 {
        affinity_hash::chain(&[model.as_bytes(), self.text.as_bytes()])[1]
    }
}

impl fmt::Debug for Prompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prompt")
            .field("tokens", &self.tokens())
            .finish_non_exhaustive()
    }
}

/// A prompt through the end of one of its blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prefix {
    pub(super) link: u64,
    pub(super) tokens: usize,
    pub(super) breakpoint: Option<Lifetime>,
}

fn tokens(bytes: usize) -> usize {
    bytes.div_ceil(BYTES_PER_TOKEN)
}

/// The chain of the entries under the model; caches of two models share nothing.
fn links<'a>(model: &'a str, entries: impl Iterator<Item = &'a [u8]>) -> Vec<u64> {
    let entries: Vec<&[u8]> = std::iter::once(model.as_bytes()).chain(entries).collect();
    let mut links = affinity_hash::chain(&entries);
    links.remove(0);
    links
}
