//! The tables, one file each.

mod dashmap;
mod mutex;
mod none;
mod ours;

#[cfg(feature = "peers")]
mod cached;
#[cfg(feature = "peers")]
mod foyer;
#[cfg(feature = "peers")]
mod mini_moka;
#[cfg(feature = "peers")]
mod moka;
#[cfg(feature = "peers")]
mod papaya;
#[cfg(feature = "peers")]
mod quick_cache;
#[cfg(feature = "peers")]
mod scc;
#[cfg(feature = "peers")]
mod tinyufo;

pub use self::dashmap::{DashMapAlone, DashMapByHand};
pub use mutex::OneMutex;
pub use none::{ClockOnly, NoTable, SharedCounter};
pub use ours::{Ours, OursAt};

#[cfg(feature = "peers")]
pub use self::{
    cached::CachedLruTtl,
    foyer::FoyerFifo,
    mini_moka::MiniMoka,
    moka::{MokaDefault, MokaLru},
    papaya::PapayaByHand,
    quick_cache::QuickCache,
    scc::{SccHashCache, SccHashMap},
    tinyufo::TinyUfoCache,
};

use crate::peer::Visitor;

/// Visits ours, then every compiled peer.
pub fn visit(visitor: &mut impl Visitor) {
    visit_keepers(visitor);
    #[cfg(feature = "peers")]
    {
        visitor.visit::<SccHashCache>();
        visitor.visit::<FoyerFifo>();
        visitor.visit::<MokaDefault>();
        visitor.visit::<MiniMoka>();
        visitor.visit::<TinyUfoCache>();
    }
}

/// Visits ours and the peers worth filling with millions of memories: neither the caches that refuse
/// new fingerprints, nor two that rank behind their neighbours at every smaller size.
pub fn visit_keepers(visitor: &mut impl Visitor) {
    visitor.visit::<OursAt>();
    visitor.visit::<Ours>();
    visitor.visit::<DashMapAlone>();
    visitor.visit::<DashMapByHand>();
    visitor.visit::<OneMutex>();
    #[cfg(feature = "peers")]
    {
        visitor.visit::<SccHashMap>();
        visitor.visit::<PapayaByHand>();
        visitor.visit::<CachedLruTtl>();
        visitor.visit::<QuickCache>();
        visitor.visit::<MokaLru>();
    }
}

/// Visits the work's own cost: no table at all, a clock read per call, one shared cache line.
pub fn visit_floor(visitor: &mut impl Visitor) {
    visitor.visit::<NoTable>();
    visitor.visit::<ClockOnly>();
    visitor.visit::<SharedCounter>();
}
