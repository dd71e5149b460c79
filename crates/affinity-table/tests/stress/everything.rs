//! Every call there is, on a few skewed fingerprints that all threads share, while a mocked clock
//! moves; and beside it a diary of each thread's own, which nobody may touch before its time.

use std::sync::Arc;
use std::time::Duration;

use affinity_table::{Change, Table};
use quanta::{Clock, Mock};
use rand::RngExt;
use rand::rngs::SmallRng;
use rand_distr::{Distribution, Zipf};

use crate::counted::{Counted, Population};
use crate::promise::{Due, Insertions, Made};
use crate::round::{Round, Seen};

const CALLS: u64 = 400;
const TTL: Duration = Duration::from_millis(10);
/// Accounts of the shared fingerprints. A thread's diary is on an account of its own above these.
const ACCOUNTS: u64 = 3;
const FEED: usize = 4;
/// What a thread may hold besides the one memory that the protocol allows each inserting call: the
/// feed's copy, the memory replaced, and two that were taken out.
const IN_HAND: u64 = 4;

struct Stage<'a> {
    round: &'a Round,
    table: Table<Counted>,
    population: Population,
    insertions: Insertions,
    mock: Arc<Mock>,
    shared_keys: u64,
}

pub(crate) fn play(round: &Round) -> Seen {
    let (clock, mock) = Clock::mock();
    let fed = round.seed.is_multiple_of(2);
    let mut builder = Table::builder()
        .limit(round.limit)
        .ttl(TTL)
        .clock(clock)
        .shards(round.shards);
    if fed {
        builder = builder.feed(FEED);
    }
    let stage = Stage {
        round,
        table: builder.build(),
        population: Population::default(),
        insertions: Insertions::default(),
        mock,
        shared_keys: 2 * round.limit as u64,
    };

    let mut beyond = 0;
    let (promises, samples) = round.race(
        |thread| stage.write(thread),
        || beyond = beyond.max(stage.sample()),
    );
    stage.at_rest();
    Seen {
        calls: 2 * CALLS * round.threads as u64,
        promises: promises.iter().sum(),
        samples,
        beyond,
    }
}

impl Stage<'_> {
    /// One thread's calls. Returns how many of its looks into its diary had to hit.
    fn write(&self, thread: usize) -> u64 {
        let mut rng = self.round.rng(thread);
        let skewed = Zipf::new(self.shared_keys as f64, 1.1).expect("valid parameters");
        let mut diary: Option<(u64, Made)> = None;
        let mut promises = 0;
        for call in 0..CALLS {
            self.call(&mut rng, &skewed);
            let Some((page, made)) = diary else {
                diary = Some(self.note(thread, call));
                continue;
            };
            // The shared calls may insert, or not: only a hit can be demanded.
            let (found, due) = self.insertions.judge(made, self.round.limit, || {
                self.table
                    .recall(&[page])
                    .map(|channel| channel.fingerprint)
            });
            if due == Due::Hit {
                assert_eq!(found, Some(page), "lost before its time");
                promises += 1;
            }
            if found.is_none() {
                diary = Some(self.note(thread, call));
            }
        }
        promises
    }

    /// A new page of a thread's diary, which lives until it is evicted.
    fn note(&self, thread: usize, call: u64) -> (u64, Made) {
        let page = ((thread as u64 + 1) << 32) | call;
        let channel = self.population.channel(page, ACCOUNTS + thread as u64);
        let made = self
            .insertions
            .make(|| self.table.remember_for(&[page], channel, Duration::MAX));
        (page, made)
    }

    fn call(&self, rng: &mut SmallRng, skewed: &Zipf<f64>) {
        let table = &self.table;
        let key = skewed.sample(rng) as u64;
        let longer = [skewed.sample(rng) as u64, key];
        let channel = self.population.channel(key, rng.random_range(0..ACCOUNTS));
        match rng.random_range(0..100) {
            0..40 => {
                self.insertions.make(|| table.remember(&[key], channel));
            }
            40..45 => {
                let ttl = 3 * TTL;
                self.insertions
                    .make(|| table.remember_for(&[key], channel, ttl));
            }
            45..75 => {
                if let Some(found) = table.lookup(&longer) {
                    assert_eq!(found.channel.fingerprint, longer[found.link]);
                }
            }
            75..80 => {
                let found = table.peek(&[key]);
                assert!(found.is_none_or(|found| found.fingerprint == key));
            }
            80..92 => {
                let forgotten = table.forget(&[key]);
                assert!(forgotten.is_none_or(|forgotten| forgotten.fingerprint == key));
            }
            92..95 => {
                table.forget_channel(&channel);
            }
            95..97 => {
                table.purge();
            }
            _ => self.mock.increment(TTL / 7),
        }
    }

    /// As [`Round::beyond`]; the feed's copies count as in a hand.
    fn sample(&self) -> u64 {
        assert!(self.table.len() <= self.round.limit, "len above the limit");
        let fed = if self.table.feed().is_some() { FEED } else { 0 };
        let alive = self.population.count().saturating_sub(fed as u64);
        let beyond = self.round.beyond(alive, IN_HAND);
        // Takes turns with the writers at the feed's other end.
        if let Some(Change::Remembered {
            fingerprint,
            channel,
            ..
        }) = self.table.feed().and_then(|feed| feed.pop())
        {
            assert_eq!(channel.fingerprint, fingerprint);
        }
        beyond
    }

    fn at_rest(&self) {
        let table = &self.table;
        let limit = self.round.limit;
        if let Some(feed) = table.feed() {
            while feed.pop().is_some() {}
        }
        assert_eq!(self.population.count(), table.len() as u64);

        table.purge();
        let pages = (1..=self.round.threads as u64)
            .flat_map(|thread| (0..CALLS).map(move |call| (thread << 32) | call));
        let current = (1..=self.shared_keys)
            .chain(pages)
            .filter(|&key| table.peek(&[key]).is_some())
            .count();
        assert_eq!(
            table.len(),
            current,
            "after a purge `len` counts the living"
        );
        assert_eq!(self.population.count(), current as u64);

        // The log goes on as if nothing had been: `limit` insertions evict all that is left.
        for fresh in 1..=limit as u64 {
            let channel = self.population.channel(u64::MAX - fresh, 0);
            table.remember(&[u64::MAX - fresh], channel);
        }
        if let Some(feed) = table.feed() {
            while feed.pop().is_some() {}
        }
        assert_eq!(table.len(), limit);
        assert_eq!(
            self.population.count(),
            limit as u64,
            "something evicted was left behind"
        );
        let found = |fresh: &u64| table.peek(&[u64::MAX - fresh]).is_some();
        assert_eq!((1..=limit as u64).filter(found).count(), limit);

        table.clear();
        if let Some(feed) = table.feed() {
            while feed.pop().is_some() {}
        }
        assert_eq!((table.len(), self.population.count()), (0, 0));
    }
}
