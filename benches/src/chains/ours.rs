//! Our chain, public and keyed.

use affinity_hash::{ChainBuilder, Key, Scope};

use super::ChainHash;

/// Anyone can compute it.
#[derive(Clone, Debug)]
pub struct Public(ChainBuilder);

impl ChainHash for Public {
    const NAME: &'static str = "affinity public";

    fn new() -> Self {
        Self(ChainBuilder::new())
    }

    fn chain<'a>(&mut self, entries: impl Iterator<Item = &'a [u8]>) -> &[u64] {
        links(&mut self.0, entries)
    }
}

/// Only who has the key can compute it.
#[derive(Clone, Debug)]
pub struct Keyed(ChainBuilder);

impl ChainHash for Keyed {
    const NAME: &'static str = "affinity keyed";

    fn new() -> Self {
        Self(ChainBuilder::with_scope(Scope::keyed(&Key::new(
            *b"sixteen byte key",
        ))))
    }

    fn chain<'a>(&mut self, entries: impl Iterator<Item = &'a [u8]>) -> &[u64] {
        links(&mut self.0, entries)
    }
}

fn links<'a, 'b>(
    builder: &'b mut ChainBuilder,
    entries: impl Iterator<Item = &'a [u8]>,
) -> &'b [u64] {
    builder.clear();
    entries.for_each(|entry| {
        builder.push(entry);
    });
    builder.links()
}
