//! Writing one prompt into a trace's tree of prefixes.

use affinity_hash::{Chain, Scope};

use crate::prompt_cache::Block;
use crate::trace::{Leaf, Prefixes};

/// A prompt in the making: entries go in first to last, links and the path come out.
#[derive(Debug)]
pub(crate) struct Prompt {
    chain: Chain,
    leaf: Leaf,
}

impl Prompt {
    /// An empty prompt.
    pub(crate) fn new() -> Self {
        Self {
            chain: Chain::new(Scope::public()),
            leaf: None,
        }
    }

    /// Appends a complete block and returns its link.
    ///
    /// # Errors
    /// When the tree holds as many distinct blocks as it can.
    pub(crate) fn block(
        &mut self,
        prefixes: &mut Prefixes,
        entry: &[u8],
        tokens: u32,
    ) -> Result<u64, String> {
        let link = self.chain.push(entry);
        self.leaf = Some(prefixes.child(self.leaf, Block { link, tokens })?);
        Ok(link)
    }

    /// The link that `entry` would have here. It does not become part of the path: what no
    /// account caches on its own, such as a partial last block, still tells prompts apart.
    pub(crate) fn link_of_uncached(&self, entry: &[u8]) -> u64 {
        self.chain.clone().push(entry)
    }

    /// Where the path ends.
    pub(crate) fn leaf(&self) -> Leaf {
        self.leaf
    }
}

/// Fingerprint of a session's identity.
pub(crate) fn session_key(identity: &[u8]) -> u64 {
    Scope::public().fingerprint(identity)
}
