//! All that the protocol takes from the outside: shards behind closures, and atomics.
//!
//! `protocol.rs`, `ring.rs` and `filter.rs` import this module and `core`, nothing else. The model
//! checker compiles those very files over a `sync` of its own.

use ahash::RandomState;
use dashmap::DashMap;
use dashmap::mapref::entry::Entry;

use crate::foresee::Foreseen;
pub(crate) use crate::places::Places;
pub(crate) use crossbeam_utils::CachePadded as Padded;
pub(crate) use std::sync::atomic::{AtomicI64, AtomicU16, AtomicU64, Ordering};

/// The count of insertions.
pub(crate) type Count = Foreseen<AtomicU64>;

/// The filter's counters.
pub(crate) type Cells = Box<[AtomicU16]>;

/// The map: fingerprint to memory, each shard behind a reader-writer lock.
///
/// Closures run under a shard's lock. They must not call the map again.
pub(crate) struct Shards<M> {
    map: DashMap<u64, M, RandomState>,
}

impl<M> Shards<M> {
    /// `shards` must be a power of two above 1. The hasher is seeded at random, so that nobody can
    /// aim at a shard.
    pub(crate) fn new(shards: usize) -> Self {
        Shards {
            map: DashMap::with_hasher_and_shard_amount(RandomState::new(), shards),
        }
    }

    /// Runs `f` on the memory under `key`, if there is one, under its shard's shared lock.
    #[inline]
    pub(crate) fn read<R>(&self, key: u64, f: impl FnOnce(&M) -> Option<R>) -> Option<R> {
        self.map.get(&key).and_then(|memory| f(&memory))
    }

    /// Runs `f` on the slot of `key` under its shard's exclusive lock. What `f` returns first fills a
    /// vacant slot; an occupied one it changes through the reference.
    pub(crate) fn upsert<R>(
        &self,
        key: u64,
        f: impl FnOnce(Option<&mut M>) -> (Option<M>, R),
    ) -> R {
        match self.map.entry(key) {
            Entry::Occupied(mut slot) => f(Some(slot.get_mut())).1,
            Entry::Vacant(slot) => {
                let (memory, result) = f(None);
                if let Some(memory) = memory {
                    slot.insert(memory);
                }
                result
            }
        }
    }

    /// Removes the memory under `key` if `judge` says so, deciding and acting under one exclusive
    /// lock.
    pub(crate) fn remove_if(&self, key: u64, judge: impl FnOnce(&M) -> bool) -> Option<M> {
        self.map
            .remove_if(&key, |_, memory| judge(memory))
            .map(|(_, memory)| memory)
    }

    /// The keys of all memories that `chosen` applies to, one shared lock after the other.
    pub(crate) fn keys_where(&self, chosen: impl Fn(&M) -> bool) -> Vec<u64> {
        self.map
            .iter()
            .filter(|entry| chosen(entry.value()))
            .map(|entry| *entry.key())
            .collect()
    }
}

/// `count` zeroed counters; pages that no counter of theirs was raised in take no memory.
pub(crate) fn zeroed_cells(count: usize) -> Cells {
    bytemuck::zeroed_slice_box(count)
}

/// A random odd number for the filter, different in every table.
pub(crate) fn random_odd() -> u64 {
    RandomState::new().hash_one(0_u64) | 1
}
