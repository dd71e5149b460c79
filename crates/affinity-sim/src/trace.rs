//! Traffic in memory: requests in order of arrival over a tree of shared prefixes.

use std::time::Duration;

use ahash::AHashMap;

use crate::prompt_cache::Block;

/// Requests in order of arrival, ready to replay.
///
/// Prompts share their beginnings, so they are kept as one tree of blocks: memory grows with the
/// distinct blocks (16 bytes each), not with the length of the prompts.
#[derive(Debug, Default)]
pub struct Trace {
    pub(crate) prefixes: Prefixes,
    pub(crate) requests: Vec<Request>,
}

impl Trace {
    /// Number of requests.
    #[must_use]
    pub fn len(&self) -> usize {
        self.requests.len()
    }

    /// Whether there is no request.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.requests.is_empty()
    }

    /// The requests, earliest first.
    #[must_use]
    pub fn requests(&self) -> &[Request] {
        &self.requests
    }

    /// Prompt tokens of all requests together.
    #[must_use]
    pub fn prompt_tokens(&self) -> u64 {
        self.requests.iter().map(|r| r.prompt_tokens).sum()
    }

    /// Writes the request's blocks into `path`, first token first, in place of what it held.
    ///
    /// Allocates only when `path` is too small.
    pub fn path_into(&self, request: &Request, path: &mut Vec<Block>) {
        path.clear();
        path.extend(self.prefixes.up(request.leaf).map(|(_, block)| block));
        path.reverse();
    }

    /// Puts the requests in order of arrival; simultaneous ones keep the order of the input.
    pub(crate) fn sort(&mut self) {
        self.requests.sort_by_key(|request| request.at);
    }
}

/// One request of a trace: when it came, what it carried, and the keys it can be routed by.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// Arrival, since the start of the trace.
    pub at: Duration,
    /// How long it stays in flight.
    pub service: Duration,
    /// Tokens of the whole prompt, a partial last block included.
    pub prompt_tokens: u64,
    /// Where in the tree the path of complete blocks ends.
    pub(crate) leaf: Leaf,
    /// The fingerprints it can be routed by.
    pub keys: Keys,
}

/// The fingerprints by which a policy may route a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keys {
    /// Of the whole prompt.
    pub whole: u64,
    /// Of the first entry: the system prompt, or the first 256 tokens.
    pub first_entry: u64,
    /// Of the prompt through its first user message.
    pub opener: u64,
    /// Of the session's identity.
    pub session: u64,
    /// Whether the complete blocks reach through the first user message. If not, all of them are
    /// shared with strangers and must not be remembered: everybody would follow.
    pub user_turn: bool,
}

/// A place in the tree of prefixes; `None` is the empty prompt.
pub(crate) type Leaf = Option<u32>;

/// The tree of all prefixes that occur in a trace.
#[derive(Debug, Default)]
pub(crate) struct Prefixes {
    nodes: Vec<Node>,
    by_link: AHashMap<u64, u32>,
}

#[derive(Debug)]
struct Node {
    block: Block,
    parent: u32,
}

/// The parent of a first block.
const ROOT: u32 = u32::MAX;

impl Prefixes {
    /// The node of `block` behind `parent`, made if new.
    ///
    /// # Errors
    /// When 2^32 - 1 blocks are held.
    pub(crate) fn child(&mut self, parent: Leaf, block: Block) -> Result<u32, String> {
        if let Some(&node) = self.by_link.get(&block.link) {
            return Ok(node);
        }
        let node = u32::try_from(self.nodes.len())
            .ok()
            .filter(|&node| node < ROOT)
            .ok_or("the trace holds more than 2^32 distinct blocks")?;
        self.nodes.push(Node {
            block,
            parent: parent.unwrap_or(ROOT),
        });
        self.by_link.insert(block.link, node);
        Ok(node)
    }

    /// The blocks from `leaf` up to the first one, with their nodes.
    pub(crate) fn up(&self, leaf: Leaf) -> impl Iterator<Item = (u32, Block)> + '_ {
        let mut next = leaf;
        std::iter::from_fn(move || {
            let node = next?;
            let &Node { block, parent } = &self.nodes[node as usize];
            next = (parent != ROOT).then_some(parent);
            Some((node, block))
        })
    }

    /// Number of nodes; they are numbered from 0.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }
}
