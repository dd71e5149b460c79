//! The scenarios, by what they set against each other. To add one is to add a line.
//!
//! Names that begin with `w` look for weakened orderings, with `f` for faults of the filter, with `s`
//! for stragglers and stale tickets.

mod answers;
mod deadlines;
mod eviction;
mod orderings;
mod removal;

use crate::scenario::Scenario;

/// Scenarios of one kind.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// The fact that they show.
    pub shows: &'static str,
    scenarios: fn() -> Vec<Scenario>,
}

impl Group {
    /// All of them.
    pub fn scenarios(&self) -> Vec<Scenario> {
        (self.scenarios)()
    }
}

/// Every kind.
pub const GROUPS: &[Group] = &[
    Group {
        shows: "a recall hits before the newcomer's number and misses after it, and renewal changes neither",
        scenarios: eviction::against_recall,
    },
    Group {
        shows: "who saw the newcomer remembers anew",
        scenarios: eviction::against_remember,
    },
    Group {
        shows: "the ticket of an evicted memory leaves a newer one of the same fingerprint alone",
        scenarios: eviction::against_reinsertion,
    },
    Group {
        shows: "a deadline never falls, and a memory that was renewed is not purged",
        scenarios: deadlines::against_renewal,
    },
    Group {
        shows: "with a renewal step a memory lives as long as asked, and at most a step longer",
        scenarios: deadlines::renewal_in_steps,
    },
    Group {
        shows: "the smallest table stands the most strife",
        scenarios: eviction::at_limit_one,
    },
    Group {
        shows: "tickets may enter the ring in another order than their numbers, up to a lap late",
        scenarios: eviction::stragglers,
    },
    Group {
        shows: "what is forgotten stays so unless it is remembered later",
        scenarios: removal::forgetting_against_remember,
    },
    Group {
        shows: "of two threads that bind one fingerprint one inserts, the other renews, and the later channel stays",
        scenarios: answers::one_fingerprint,
    },
    Group {
        shows: "a memory with a lifetime of its own is renewed by that, and a later remember sets another",
        scenarios: deadlines::own_ttl_against_renewal,
    },
    Group {
        shows: "clear takes what is there, key by key, and nothing that comes after",
        scenarios: removal::clear_against_insertion,
    },
    Group {
        shows: "a walk is a sequence of probes, in order, the last of which hits",
        scenarios: answers::walks,
    },
    Group {
        shows: "a counter tells who is absent, and all threads agree on the order in which they became so",
        scenarios: orderings::filter,
    },
    Group {
        shows: "len is exact at rest, and off by the calls in flight at most",
        scenarios: answers::len_by_its_contract,
    },
    Group {
        shows: "what one thread saw, whoever saw that thread's work sees too",
        scenarios: orderings::handed_on,
    },
];

/// Every scenario.
pub fn all() -> Vec<Scenario> {
    GROUPS.iter().flat_map(Group::scenarios).collect()
}

/// The scenario of that name.
///
/// # Panics
/// When there is none.
pub fn named(name: &str) -> Scenario {
    all()
        .into_iter()
        .find(|scenario| scenario.name() == name)
        .unwrap_or_else(|| panic!("no scenario is named {name}"))
}

fn on(name: &'static str, limit: u64) -> Scenario {
    Scenario::new(name, limit)
}
