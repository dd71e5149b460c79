//! Routing policies: which account gets a request.

mod by_key;
mod memory;
mod oracle;
mod prefix_tree;
mod spread;

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::accounts::Accounts;
use crate::prompt_cache::Block;
use crate::replay::Settings;
use crate::trace::Keys;
use by_key::ByKey;
use memory::Memory;
use oracle::Oracle;
use prefix_tree::PrefixTree;
use spread::{LeastLoaded, Random, RoundRobin};

/// A routing policy. `MemoryOpener` is ours; the others are what gateways do instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Policy {
    /// Any account, each as likely.
    Random,
    /// The accounts in turn.
    RoundRobin,
    /// The account with the fewest requests in flight.
    LeastLoaded,
    /// Rendezvous hash of the whole prompt.
    WholePrompt,
    /// Rendezvous hash of the first entry (the system prompt, or the first 256 tokens).
    FirstEntry,
    /// Rendezvous hash of the session's identity.
    Session,
    /// Rendezvous hash of the prompt through its first user message.
    Opener,
    /// Memory of the last link, and behind it the rendezvous hash of the opener.
    MemoryOpener,
    /// Memory of the last link, and behind it the accounts in turn.
    MemoryRoundRobin,
    /// Approximate prefix tree with balance thresholds, as cache-aware routers do.
    PrefixTree,
    /// Looks into the accounts' caches: the longest live prefix.
    Oracle,
}

impl Policy {
    /// Every policy, in the order they are shown.
    pub const ALL: [Self; 11] = [
        Self::Random,
        Self::RoundRobin,
        Self::LeastLoaded,
        Self::WholePrompt,
        Self::FirstEntry,
        Self::Session,
        Self::Opener,
        Self::MemoryOpener,
        Self::MemoryRoundRobin,
        Self::PrefixTree,
        Self::Oracle,
    ];

    /// The name it is asked for and reported by.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::RoundRobin => "round-robin",
            Self::LeastLoaded => "least-loaded",
            Self::WholePrompt => "whole-prompt",
            Self::FirstEntry => "first-entry",
            Self::Session => "session",
            Self::Opener => "opener",
            Self::MemoryOpener => "memory-opener",
            Self::MemoryRoundRobin => "memory-round-robin",
            Self::PrefixTree => "prefix-tree",
            Self::Oracle => "oracle",
        }
    }

    /// The policy at work.
    pub(crate) fn chooser(self, settings: &Settings) -> Box<dyn Choose> {
        let channels = settings.channels;
        match self {
            Self::Random => Box::new(Random::new(settings.seed)),
            Self::RoundRobin => Box::new(RoundRobin::default()),
            Self::LeastLoaded => Box::new(LeastLoaded),
            Self::WholePrompt => Box::new(ByKey::new(channels, |keys| keys.whole)),
            Self::FirstEntry => Box::new(ByKey::new(channels, |keys| keys.first_entry)),
            Self::Session => Box::new(ByKey::new(channels, |keys| keys.session)),
            Self::Opener => Box::new(ByKey::new(channels, |keys| keys.opener)),
            Self::MemoryOpener => Box::new(Memory::new(
                settings,
                ByKey::new(channels, |keys| keys.opener),
            )),
            Self::MemoryRoundRobin => Box::new(Memory::new(settings, RoundRobin::default())),
            Self::PrefixTree => Box::new(PrefixTree::new(channels)),
            Self::Oracle => Box::new(Oracle),
        }
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Policy {
    type Err = UnknownPolicy;

    fn from_str(name: &str) -> Result<Self, UnknownPolicy> {
        Self::ALL
            .into_iter()
            .find(|policy| policy.name() == name)
            .ok_or(UnknownPolicy)
    }
}

/// The name is none of a [`Policy`]'s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownPolicy;

impl fmt::Display for UnknownPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "unknown policy, expected one of {}",
            Policy::ALL.map(Policy::name).join(", ")
        )
    }
}

impl std::error::Error for UnknownPolicy {}

/// A request as a policy sees it.
#[derive(Debug)]
pub(crate) struct Arrival<'a> {
    pub(crate) at: Duration,
    pub(crate) service: Duration,
    pub(crate) prompt_tokens: u64,
    /// The complete blocks of the prompt.
    pub(crate) path: &'a [Block],
    /// Their links alone.
    pub(crate) chain: &'a [u64],
    pub(crate) keys: &'a Keys,
}

/// A policy at work. The account it chooses serves the request, so it may learn at once.
pub(crate) trait Choose {
    /// The account for this request, below `accounts.len()`.
    fn choose(&mut self, arrival: &Arrival<'_>, accounts: &Accounts) -> usize;

    /// What looking for memories has cost so far.
    fn recalls(&self) -> Recalls {
        Recalls::default()
    }
}

/// Recalls of a memory, and the links they looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recalls {
    /// How many recalls.
    pub count: u64,
    /// Links looked at by all of them.
    pub probes: u64,
}
