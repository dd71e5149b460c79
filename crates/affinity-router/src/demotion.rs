//! Which channels go behind the others, and how.

use affinity_hash::BoundedLoad;
use smallvec::SmallVec;

use crate::channels::{Channels, INLINE, Order};

/// Why a channel went behind the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Demoted {
    /// It was told to cool down, and neither time nor a success has lifted that.
    Cooling,
    /// It has more requests in flight than its share.
    OverLoad,
}

/// The verdict on each channel, by position.
type Verdicts = SmallVec<[Option<Demoted>; INLINE]>;

/// Judges all channels at one time. Reads each channel's counters once; does not allocate for
/// [`INLINE`] channels.
fn judge(channels: &Channels, now: u64, bound: Option<BoundedLoad>) -> Verdicts {
    let mut verdicts: Verdicts = channels
        .iter()
        .map(|channel| {
            if channel.state.is_cooling(now) {
                Some(Demoted::Cooling)
            } else if channel.state.load() >= channel.max_in_flight {
                Some(Demoted::OverLoad)
            } else {
                None
            }
        })
        .collect();
    if let Some(bound) = bound {
        // A cooling channel takes no share, so the others' shares grow by what it would carry.
        let working = || channels.iter().filter(|c| !c.state.is_cooling(now));
        let in_flight: u64 = working().map(|c| u64::from(c.state.load())).sum();
        let weights: u64 = working().map(|c| u64::from(c.weight)).sum();
        for (channel, verdict) in channels.iter().zip(&mut verdicts) {
            let load = channel.state.load();
            // The floor first: most channels are below it, and a cap costs a wide division.
            let over = || u64::from(load) >= bound.cap(in_flight, channel.weight, weights);
            if verdict.is_none() && load >= bound.floor && over() {
                *verdict = Some(Demoted::OverLoad);
            }
        }
    }
    verdicts
}

/// Moves demoted channels behind the others; both groups keep their order. When all are demoted
/// the order stays as it was. Returns the verdict on the channel that was first.
pub(crate) fn demote(
    order: &mut Order,
    channels: &Channels,
    now: u64,
    bound: Option<BoundedLoad>,
) -> Option<Demoted> {
    let verdicts = judge(channels, now, bound);
    let first = order.first().and_then(|&first| verdicts[first]);
    if verdicts.iter().any(Option::is_some) {
        let behind: Order = order
            .iter()
            .copied()
            .filter(|&position| verdicts[position].is_some())
            .collect();
        order.retain(|position| verdicts[*position].is_none());
        order.extend(behind);
    }
    first
}
