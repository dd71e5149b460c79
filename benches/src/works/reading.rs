//! One body, read again and again: as a request's bytes it is in the second-level cache.

use std::hint::black_box;
use std::time::Duration;

use super::{Body, Course};
use crate::readers::BodyReader;
use crate::threads;

/// Readings of one body by one reader.
#[derive(Debug)]
pub struct Reading<R> {
    reader: R,
    body: String,
}

impl<R: BodyReader> Reading<R> {
    /// Reads once, so that buffers have their size.
    pub fn new(body: Body) -> Self {
        let (mut reader, body) = (R::new(), body.json());
        assert!(reader.read(body.as_bytes()) > 0, "{}", R::NAME);
        Self { reader, body }
    }
}

impl<R: BodyReader> Course for Reading<R> {
    fn run(&mut self, ops: u64) -> Duration {
        threads::alone(|| {
            for _ in 0..ops {
                black_box(self.reader.read(black_box(self.body.as_bytes())));
            }
        })
    }
}
