//! The prompt cache of one simulated account.

use std::fmt;
use std::time::Duration;

use ahash::AHashMap;

/// One cumulative piece of a prompt: a block of tokens, or a message.
///
/// A prompt is a path of blocks from its first token on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Fingerprint of the whole prompt up to and including this block (a chain link), so two
    /// prompts hold the same link only if they agree on everything before it too.
    pub link: u64,
    /// Tokens of this block alone.
    pub tokens: u32,
}

/// What one account keeps of the prompts it served: every block for `ttl` after its last use.
///
/// Reading a block from the cache and writing it are both a use. A block is live while less than
/// `ttl` has passed since its last use; at exactly `ttl` it is gone. Size is not limited, as the
/// providers document a lifetime and no size.
///
/// ```
/// use std::time::Duration;
/// use affinity_sim::{Block, PromptCache};
///
/// let mut cache = PromptCache::new(Duration::from_secs(300));
/// let first_turn = [Block { link: 1, tokens: 2000 }, Block { link: 2, tokens: 50 }];
/// let second_turn = [first_turn[0], first_turn[1], Block { link: 3, tokens: 80 }];
/// assert_eq!(cache.serve(&first_turn, Duration::ZERO), 0);
/// assert_eq!(cache.serve(&second_turn, Duration::from_secs(299)), 2050);
/// assert_eq!(cache.serve(&second_turn, Duration::from_secs(599)), 0);
/// ```
pub struct PromptCache {
    ttl: Duration,
    /// Time of the last use of each block, by link.
    last_use: AHashMap<u64, Duration>,
    /// Number of blocks at which the dead ones are dropped next.
    purge_at: usize,
}

/// Below this many blocks the dead ones are not worth a sweep.
const SMALLEST_PURGE: usize = 4096;

impl PromptCache {
    /// An empty cache whose blocks live for `ttl` after their last use.
    #[must_use]
    pub fn new(ttl: Duration) -> Self {
        Self {
            ttl,
            last_use: AHashMap::new(),
            purge_at: SMALLEST_PURGE,
        }
    }

    /// Serves a prompt at `now` and returns how many of its tokens were read from the cache.
    ///
    /// Hit tokens are those of the longest live prefix of `path`; then the whole path is used at
    /// `now`. Times are counted from any fixed start; an earlier `now` than before shortens no
    /// block's life. Costs one look-up per block.
    pub fn serve(&mut self, path: &[Block], now: Duration) -> u64 {
        let hit = self.hit_tokens(path, now);
        for block in path {
            self.last_use
                .entry(block.link)
                .and_modify(|last| *last = now.max(*last))
                .or_insert(now);
        }
        if self.last_use.len() >= self.purge_at {
            self.purge(now);
            self.purge_at = (2 * self.last_use.len()).max(SMALLEST_PURGE);
        }
        hit
    }

    /// Tokens of the longest live prefix of `path` at `now`. Changes nothing.
    #[must_use]
    pub fn hit_tokens(&self, path: &[Block], now: Duration) -> u64 {
        path[..self.live_prefix(path, now)]
            .iter()
            .map(|block| u64::from(block.tokens))
            .sum()
    }

    /// Number of blocks in the longest live prefix of `path` at `now`. Changes nothing.
    ///
    /// A binary search: using a block uses all before it, so along a path the last uses never
    /// rise, and live blocks come before dead ones.
    #[must_use]
    pub fn live_prefix(&self, path: &[Block], now: Duration) -> usize {
        path.partition_point(|block| self.is_live(block.link, now))
    }

    fn is_live(&self, link: u64, now: Duration) -> bool {
        self.last_use
            .get(&link)
            .is_some_and(|&last| now.saturating_sub(last) < self.ttl)
    }

    /// Drops the blocks that are dead at `now`. Visits every block.
    ///
    /// [`serve`](Self::serve) does it each time the number of blocks has doubled.
    pub fn purge(&mut self, now: Duration) {
        let ttl = self.ttl;
        self.last_use
            .retain(|_, last| now.saturating_sub(*last) < ttl);
    }

