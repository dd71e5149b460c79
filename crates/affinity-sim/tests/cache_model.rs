//! The prompt cache against the rule written down as plainly as possible.

use std::collections::HashMap;
use std::time::Duration;

use affinity_sim::{Block, PromptCache};
use proptest::prelude::*;

/// A cache that keeps the time of the last use of every prefix, and looks at each in turn.
#[derive(Default)]
struct Naive {
    last_use: HashMap<Vec<u8>, u64>,
}

impl Naive {
    fn serve(&mut self, prompt: &[u8], ttl: u64, now: u64) -> u64 {
        let mut hit = 0;
        for end in 1..=prompt.len() {
            match self.last_use.get(&prompt[..end]) {
                Some(last) if now < last + ttl => hit += tokens(prompt[end - 1]),
                _ => break,
            }
        }
        for end in 1..=prompt.len() {
            self.last_use.insert(prompt[..end].to_vec(), now);
        }
        hit
    }
}

fn tokens(entry: u8) -> u64 {
    10 + u64::from(entry)
}

fn path(prompt: &[u8]) -> Vec<Block> {
    let entries: Vec<[u8; 1]> = prompt.iter().map(|&entry| [entry]).collect();
    affinity_hash::chain(&entries)
        .into_iter()
        .zip(prompt)
        .map(|(link, &entry)| Block {
            link,
            tokens: tokens(entry) as u32,
        })
        .collect()
}

proptest! {
    #[test]
    fn cache_agrees_with_the_naive_model(
        ttl in 0u64..12,
        steps in prop::collection::vec((prop::collection::vec(0u8..3, 0..6), 0u64..6), 1..80),
    ) {
        let mut cache = PromptCache::new(Duration::from_secs(ttl));
        let mut naive = Naive::default();
        let mut now = 0;
        for (prompt, wait) in steps {
            now += wait;
            let expected = naive.serve(&prompt, ttl, now);
            if wait == 3 {
                cache.purge(Duration::from_secs(now));
            }
            prop_assert_eq!(cache.serve(&path(&prompt), Duration::from_secs(now)), expected);
        }
    }
}
