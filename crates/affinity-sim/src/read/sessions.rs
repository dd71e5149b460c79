//! Session traces: whole coding sessions, with sub-agents, as cumulative blocks.

use std::time::Duration;

use ahash::AHashMap;
use serde::Deserialize;

use super::Records;
use super::block_path::{self, Cut};
use super::fields::{self, Runs};
use crate::draws::Draws;
use crate::prompt::{Prompt, session_key};
use crate::service::service_time;
use crate::trace::{Keys, Request, Trace};

/// Sessions carry times of their own only; their starts are spread over this long.
const SPREAD: Duration = Duration::from_secs(4 * 3600);

/// Tokens taken for the first entry.
const FIRST_ENTRY: u32 = 256;

#[derive(Deserialize)]
struct Line {
    id: String,
    block_size: u32,
    #[serde(default)]
    tool_tokens: u64,
    requests: Vec<LineRequest>,
}

#[derive(Deserialize)]
struct LineRequest {
    t: f64,
    #[serde(default)]
    model: String,
    #[serde(rename = "in")]
    input: u64,
    #[serde(rename = "out", default)]
    output: u64,
    api_time: Option<f64>,
    agent: Option<String>,
    hash_runs: Runs,
}

/// Reads the lines of a session trace.
pub(super) struct Sessions {
    starts: Draws,
    /// Lines read so far: block ids are local to a session, and this tells sessions apart.
    lines: u64,
}

impl Sessions {
    /// The sessions' starts are drawn from `seed`.
    pub(super) fn new(seed: u64) -> Self {
        Self {
            starts: Draws::new(seed),
            lines: 0,
        }
    }
}

impl Records for Sessions {
    fn record(&mut self, text: &[u8], trace: &mut Trace) -> Result<(), String> {
        self.lines += 1;
        let start = self.starts.within(SPREAD);
        let line: Line = fields::parse(text)?;
        if line.block_size == 0 {
            return Err("`block_size` is 0, expected tokens".to_owned());
        }
        let mut session = Session::new(&line, self.lines);
        let requests = line
            .requests
            .iter()
            .enumerate()
            .map(|(number, request)| {
                session
                    .request(request, start, trace)
                    .map_err(|reason| format!("request {}: {reason}", number + 1))
            })
            .collect::<Result<Vec<_>, _>>()?;
        trace.requests.extend(requests);
        Ok(())
    }
}

/// One session while its requests are read.
struct Session<'l> {
    number: u64,
    key: u64,
    cut: Cut,
    tools: Tools<'l>,
    /// The opener of each agent that has spoken: the end of its first request.
    openers: AHashMap<&'l str, u64>,
}

/// The tools at the front of the session's prompts. Sessions of one model with tools of one size
/// are taken to have the same tools.
struct Tools<'l> {
    model: &'l str,
    tokens: u64,
    /// The ids that the tools' blocks have in this session.
    ids: Vec<u64>,
}

impl<'l> Session<'l> {
    fn new(line: &'l Line, number: u64) -> Self {
        let blocks = (line.tool_tokens / u64::from(line.block_size)) as usize;
        let first = line.requests.first();
        Self {
            number,
            key: session_key(line.id.as_bytes()),
            cut: Cut {
                tokens: line.block_size,
                first_entry: (FIRST_ENTRY.div_ceil(line.block_size) - 1) as usize,
                opener: 0,
            },
            tools: Tools {
                model: first.map_or("", |first| &first.model),
                tokens: line.tool_tokens,
                ids: first
                    .into_iter()
                    .flat_map(|first| first.hash_runs.ids().take(blocks))
                    .collect(),
            },
            openers: AHashMap::new(),
        }
    }

    fn request(
        &mut self,
        request: &'l LineRequest,
        start: Duration,
        trace: &mut Trace,
    ) -> Result<Request, String> {
        let at = fields::time("t", request.t, 1.0)?;
        let input = fields::amount("in", request.input)?;
        let output = fields::amount("out", request.output)?;
        let service = match request.api_time {
            Some(seconds) => fields::time("api_time", seconds, 1.0)?,
            None => service_time(output),
        };
        request.hash_runs.check()?;

        let complete = (input / u64::from(self.cut.tokens)) as usize;
        let entries = request
            .hash_runs
            .ids()
            .enumerate()
            .map(|(index, id)| self.entry(index, id));
        let mut prompt = Prompt::new();
        let links = block_path::write(
            &mut trace.prefixes,
            &mut prompt,
            entries,
            complete,
            &self.cut,
        )?;
        let leaf = prompt.leaf();
        // A prompt below one block has no links; its session is all there is to go by.
        let (whole, first_entry) = links.map_or((self.key, self.key), |links| {
            (links.whole, links.first_entry)
        });
        let agent = request.agent.as_deref().unwrap_or_default();
        let opener = *self.openers.entry(agent).or_insert(whole);
        Ok(Request {
            at: start + at,
            service,
            prompt_tokens: input,
            leaf,
            keys: Keys {
                whole,
                first_entry,
                opener,
                session: self.key,
                user_turn: true,
            },
        })
    }

    /// What a block is hashed as: where it is in the shared tools, or its id in this session.
    fn entry(&self, index: usize, id: u64) -> Vec<u8> {
        if self.tools.ids.get(index) == Some(&id) {
            let Tools { model, tokens, .. } = self.tools;
            format!("tools {index} of {tokens}: {model}").into_bytes()
        } else {
            format!("session {}: {id}", self.number).into_bytes()
        }
    }
}
