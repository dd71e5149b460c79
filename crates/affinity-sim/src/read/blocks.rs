//! Block traces: agent sessions as cumulative 256-character blocks.

use serde::Deserialize;

use super::Records;
use super::block_path::{self, Cut};
use super::fields::{self, Runs};
use crate::prompt::{Prompt, session_key};
use crate::service::service_time;
use crate::trace::{Keys, Request, Trace};

const BLOCK_CHARS: u64 = 256;

/// Characters that make a token.
pub(super) const CHARS_PER_TOKEN: u64 = 4;

/// There are no message boundaries; the agent's task ends within its first nine blocks.
const CUT: Cut = Cut {
    tokens: (BLOCK_CHARS / CHARS_PER_TOKEN) as u32,
    first_entry: 3,
    opener: 8,
};

#[derive(Deserialize)]
struct Line {
    t: f64,
    session: String,
    in_chars: u64,
    out_chars: u64,
    hash_runs: Runs,
}

/// Reads the lines of a block trace.
pub(super) struct Blocks;

impl Records for Blocks {
    fn record(&mut self, text: &[u8], trace: &mut Trace) -> Result<(), String> {
        let line: Line = fields::parse(text)?;
        let at = fields::time("t", line.t, 1.0)?;
        let in_chars = fields::amount("in_chars", line.in_chars)?;
        let out_chars = fields::amount("out_chars", line.out_chars)?;
        line.hash_runs.check()?;

        let complete = (in_chars / BLOCK_CHARS) as usize;
        let entries = line.hash_runs.ids().map(u64::to_le_bytes);
        let mut prompt = Prompt::new();
        let links = block_path::write(&mut trace.prefixes, &mut prompt, entries, complete, &CUT)?
            .ok_or("`hash_runs` is empty")?;
        let leaf = prompt.leaf();
        trace.requests.push(Request {
            at,
            service: service_time(out_chars / CHARS_PER_TOKEN),
            prompt_tokens: in_chars / CHARS_PER_TOKEN,
            leaf,
            keys: Keys {
                whole: links.whole,
                first_entry: links.first_entry,
                opener: links.opener,
                session: session_key(line.session.as_bytes()),
                user_turn: links.user_turn,
            },
        });
        Ok(())
    }
}
