//! How a compiled copy of the protocol is set up for a model, and what a model may ask of it.

use std::sync::Arc;

use crate::sync::{Cells, Places, Watch};

/// The shards' lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lock {
    /// loom's reader-writer lock. It orders reader after reader.
    Loom,
    /// The weakest correct reader-writer lock: a mutex per thread, a reader takes its own and a
    /// writer all.
    PerThread,
}

/// The fingerprint of each key that scenarios name.
pub(crate) const FINGERPRINTS: [u64; 5] = [0, 1, 2, 3, 4];

/// What the protocol puts in the place of fingerprint 0.
pub(crate) const ZERO: u64 = 0x9e37_79b9_7f4a_7c15;

/// The key in the map of the fingerprint at `index`.
pub(crate) fn map_key(index: usize) -> u64 {
    match FINGERPRINTS[index] {
        0 => ZERO,
        fingerprint => fingerprint,
    }
}

/// Every key that can turn up in the map; fingerprint 0 itself only by a fault.
pub(crate) fn map_keys() -> impl Iterator<Item = u64> {
    FINGERPRINTS.into_iter().chain([ZERO])
}

/// The index of the fingerprint that the map knows as `key`.
pub(crate) fn index_of(key: u64) -> usize {
    (0..FINGERPRINTS.len())
        .find(|&index| map_key(index) == key)
        .expect("the map holds only keys of the scenario")
}

/// Everything a copy is built from.
pub(crate) struct Setup {
    pub(crate) limit: u64,
    /// Nanoseconds.
    pub(crate) ttl: u64,
    /// Nanoseconds.
    pub(crate) renewal_step: u64,
    pub(crate) lock: Lock,
    pub(crate) threads: usize,
    pub(crate) multiplier: u64,
    pub(crate) cells: Cells,
    pub(crate) places: Places,
    pub(crate) watch: Arc<Watch>,
}

/// What a `remember` answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Wrote {
    Nothing,
    /// The channel that was bound before.
    Renewed(u32),
    Inserted,
}

/// Which memories a sweep is after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Doomed {
    /// `forget_channel`.
    Of(u32),
    /// `clear`.
    All,
    /// `purge`.
    Expired,
}

/// A memory in the map at rest.
pub(crate) struct Held {
    pub(crate) key: u64,
    pub(crate) number: u64,
    pub(crate) evicted: bool,
    /// How many of the times asked about it lives through.
    pub(crate) outlives: usize,
}

/// One compiled copy of the protocol, as the public table uses it. Times in nanoseconds.
pub(crate) trait Subject: Send + Sync {
    /// `witness` as in the protocol: told, under the lock, whether a current memory was there.
    fn remember(
        &self,
        fingerprint: u64,
        channel: u32,
        lifetime: Option<u64>,
        now: u64,
        witness: &mut dyn FnMut(bool),
    ) -> Wrote;

    /// The channel with the index of the link that hit, and how many links were looked at.
    fn recall(&self, chain: &[u64], now: u64, renew: bool) -> (Option<(u32, usize)>, usize);

    fn forget(&self, fingerprint: u64, now: u64) -> Option<u32>;

    /// The keys that the sweep told of.
    fn sweep(&self, doomed: Doomed, now: u64) -> Vec<u64>;

    fn len(&self) -> u64;

    /// The map, once all threads have been joined, and how its deadlines lie among `times`.
    fn at_rest(&self, times: &[u64]) -> Vec<Held>;
}
