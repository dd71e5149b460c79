//! How long a memory lives after its last use, in four bytes.
//!
//! Four, because a memory with a `u32` channel then takes 24 bytes and its place in the map 32.

/// A lifetime as a memory keeps it: the table's own, or one given with the memory, to the
/// millisecond below 24 days and to the second above, rounded up so that it is never cut short.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lifetime(u32);

/// Set in a code that counts seconds.
const SECONDS: u32 = 1 << 31;
const NANOS_PER_MILLI: u64 = 1_000_000;
const NANOS_PER_SECOND: u64 = 1_000_000_000;

impl Lifetime {
    /// The table's ttl, whatever it is, exactly.
    pub(crate) const TABLE: Lifetime = Lifetime(u32::MAX);

    /// 68 years and more: as good as for ever.
    const LONGEST: Lifetime = Lifetime(u32::MAX - 1);

    /// `nanos` rounded up to what four bytes can say.
    pub(crate) fn from_nanos(nanos: u64) -> Self {
        let millis = nanos.div_ceil(NANOS_PER_MILLI);
        if millis < u64::from(SECONDS) {
            return Lifetime(millis as u32);
        }
        let seconds = nanos.div_ceil(NANOS_PER_SECOND);
        if seconds < u64::from(Self::LONGEST.0 - SECONDS) {
            return Lifetime(SECONDS | seconds as u32);
        }
        Self::LONGEST
    }

    /// The lifetime in nanoseconds, in a table whose own is `table_ttl`.
    #[inline]
    pub(crate) fn nanos(self, table_ttl: u64) -> u64 {
        match self {
            Self::TABLE => table_ttl,
            Self::LONGEST => u64::MAX,
            Lifetime(code) if code & SECONDS == 0 => u64::from(code) * NANOS_PER_MILLI,
            Lifetime(code) => u64::from(code & !SECONDS) * NANOS_PER_SECOND,
        }
    }
}
