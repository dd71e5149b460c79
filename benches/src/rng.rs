//! Random numbers with a fixed seed, and the Zipf distribution of session popularity.

/// A bijection on 64 bits whose output looks random (SplitMix64's finaliser, Steele et al. 2014).
pub fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// SplitMix64: a counter through [`mix`].
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// A generator whose whole output follows from `seed`.
    pub fn new(seed: u64) -> Self {
        Self(mix(seed))
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A uniform number below `n` (biased by less than 2⁻³² for `n` below 2³²).
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next_u64()) * n as u128) >> 64) as usize
    }

    /// A uniform number in `0.0..1.0`.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Ranks `0..n` drawn with probability proportional to `1 / (rank + 1)^exponent`.
#[derive(Debug)]
pub struct Zipf {
    /// Cumulative probabilities, one a rank.
    cumulative: Vec<f64>,
}

impl Zipf {
    /// A distribution over `n` ranks. Drawing costs a binary search: draw before timing.
    pub fn new(n: usize, exponent: f64) -> Self {
        let mut sum = 0.0;
        let mut cumulative: Vec<f64> = (1..=n)
            .map(|rank| {
                sum += (rank as f64).powf(-exponent);
                sum
            })
            .collect();
        cumulative.iter_mut().for_each(|c| *c /= sum);
        Self { cumulative }
    }

    /// A rank.
    pub fn draw(&self, rng: &mut Rng) -> usize {
        let u = rng.unit();
        self.cumulative
            .partition_point(|&c| c < u)
            .min(self.cumulative.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rank_gets_its_zipf_share() {
        let zipf = Zipf::new(1000, 0.99);
        let mut rng = Rng::new(1);
        let first = (0..100_000).filter(|_| zipf.draw(&mut rng) == 0).count();
        let share: f64 = 1.0 / (1..=1000).map(|r| f64::from(r).powf(-0.99)).sum::<f64>();
        assert!((first as f64 / 100_000.0 - share).abs() < 0.01);
    }
}
