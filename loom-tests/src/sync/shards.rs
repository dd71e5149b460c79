//! The map behind closures, over loom's locks: one shard, and one lock, per key.
//!
//! Keys that share a shard would only be ordered more.

use std::sync::{Arc, RwLock};

use super::{Watch, seat};
use crate::setup::Lock;

/// What the protocol holds, and a second handle on it for the checks at rest.
pub(crate) struct Shards<M>(Arc<Map<M>>);

struct Map<M> {
    slots: Box<[Slot<M>]>,
    watch: Arc<Watch>,
}

struct Slot<M> {
    key: u64,
    lock: ShardLock,
    /// Never contended, since `lock` is held: a failing `try_*` would be a fault of the lock.
    memory: RwLock<Option<M>>,
}

enum ShardLock {
    Loom(loom::sync::RwLock<()>),
    /// One mutex per thread: a reader takes its own, a writer all. Readers never order each other,
    /// which every correct reader-writer lock allows and loom's does not show.
    PerThread(Box<[loom::sync::Mutex<()>]>),
}

impl ShardLock {
    fn new(lock: Lock, threads: usize) -> Self {
        match lock {
            Lock::Loom => ShardLock::Loom(loom::sync::RwLock::new(())),
            Lock::PerThread => {
                ShardLock::PerThread((0..threads).map(|_| loom::sync::Mutex::new(())).collect())
            }
        }
    }

    fn shared(&self) -> Held<'_> {
        let guard = match self {
            ShardLock::Loom(lock) => Guard::Shared(lock.read().expect(POISONS_NOTHING)),
            ShardLock::PerThread(mutexes) => {
                let own = &mutexes[seat::seat()];
                Guard::PerThread(vec![own.lock().expect(POISONS_NOTHING)])
            }
        };
        Held::enter(guard)
    }

    fn exclusive(&self) -> Held<'_> {
        let guard = match self {
            ShardLock::Loom(lock) => Guard::Exclusive(lock.write().expect(POISONS_NOTHING)),
            ShardLock::PerThread(mutexes) => {
                let all = mutexes.iter();
                Guard::PerThread(all.map(|own| own.lock().expect(POISONS_NOTHING)).collect())
            }
        };
        Held::enter(guard)
    }
}

const POISONS_NOTHING: &str = "loom's locks poison nothing";

/// A lock for as long as it is held. Not generic, so that many copies of the protocol cost little to
/// compile.
struct Held<'l> {
    _guard: Guard<'l>,
}

// Never read: to hold one is all.
#[allow(dead_code)]
enum Guard<'l> {
    Shared(loom::sync::RwLockReadGuard<'l, ()>),
    Exclusive(loom::sync::RwLockWriteGuard<'l, ()>),
    PerThread(Vec<loom::sync::MutexGuard<'l, ()>>),
}

impl<'l> Held<'l> {
    fn enter(guard: Guard<'l>) -> Self {
        seat::set_inside(true);
        Held { _guard: guard }
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        seat::set_inside(false);
    }
}

impl<M> Clone for Shards<M> {
    fn clone(&self) -> Self {
        Shards(Arc::clone(&self.0))
    }
}

impl<M> Shards<M> {
    /// A map that can hold the given keys and no other.
    pub(crate) fn new(
        keys: impl Iterator<Item = u64>,
        lock: Lock,
        threads: usize,
        watch: Arc<Watch>,
    ) -> Self {
        let slots = keys
            .map(|key| Slot {
                key,
                lock: ShardLock::new(lock, threads),
                memory: RwLock::new(None),
            })
            .collect();
        Shards(Arc::new(Map { slots, watch }))
    }

    fn slot(&self, key: u64) -> &Slot<M> {
        seat::assert_outside();
        let slot = self.0.slots.iter().find(|slot| slot.key == key);
        slot.expect("the map has a slot for every key")
    }

    pub(crate) fn read<R>(&self, key: u64, f: impl FnOnce(&M) -> Option<R>) -> Option<R> {
        let slot = self.slot(key);
        let _held = slot.lock.shared();
        let memory = slot.memory.try_read().expect("no writer beside a reader");
        memory.as_ref().and_then(f)
    }

    pub(crate) fn upsert<R>(
        &self,
        key: u64,
        f: impl FnOnce(Option<&mut M>) -> (Option<M>, R),
    ) -> R {
        let slot = self.slot(key);
        let _held = slot.lock.exclusive();
        let mut memory = slot.memory.try_write().expect("one writer at a time");
        let (entering, result) = f(memory.as_mut());
        if let (None, Some(entering)) = (memory.as_ref(), entering) {
            *memory = Some(entering);
            self.0.watch.entered(key);
        }
        result
    }

    pub(crate) fn remove_if(&self, key: u64, judge: impl FnOnce(&M) -> bool) -> Option<M> {
        let slot = self.slot(key);
        let _held = slot.lock.exclusive();
        let mut memory = slot.memory.try_write().expect("one writer at a time");
        if !memory.as_ref().is_some_and(judge) {
            return None;
        }
        self.0.watch.leaving(key);
        memory.take()
    }

    pub(crate) fn keys_where(&self, chosen: impl Fn(&M) -> bool) -> Vec<u64> {
        self.0
            .slots
            .iter()
            .filter(|slot| {
                self.read(slot.key, |memory| chosen(memory).then_some(()))
                    .is_some()
            })
            .map(|slot| slot.key)
            .collect()
    }

    /// Visits every memory, once all threads have been joined.
    pub(crate) fn at_rest(&self, mut visit: impl FnMut(u64, &M)) {
        for slot in &self.0.slots {
            let memory = slot
                .memory
                .try_read()
                .expect("all threads have been joined");
            if let Some(memory) = memory.as_ref() {
                visit(slot.key, memory);
            }
        }
    }
}
