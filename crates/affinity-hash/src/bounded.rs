//! Bounded load: a candidate with too much in flight goes behind the others.

/// How far above its fair share of the requests in flight a candidate may be before it goes behind
/// (Mirrokni, Thorup and Zadimoghaddam, "Consistent Hashing with Bounded Loads").
///
/// A walk over an order, not another hash: affinity holds until the cap is reached. For prompt
/// caches, where a miss costs a whole prefill, 150 to 200 percent serve well. Every replica sees
/// only its own requests in flight; without a floor many small replicas each spill their own noise.
///
/// ```
/// use affinity_hash::BoundedLoad;
///
/// let bound = BoundedLoad { factor_percent: 150, floor: 2 };
/// let mut order = [2, 0, 1];
/// bound.apply(&mut order, &[1, 1, 7], None); // cap: 1.5 · (9 + 1) / 3 = 5
/// assert_eq!(order, [0, 1, 2]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundedLoad {
    /// The cap in percent of the fair share: 150 is one and a half times. Below 100 not all
    /// requests have room, and candidates go behind although there is no better one.
    pub factor_percent: u32,
    /// Requests in flight that a candidate may always have.
    pub floor: u32,
}

impl Default for BoundedLoad {
    /// One and a half times the fair share, and always four.
    fn default() -> Self {
        Self {
            factor_percent: 150,
            floor: 4,
        }
    }
}

impl BoundedLoad {
    /// How many requests a candidate may have in flight, with the new one:
    /// `max(floor, ceil(factor · (in_flight + 1) · weight / total_weight))`.
    ///
    /// `in_flight` are those of all candidates, without the new one. The floor if there is no
    /// weight at all; `u64::MAX` if the cap is larger.
    ///
    /// ```
    /// let bound = affinity_hash::BoundedLoad { factor_percent: 125, floor: 1 };
    /// assert_eq!(bound.cap(7, 1, 4), 3); // 1.25 · 8 / 4 = 2.5
    /// ```
    #[must_use]
    pub fn cap(&self, in_flight: u64, weight: u32, total_weight: u64) -> u64 {
        let floor = u64::from(self.floor);
        if total_weight == 0 {
            return floor;
        }
        let share = self.capacity(in_flight) * u128::from(weight);
        let cap = share.div_ceil(100 * u128::from(total_weight));
        u64::try_from(cap).unwrap_or(u64::MAX).max(floor)
    }

    /// Moves the candidates at their cap behind the others; both keep their order.
    ///
    /// `order` holds indices into `in_flight` (requests in flight) and `weights` (`None`: all
    /// alike). Fair shares are taken over the candidates in `order`. A candidate that
    /// `in_flight` does not reach has nothing in flight, one that `weights` does not reach has
    /// weight 0. If all or none are at their cap the order stays as it is. Does not allocate.
    pub fn apply(&self, order: &mut [usize], in_flight: &[u32], weights: Option<&[u32]>) {
        let load = |i: usize| in_flight.get(i).copied().unwrap_or(0);
        let weight = |i: usize| weights.map_or(1, |all| all.get(i).copied().unwrap_or(0));
        let total_in_flight: u64 = order.iter().map(|&i| u64::from(load(i))).sum();
        let total_weight: u128 = order.iter().map(|&i| u128::from(weight(i))).sum();
        let capacity = self.capacity(total_in_flight);
        // `load < ceil(capacity · weight / (100 · total))`, without the division.
        let has_room = |i: usize| {
            load(i) < self.floor
                || u128::from(load(i)) * 100 * total_weight < capacity * u128::from(weight(i))
        };
        partition(order, &has_room);
    }

    /// Percent times requests.
    fn capacity(&self, in_flight: u64) -> u128 {
        u128::from(self.factor_percent) * (u128::from(in_flight) + 1)
    }
}

/// Stable partition in place: those that satisfy `first` before the others. Returns how many.
fn partition(items: &mut [usize], first: &impl Fn(usize) -> bool) -> usize {
    match items {
        [] => 0,
        [item] => usize::from(first(*item)),
        _ => {
            let middle = items.len() / 2;
            let (left, right) = items.split_at_mut(middle);
            let (left, right) = (partition(left, first), partition(right, first));
            items[left..middle + right].rotate_left(middle - left);
            left + right
        }
    }
}
