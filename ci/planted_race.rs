//! A data race: two threads add to one plain number. ThreadSanitizer must report it, or its silence
//! about the table means nothing. Compiled by `tsan.sh` alone, outside the workspace.

use std::cell::UnsafeCell;
use std::sync::Arc;
use std::thread;

struct Racy(UnsafeCell<u64>);

// SAFETY: none. It is the fault that has to be found.
unsafe impl Sync for Racy {}

impl Racy {
    fn add_one(&self) {
        // SAFETY: none either.
        unsafe { *self.0.get() += 1 }
    }
}

fn main() {
    let number = Arc::new(Racy(UnsafeCell::new(0)));
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let number = Arc::clone(&number);
            thread::spawn(move || (0..1_000).for_each(|_| number.add_one()))
        })
        .collect();
    for thread in threads {
        thread.join().expect("a racing thread");
    }
}
