//! Chains around a hash crate: each entry's hash, joined to the parent by one multiply.

use std::hash::{BuildHasher, Hasher};

use siphasher::sip::SipHasher13;

use super::ChainHash;

/// The parent's link and an entry's hash in one.
fn join(parent: u64, hash: u64) -> u64 {
    (parent ^ hash)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .rotate_left(29)
}

fn chain<'a>(
    entries: impl Iterator<Item = &'a [u8]>,
    links: &mut Vec<u64>,
    hash: impl Fn(&[u8]) -> u64,
) {
    links.clear();
    links.extend(entries.scan(0, |parent, entry| {
        *parent = join(*parent, hash(entry));
        Some(*parent)
    }));
}

/// The crate `siphasher`, 1-3 rounds, with a fixed key.
#[derive(Clone, Debug)]
pub struct SipHash(SipHasher13);

impl ChainHash for SipHash {
    const NAME: &'static str = "siphasher 1-3";

    fn new() -> Self {
        Self(SipHasher13::new_with_keys(1, 2))
    }

    fn chain<'a>(&mut self, entries: impl Iterator<Item = &'a [u8]>, links: &mut Vec<u64>) {
        chain(entries, links, |entry| self.0.hash(entry));
    }
}

/// ahash with fixed seeds. Its output changes with the build, so only one process can use it.
#[derive(Clone, Debug)]
pub struct AHash(ahash::RandomState);

impl ChainHash for AHash {
    const NAME: &'static str = "ahash";

    fn new() -> Self {
        Self(ahash::RandomState::with_seeds(1, 2, 3, 4))
    }

    fn chain<'a>(&mut self, entries: impl Iterator<Item = &'a [u8]>, links: &mut Vec<u64>) {
        chain(entries, links, |entry| {
            let mut hasher = self.0.build_hasher();
            hasher.write(entry);
            hasher.finish()
        });
    }
}

/// XXH3-64 from `xxhash-rust`, which picks its SIMD when compiled.
#[cfg(feature = "peers")]
#[derive(Clone, Copy, Debug)]
pub struct Xxh3;

#[cfg(feature = "peers")]
impl ChainHash for Xxh3 {
    const NAME: &'static str = "xxh3 (xxhash-rust)";

    fn new() -> Self {
        Self
    }

    fn chain<'a>(&mut self, entries: impl Iterator<Item = &'a [u8]>, links: &mut Vec<u64>) {
        chain(entries, links, xxhash_rust::xxh3::xxh3_64);
    }
}

/// XXH3-64 from `twox-hash`, which picks its SIMD when run.
#[cfg(feature = "peers")]
#[derive(Clone, Copy, Debug)]
pub struct TwoxXxh3;

#[cfg(feature = "peers")]
impl ChainHash for TwoxXxh3 {
    const NAME: &'static str = "xxh3 (twox-hash)";

    fn new() -> Self {
        Self
    }

    fn chain<'a>(&mut self, entries: impl Iterator<Item = &'a [u8]>, links: &mut Vec<u64>) {
        chain(entries, links, twox_hash::XxHash3_64::oneshot);
    }
}

/// SHA-256 over the parent's digest and the entry, as gateways in Go do.
#[cfg(feature = "peers")]
#[derive(Clone, Copy, Debug)]
pub struct Sha256Chain;

#[cfg(feature = "peers")]
impl ChainHash for Sha256Chain {
    const NAME: &'static str = "SHA-256";

    fn new() -> Self {
        Self
    }

    fn chain<'a>(&mut self, entries: impl Iterator<Item = &'a [u8]>, links: &mut Vec<u64>) {
        use sha2::{Digest, Sha256};
        let mut parent = [0u8; 32];
        links.clear();
        links.extend(entries.map(|entry| {
            parent = Sha256::new()
                .chain_update(parent)
                .chain_update(entry)
                .finalize()
                .into();
            let (first, _) = parent.split_first_chunk::<8>().expect("32 bytes");
            u64::from_le_bytes(*first)
        }));
    }
}
