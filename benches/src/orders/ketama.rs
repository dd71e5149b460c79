//! The crate `pingora-ketama`: nginx's ring, 160 points a node.

use std::cell::RefCell;
use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};

use pingora_ketama::{Bucket, Continuum};

use super::Order;

/// The ring takes socket addresses, not names: candidate `i` is address `i`.
pub struct Ketama {
    ring: Continuum,
    identities: Vec<String>,
    /// Which candidates the walk has met.
    met: RefCell<Vec<bool>>,
}

impl fmt::Debug for Ketama {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ketama")
            .field("len", &self.identities.len())
            .finish_non_exhaustive()
    }
}

impl Ketama {
    /// The first `n` different candidates on the ring after the key.
    fn walk(&self, key: &str, n: usize, out: &mut Vec<usize>) {
        let mut met = self.met.borrow_mut();
        met.fill(false);
        out.clear();
        for address in self.ring.node_iter(key.as_bytes()) {
            let index = index(address);
            if !std::mem::replace(&mut met[index], true) {
                out.push(index);
                if out.len() == n {
                    return;
                }
            }
        }
    }
}

impl Order for Ketama {
    const NAME: &'static str = "pingora-ketama";
    const WEIGHTED: bool = true;

    fn new(identities: &[String], weights: &[u32]) -> Self {
        let buckets: Vec<_> = weights
            .iter()
            .enumerate()
            .map(|(index, &weight)| Bucket::new(address(index), weight))
            .collect();
        let met = RefCell::new(vec![false; identities.len()]);
        Self {
            ring: Continuum::new(&buckets),
            identities: identities.to_vec(),
            met,
        }
    }

    fn pick(&self, key: &str) -> &str {
        &self.identities[index(
            &self
                .ring
                .node(key.as_bytes())
                .expect("there are candidates"),
        )]
    }

    fn first3(&self, key: &str, out: &mut Vec<usize>) {
        self.walk(key, self.identities.len().min(3), out);
    }

    fn order(&self, key: &str, out: &mut Vec<usize>) {
        self.walk(key, self.identities.len(), out);
    }
}

fn address(index: usize) -> SocketAddr {
    let [_, a, b, c] = (index as u32).to_be_bytes();
    (Ipv4Addr::new(10, a, b, c), 443).into()
}

fn index(address: &SocketAddr) -> usize {
    match address {
        SocketAddr::V4(v4) => (v4.ip().to_bits() & 0xff_ffff) as usize,
        SocketAddr::V6(_) => unreachable!("every node has an IPv4 address"),
    }
}
