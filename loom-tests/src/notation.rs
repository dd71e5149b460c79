//! Histories in the notation of docs/table-protocol.md, for the message of a failing model.

use std::fmt::{self, Display, Formatter};

use crate::history::{Call, History};
use crate::scenario::{Counters, Key, Op, OpCall, Scenario};
use crate::setup::{Doomed, Wrote};
use crate::spec::Step;

const NANOS_PER_MILLI: u64 = 1_000_000;
const NAMES: [&str; 5] = ["ZERO", "A", "B", "C", "D"];

/// ` || ` parts before, during and after; ` | ` parts threads.
impl Display for History {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        calls(f, &self.before)?;
        for (thread, steps) in self.threads.iter().enumerate() {
            f.write_str(if thread == 0 { " || " } else { " | " })?;
            calls(f, steps)?;
        }
        f.write_str(" || ")?;
        calls(f, &self.after)
    }
}

fn calls(f: &mut Formatter<'_>, calls: &[Call]) -> fmt::Result {
    let mut separator = "";
    for call in calls {
        for step in &call.steps {
            write!(f, "{separator}{step}")?;
            separator = " ";
        }
        if call.returned != u64::MAX {
            write!(f, "[{}..{}]", call.invoked, call.returned)?;
        }
    }
    Ok(())
}

impl Display for Step {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Step::Remember {
                key,
                channel,
                ttl,
                now,
                wrote,
            } => {
                write!(f, "remember({}{}, {channel}", NAMES[key], At(now))?;
                if let Some(ttl) = ttl {
                    write!(f, ", ttl {}", ttl / NANOS_PER_MILLI)?;
                }
                match wrote {
                    Wrote::Nothing => f.write_str(")=nothing"),
                    Wrote::Renewed(previous) => write!(f, ")=renewed {previous}"),
                    Wrote::Inserted => f.write_str(")=inserted"),
                }
            }
            Step::Probe {
                key,
                now,
                renew,
                found,
            } => {
                let verb = if renew { "recall" } else { "peek" };
                write!(f, "{verb}({}{}){}", NAMES[key], At(now), Found(found))
            }
            Step::Forget { key, now, found } => {
                write!(f, "forget({}{}){}", NAMES[key], At(now), Found(found))
            }
            Step::Sweep {
                key,
                doomed,
                now,
                told,
            } => {
                let verb = match doomed {
                    Doomed::Of(_) => "forget_channel",
                    Doomed::All => "clear",
                    Doomed::Expired => "purge",
                };
                write!(f, "{verb}({}{})={told}", NAMES[key], At(now))
            }
            Step::Len { value, slack } => write!(f, "len={value}±{slack}"),
            Step::Rest(ref memories) => {
                f.write_str("held:")?;
                memories.iter().try_for_each(|memory| {
                    let (name, number) = (NAMES[memory.key], memory.number);
                    write!(
                        f,
                        " {name}#{number}{}…{}",
                        At(memory.alive),
                        At(memory.dead)
                    )
                })
            }
        }
    }
}

/// What is called, without the answers.
impl Display for Scenario {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        ops(f, &self.first)?;
        for (thread, of_thread) in self.threads.iter().enumerate() {
            f.write_str(if thread == 0 { " || " } else { " | " })?;
            ops(f, of_thread)?;
        }
        match self.counters {
            Counters::Apart => (),
            Counters::Shared => f.write_str(" (one counter)")?,
            Counters::Tagged => f.write_str(" (one counter, tags apart)")?,
            Counters::NearlyFull => f.write_str(" (a counter nearly full)")?,
        }
        match self.renewal_step {
            0 => Ok(()),
            step => write!(f, " (a step of {step})"),
        }
    }
}

fn ops(f: &mut Formatter<'_>, ops: &[Op]) -> fmt::Result {
    let mut separator = "";
    for op in ops {
        write!(f, "{separator}{op}")?;
        separator = " ";
    }
    Ok(())
}

impl Display for Op {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let at = At(self.now * NANOS_PER_MILLI);
        match &self.call {
            OpCall::Remember { key, channel, ttl } => {
                write!(f, "remember({}{at}, {channel}", NAMES[key.0])?;
                match ttl {
                    Some(ttl) => write!(f, ", ttl {ttl})"),
                    None => f.write_str(")"),
                }
            }
            OpCall::Recall { chain, renew } => {
                let verb = if *renew { "recall" } else { "peek" };
                match chain[..] {
                    [Key(key)] => write!(f, "{verb}({}{at})", NAMES[key]),
                    _ => {
                        let links: Vec<&str> = chain.iter().map(|&Key(key)| NAMES[key]).collect();
                        write!(f, "{verb}([{}]{at})", links.join(" "))
                    }
                }
            }
            OpCall::Forget(key) => write!(f, "forget({}{at})", NAMES[key.0]),
            OpCall::ForgetChannel(channel) => write!(f, "forget_channel({channel}{at})"),
            OpCall::Purge => write!(f, "purge({at})"),
            OpCall::Clear => f.write_str("clear()"),
            OpCall::Len => f.write_str("len()"),
        }
    }
}

struct At(u64);

impl Display for At {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 / NANOS_PER_MILLI {
            0 => Ok(()),
            millis => write!(f, "@{millis}"),
        }
    }
}

struct Found(Option<u32>);

impl Display for Found {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(channel) => write!(f, "={channel}"),
            None => f.write_str("=miss"),
        }
    }
}
