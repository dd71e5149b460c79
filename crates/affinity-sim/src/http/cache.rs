//! Prompt caches by the two providers' rules.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;

use super::prompt::Prompt;

/// Prompts and prefixes of fewer tokens are not cached.
const MINIMUM_TOKENS: usize = 1024;
/// OpenAI caches in runs of this many tokens.
const STEP_TOKENS: usize = 128;
/// How many blocks Anthropic looks back from a breakpoint, itself included.
const LOOKBACK_BLOCKS: usize = 20;
/// Expired prefixes are swept out when the cache has doubled, and not below this size.
const SWEEP_FROM: usize = 4096;

/// Which prefixes are alive, and until when.
#[derive(Debug)]
pub(super) struct PromptCache {
    ttl: Duration,
    deadlines: HashMap<u64, Instant>,
    sweep_at: usize,
}

/// What a lookup found, and what the answer's first token will write.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Lookup {
    /// Tokens read from the cache.
    pub(super) cached: usize,
    /// Tokens that will be written, of those that are not read.
    pub(super) written: usize,
    writes: Vec<(u64, Duration)>,
}

impl PromptCache {
    pub(super) fn new(ttl: Duration) -> Self {
        Self {
            ttl,
            deadlines: HashMap::new(),
            sweep_at: SWEEP_FROM,
        }
    }

    /// OpenAI: the longest cached run from the start, in steps of 128 tokens from 1,024 on.
    pub(super) fn automatic(&mut self, prompt: &Prompt, model: &str, now: Instant) -> Lookup {
        if prompt.tokens() < MINIMUM_TOKENS {
            return Lookup::default();
        }
        let steps = prompt.steps(model, STEP_TOKENS);
        let live = steps
            .iter()
            .take_while(|link| self.renew(**link, self.ttl, now))
            .count();
        let cached = live * STEP_TOKENS;
        Lookup {
            cached: if cached < MINIMUM_TOKENS { 0 } else { cached },
            written: 0,
            writes: steps.into_iter().map(|link| (link, self.ttl)).collect(),
        }
    }

    /// Anthropic: from the last breakpoint to the first, the nearest earlier prefix that a
    /// breakpoint wrote; then a write at every breakpoint that is long enough.
    pub(super) fn breakpoints(&mut self, prompt: &Prompt, model: &str, now: Instant) -> Lookup {
        let prefixes = prompt.prefixes(model);
        let breakpoints: Vec<(usize, Duration)> = prefixes
            .iter()
            .enumerate()
            .filter_map(|(at, prefix)| Some((at, prefix.breakpoint?.of(self.ttl))))
            .collect();
        let cached = breakpoints.iter().rev().find_map(|&(at, ttl)| {
            let window = &prefixes[(at + 1).saturating_sub(LOOKBACK_BLOCKS)..=at];
            window
                .iter()
                .rev()
                .find(|prefix| self.renew(prefix.link, ttl, now))
        });
        let cached = cached.map_or(0, |prefix| prefix.tokens);
        let writes: Vec<_> = breakpoints
            .into_iter()
            .map(|(at, ttl)| (prefixes[at], ttl))
            .filter(|(prefix, _)| prefix.tokens >= MINIMUM_TOKENS)
            .collect();
        let through = writes.last().map_or(0, |(prefix, _)| prefix.tokens);
        Lookup {
            cached,
            written: through.saturating_sub(cached),
            writes: writes
                .into_iter()
                .map(|(prefix, ttl)| (prefix.link, ttl))
                .collect(),
        }
    }

    /// The first token was made: what was looked up is in the cache from now on.
    pub(super) fn write(&mut self, lookup: &Lookup, now: Instant) {
        for &(link, ttl) in &lookup.writes {
            let deadline = self.deadlines.entry(link).or_insert(now);
            *deadline = (*deadline).max(now + ttl);
        }
        if self.deadlines.len() > self.sweep_at {
            self.deadlines.retain(|_, deadline| now < *deadline);
            self.sweep_at = SWEEP_FROM.max(2 * self.deadlines.len());
        }
    }

    pub(super) fn clear(&mut self) {
        self.deadlines.clear();
    }

