//! The models, over whichever copy of the file stands beside them.

use std::sync::Arc;

use loom::sync::atomic::{AtomicU64, Ordering};
use loom::thread;

use super::generations::Generations;

const FINGERPRINT: u64 = 3;

/// Generations, and a memory as weak as the table allows: whoever removes may see "absent", as
/// from the table's filter, and then takes no lock.
pub(crate) struct Shared {
    generations: Generations,
    /// 0 while there is none, else one more than the generation of the decision that wrote it.
    memory: AtomicU64,
}

impl Shared {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            generations: Generations::new(1),
            memory: AtomicU64::new(0),
        })
    }

    fn bind(&self, decided: u64) {
        self.generations.bind(
            decided,
            || self.generations.is_marked_since(FINGERPRINT, decided),
            || self.memory.store(1 + decided, Ordering::Release),
            || self.remove(),
        );
    }

    fn remove(&self) {
        if self.memory.load(Ordering::Acquire) != 0 {
            self.memory.store(0, Ordering::Release);
        }
    }

    /// As the router forgets a conversation.
    pub(crate) fn forget(&self) {
        self.generations.forget(
            |generation| self.generations.mark(FINGERPRINT, generation),
            || self.remove(),
        );
    }

    /// The fault: removes first.
    pub(crate) fn forget_backwards(&self) {
        self.generations
            .forget(|_| self.remove(), || self.generations.mark(FINGERPRINT, 1));
    }
}

/// A decision made before, bound meanwhile: nothing is left.
pub(crate) fn decided_before(forget: fn(&Shared)) {
    loom::model(move || {
        let shared = Shared::new();
        let decided = shared.generations.now();
        let binder = Arc::clone(&shared);
        let binder = thread::spawn(move || binder.bind(decided));
        forget(&shared);
        binder.join().unwrap();
        assert_eq!(shared.memory.load(Ordering::Relaxed), 0, "came back");
    });
}

/// A decision made meanwhile: what is left is of one made after the forgetting began.
pub(crate) fn decided_meanwhile(forget: fn(&Shared)) {
    loom::model(move || {
        let shared = Shared::new();
        let binder = Arc::clone(&shared);
        let binder = thread::spawn(move || binder.bind(binder.generations.now()));
        forget(&shared);
        binder.join().unwrap();
        let left = shared.memory.load(Ordering::Relaxed);
        assert_ne!(left, 1, "came back");
    });
}

/// Two forgettings, and a decision made before both. Three threads: bounded by preemptions.
pub(crate) fn forgotten_twice(forget: fn(&Shared)) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(move || {
        let shared = Shared::new();
        let decided = shared.generations.now();
        let (binder, other) = (Arc::clone(&shared), Arc::clone(&shared));
        let binder = thread::spawn(move || binder.bind(decided));
        let other = thread::spawn(move || forget(&other));
        forget(&shared);
        binder.join().unwrap();
        other.join().unwrap();
        assert_eq!(shared.memory.load(Ordering::Relaxed), 0, "came back");
    });
}
