//! Mooncake: production chat requests as cumulative 512-token blocks.

use serde::Deserialize;

use super::block_path::{self, Cut};
use super::{Records, fields};
use crate::prompt::{Prompt, session_key};
use crate::service::service_time;
use crate::trace::{Keys, Request, Trace};

const BLOCK_TOKENS: u32 = 512;

/// There are no message boundaries. Block 0 is everybody's system prompt; the second block is
/// taken for the end of the first user message.
const CUT: Cut = Cut {
    tokens: BLOCK_TOKENS,
    first_entry: 0,
    opener: 1,
};

#[derive(Deserialize)]
struct Line {
    timestamp: f64,
    input_length: u64,
    output_length: u64,
    hash_ids: Vec<u64>,
}

/// Reads the lines of a Mooncake trace.
pub(super) struct Mooncake;

impl Records for Mooncake {
    fn record(&mut self, text: &[u8], trace: &mut Trace) -> Result<(), String> {
        let line: Line = fields::parse(text)?;
        let at = fields::time("timestamp", line.timestamp, 1000.0)?;
        let prompt_tokens = fields::amount("input_length", line.input_length)?;
        let output_tokens = fields::amount("output_length", line.output_length)?;
        fields::check_blocks("hash_ids", line.hash_ids.len())?;

        let complete = (prompt_tokens / u64::from(BLOCK_TOKENS)) as usize;
        let entries = line.hash_ids.iter().map(|id| id.to_le_bytes());
        let mut prompt = Prompt::new();
        let links = block_path::write(&mut trace.prefixes, &mut prompt, entries, complete, &CUT)?
            .ok_or("`hash_ids` is empty")?;
        let leaf = prompt.leaf();
        trace.requests.push(Request {
            at,
            service: service_time(output_tokens),
            prompt_tokens,
            leaf,
            keys: Keys {
                whole: links.whole,
                first_entry: links.first_entry,
                opener: links.opener,
                session: links.whole,
                user_turn: links.user_turn,
            },
        });
        Ok(())
    }

    /// The trace names no sessions: a request belongs to that of the longest earlier prompt that
    /// it continues, and starts one if there is none.
    fn finish(&self, trace: &mut Trace) {
        let Trace { prefixes, requests } = trace;
        let mut session_ending_at = vec![None; prefixes.len()];
        for (number, request) in requests.iter_mut().enumerate() {
            // Everybody continues a prompt without a user turn.
            if !request.keys.user_turn {
                continue;
            }
            request.keys.session = prefixes
                .up(request.leaf)
                .find_map(|(node, _)| session_ending_at[node as usize])
                .unwrap_or_else(|| session_key(&(number as u64).to_le_bytes()));
            if let Some(node) = request.leaf {
                session_ending_at[node as usize] = Some(request.keys.session);
            }
        }
    }
}
