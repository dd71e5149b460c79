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

fn chain<'a, 'b>(
    links: &'b mut Vec<u64>,
    entries: impl Iterator<Item = &'a [u8]>,
    hash: impl Fn(&[u8]) -> u64,
) -> &'b [u64] {
    links.clear();
    links.extend(entries.scan(0, |parent, entry| {
        *parent = join(*parent, hash(entry));
        Some(*parent)
    }));
    links
}

/// The crate `siphasher`, 1-3 rounds, with a fixed key.
#[derive(Clone, Debug)]
pub struct SipHash {
    hasher: SipHasher13,
    links: Vec<u64>,
}

impl ChainHash for SipHash {
    const NAME: &'static str = "siphasher 1-3";

    fn new() -> Self {
        Self {
            hasher: SipHasher13::new_with_keys(1, 2),
            links: Vec::new(),
        }
    }

    fn chain<'a>(&mut self, entries: impl Iterator<Item = &'a [u8]>) -> &[u64] {
        chain(&mut self.links, entries, |entry| self.hasher.hash(entry))
    }
}

/// ahash with fixed seeds. Its output changes with the build, so only one process can use it.
#[derive(Clone, Debug)]
pub struct AHash {
    state: ahash::RandomState,
    links: Vec<u64>,
}

impl ChainHash for AHash {
    const NAME: &'static str = "ahash";

    fn new() -> Self {
        Self {
            state: ahash::RandomState::with_seeds(1, 2, 3, 4),
            links: Vec::new(),
        }
    }

    fn chain<'a>(&mut self, entries: impl Iterator<Item = &'a [u8]>) -> &[u64] {
        chain(&mut self.links, entries, |entry| {
            let mut hasher = self.state.build_hasher();
            hasher.write(entry);
            hasher.finish()
        })
    }
}

/// XXH3-64 from `xxhash-rust`, which picks its SIMD when compiled.
#[cfg(feature = "peers")]
#[derive(Clone, Debug)]
pub struct Xxh3(Vec<u64>);

#[cfg(feature = "peers")]
impl ChainHash for Xxh3 {
    const NAME: &'static str = "xxh3 (xxhash-rust)";

    fn new() -> Self {
        Self(Vec::new())
    }

    fn chain<'a>(&mut self, entries: impl Iterator<Item = &'a [u8]>) -> &[u64] {
        chain(&mut self.0, entries, xxhash_rust::xxh3::xxh3_64)
    }
}

/// XXH3-64 from `twox-hash`, which picks its SIMD when run.
#[cfg(feature = "peers")]
#[derive(Clone, Debug)]
pub struct TwoxXxh3(Vec<u64>);

#[cfg(feature = "peers")]
impl ChainHash for TwoxXxh3 {
    const NAME: &'static str = "xxh3 (twox-hash)";

    fn new() -> Self {
        Self(Vec::new())
    }

    fn chain<'a>(&mut self, entries: impl Iterator<Item = &'a [u8]>) -> &[u64] {
        chain(&mut self.0, entries, twox_hash::XxHash3_64::oneshot)
    }
}

/// SHA-256 over the parent's digest and the entry, as gateways in Go do.
#[cfg(feature = "peers")]
#[derive(Clone, Debug)]
pub struct Sha256Chain(Vec<u64>);

#[cfg(feature = "peers")]
impl ChainHash for Sha256Chain {
    const NAME: &'static str = "SHA-256";

    fn new() -> Self {
        Self(Vec::new())
    }

    fn chain<'a>(&mut self, entries: impl Iterator<Item = &'a [u8]>) -> &[u64] {
        use sha2::{Digest, Sha256};
        let mut parent = [0u8; 32];
        self.0.clear();
        self.0.extend(entries.map(|entry| {
            parent = Sha256::new()
                .chain_update(parent)
                .chain_update(entry)
                .finalize()
                .into();
            let (first, _) = parent.split_first_chunk::<8>().expect("32 bytes");
            u64::from_le_bytes(*first)
        }));
        &self.0
    }
}