    /// Renews a live prefix; false if there is none.
    fn renew(&mut self, link: u64, ttl: Duration, now: Instant) -> bool {
        match self.deadlines.get_mut(&link) {
            Some(deadline) if now < *deadline => {
                *deadline = (*deadline).max(now + ttl);
                true
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::prompt::Lifetime;
    use super::*;

    const TTL: Duration = Duration::from_secs(300);

    fn prompt(blocks: &[(usize, Option<Lifetime>)]) -> Prompt {
        let mut prompt = Prompt::default();
        for (at, &(tokens, breakpoint)) in blocks.iter().enumerate() {
            prompt.block(&format!("{at:04}").repeat(tokens), breakpoint);
        }
        prompt
    }

    fn automatic(cache: &mut PromptCache, prompt: &Prompt, now: Instant) -> usize {
        let lookup = cache.automatic(prompt, "m", now);
        cache.write(&lookup, now);
        lookup.cached
    }

    fn at_breakpoints(cache: &mut PromptCache, prompt: &Prompt, now: Instant) -> (usize, usize) {
        let lookup = cache.breakpoints(prompt, "m", now);
        cache.write(&lookup, now);
        (lookup.cached, lookup.written)
    }

    #[test]
    fn automatic_cache_reads_whole_steps_of_the_common_prefix() {
        let (mut cache, now) = (PromptCache::new(TTL), Instant::now());
        assert_eq!(automatic(&mut cache, &prompt(&[(1500, None)]), now), 0);
        assert_eq!(
            automatic(&mut cache, &prompt(&[(1500, None), (400, None)]), now),
            1408
        );
        assert_eq!(
            automatic(&mut cache, &prompt(&[(1100, None), (900, None)]), now),
            1024
        );
    }

    #[test]
    fn automatic_cache_ignores_prompts_below_the_minimum() {
        let (mut cache, now) = (PromptCache::new(TTL), Instant::now());
        for _ in 0..2 {
            assert_eq!(automatic(&mut cache, &prompt(&[(1023, None)]), now), 0);
        }
        // A shorter common prefix does not count either.
        automatic(&mut cache, &prompt(&[(1000, None), (500, None)]), now);
        assert_eq!(
            automatic(
                &mut cache,
                &prompt(&[(1000, None), (0, None), (500, None)]),
                now
            ),
            0
        );
    }

    #[test]
    fn cached_prefix_lives_until_it_was_unused_for_the_ttl() {
        let (mut cache, start) = (PromptCache::new(TTL), Instant::now());
        let prompt = prompt(&[(1024, None)]);
        automatic(&mut cache, &prompt, start);
        assert_eq!(
            automatic(&mut cache, &prompt, start + TTL - Duration::from_secs(1)),
            1024
        );
        assert_eq!(
            automatic(&mut cache, &prompt, start + TTL + Duration::from_secs(1)),
            1024
        );
        assert_eq!(automatic(&mut cache, &prompt, start + 4 * TTL), 0);
    }

    #[test]
    fn lookup_alone_writes_nothing() {
        let (mut cache, now) = (PromptCache::new(TTL), Instant::now());
        let prompt = prompt(&[(2048, None)]);
        cache.automatic(&prompt, "m", now);
        assert_eq!(cache.automatic(&prompt, "m", now).cached, 0);
    }

    #[test]
    fn models_share_no_cache() {
        let (mut cache, now) = (PromptCache::new(TTL), Instant::now());
        let prompt = prompt(&[(2048, None)]);
        automatic(&mut cache, &prompt, now);
        assert_eq!(cache.automatic(&prompt, "other", now).cached, 0);
    }

    #[test]
    fn moving_breakpoint_reads_what_the_last_turn_wrote() {
        let (mut cache, now) = (PromptCache::new(TTL), Instant::now());
        let short = Some(Lifetime::Short);
        let first = prompt(&[(1200, short), (100, short)]);
        assert_eq!(at_breakpoints(&mut cache, &first, now), (0, 1300));
        let second = prompt(&[(1200, short), (100, None), (50, None), (80, short)]);
        assert_eq!(at_breakpoints(&mut cache, &second, now), (1300, 130));
    }

    #[test]
    fn breakpoint_below_the_minimum_writes_nothing() {
        let (mut cache, now) = (PromptCache::new(TTL), Instant::now());
        let prompt = prompt(&[(1000, Some(Lifetime::Short)), (500, None)]);
        assert_eq!(at_breakpoints(&mut cache, &prompt, now), (0, 0));
        assert_eq!(at_breakpoints(&mut cache, &prompt, now), (0, 0));
    }

    #[test]
    fn lookback_ends_after_twenty_blocks() {
        let (mut cache, now) = (PromptCache::new(TTL), Instant::now());
        let short = Some(Lifetime::Short);
        at_breakpoints(&mut cache, &prompt(&[(1200, short)]), now);
        let far = |blocks: usize| {
            let mut all = vec![(1200, None)];
            all.extend(std::iter::repeat_n((10, None), blocks - 1));
            all.push((10, short));
            prompt(&all)
        };
        assert_eq!(cache.breakpoints(&far(19), "m", now).cached, 1200);
        assert_eq!(cache.breakpoints(&far(20), "m", now).cached, 0);
    }

    #[test]
    fn one_hour_breakpoint_outlives_the_short_ttl() {
        let (mut cache, now) = (PromptCache::new(TTL), Instant::now());
        let prompt = prompt(&[(1200, Some(Lifetime::Hour))]);
        at_breakpoints(&mut cache, &prompt, now);
        assert_eq!(cache.breakpoints(&prompt, "m", now + 11 * TTL).cached, 1200);
    }
}