    /// Number of blocks held, dead ones included until they are purged.
    #[must_use]
    pub fn len(&self) -> usize {
        self.last_use.len()
    }

    /// Whether no block is held.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.last_use.is_empty()
    }
}

impl fmt::Debug for PromptCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PromptCache")
            .field("ttl", &self.ttl)
            .field("blocks", &self.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TTL: Duration = Duration::from_secs(300);
    const NANO: Duration = Duration::from_nanos(1);

    fn path(links: &[u64]) -> Vec<Block> {
        links
            .iter()
            .map(|&link| Block { link, tokens: 10 })
            .collect()
    }

    #[test]
    fn block_is_gone_at_exactly_its_ttl() {
        let mut cache = PromptCache::new(TTL);
        cache.serve(&path(&[1]), Duration::ZERO);
        assert_eq!(cache.hit_tokens(&path(&[1]), TTL - NANO), 10);
        assert_eq!(cache.hit_tokens(&path(&[1]), TTL), 0);
    }

    #[test]
    fn reading_renews_every_block_of_the_prefix() {
        let mut cache = PromptCache::new(TTL);
        cache.serve(&path(&[1, 2, 3]), Duration::ZERO);
        assert_eq!(cache.serve(&path(&[1, 2]), TTL - NANO), 20);
        assert_eq!(cache.hit_tokens(&path(&[1, 2, 3]), TTL), 20);
        assert_eq!(cache.hit_tokens(&path(&[1, 2, 3]), TTL + TTL - NANO), 0);
    }

    #[test]
    fn only_the_prefix_before_the_first_unknown_block_hits() {
        let mut cache = PromptCache::new(TTL);
        cache.serve(&path(&[1, 2, 3]), Duration::ZERO);
        assert_eq!(cache.hit_tokens(&path(&[1, 2, 9]), NANO), 20);
        assert_eq!(cache.hit_tokens(&path(&[9, 8, 7]), NANO), 0);
        assert_eq!(cache.hit_tokens(&[], NANO), 0);
    }

    #[test]
    fn looking_renews_nothing() {
        let mut cache = PromptCache::new(TTL);
        cache.serve(&path(&[1]), Duration::ZERO);
        assert_eq!(cache.live_prefix(&path(&[1]), TTL - NANO), 1);
        assert_eq!(cache.live_prefix(&path(&[1]), TTL), 0);
    }

    #[test]
    fn ttl_zero_keeps_nothing_and_ttl_max_keeps_all() {
        let mut none = PromptCache::new(Duration::ZERO);
        none.serve(&path(&[1]), Duration::ZERO);
        assert_eq!(none.serve(&path(&[1]), Duration::ZERO), 0);
        let mut all = PromptCache::new(Duration::MAX);
        all.serve(&path(&[1]), Duration::ZERO);
        assert_eq!(all.serve(&path(&[1]), Duration::from_secs(1 << 40)), 10);
    }

    #[test]
    fn clock_going_backwards_shortens_no_life() {
        let mut cache = PromptCache::new(TTL);
        cache.serve(&path(&[1]), TTL);
        assert_eq!(cache.serve(&path(&[1]), Duration::ZERO), 10);
        assert_eq!(cache.hit_tokens(&path(&[1]), TTL + TTL - NANO), 10);
    }

    #[test]
    fn dead_blocks_do_not_pile_up() {
        let mut cache = PromptCache::new(TTL);
        for i in 0..100_000 {
            cache.serve(&path(&[i]), Duration::from_secs(i));
        }
        assert!(cache.len() <= SMALLEST_PURGE);
        cache.purge(Duration::from_secs(200_000));
        assert!(cache.is_empty());
    }

    #[test]
    fn debug_shows_no_links() {
        let mut cache = PromptCache::new(TTL);
        cache.serve(&path(&[987_654_321]), Duration::ZERO);
        assert!(!format!("{cache:?}").contains("987654321"));
    }
}
