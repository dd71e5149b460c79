//! Random draws with one fixed generator, so that a seed means the same traffic everywhere.

use std::time::Duration;

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, Exp1, StandardNormal};

/// A seeded source of draws (ChaCha8, whose output is specified).
#[derive(Debug)]
pub(crate) struct Draws(ChaCha8Rng);

impl Draws {
    /// The draws of `seed`.
    pub(crate) fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// A number below `n`, each as likely; 0 when `n` is 0.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { self.0.random_range(0..n) }
    }

    /// Whether something of this probability happens.
    pub(crate) fn happens(&mut self, probability: f64) -> bool {
        self.0.random::<f64>() < probability
    }

    /// A time within `span`, each as likely.
    pub(crate) fn within(&mut self, span: Duration) -> Duration {
        span.mul_f64(self.0.random())
    }

    /// Time to the next arrival of a Poisson process with this mean gap.
    pub(crate) fn gap(&mut self, mean: Duration) -> Duration {
        let scale: f64 = Exp1.sample(&mut self.0);
        mean.mul_f64(scale)
    }

    /// A lognormal draw: half are below `median`; sigma is that of the logarithm.
    pub(crate) fn log_normal(&mut self, median: f64, sigma: f64) -> f64 {
        let deviation: f64 = StandardNormal.sample(&mut self.0);
        median * (sigma * deviation).exp()
    }

    /// A lognormal time.
    pub(crate) fn wait(&mut self, median: Duration, sigma: f64) -> Duration {
        Duration::from_secs_f64(self.log_normal(median.as_secs_f64(), sigma))
    }
}
