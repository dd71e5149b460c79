//! Generated traffic: agent conversations.

use std::time::Duration;

use crate::draws::Draws;
use crate::prompt::{Prompt, session_key};
use crate::service::service_time;
use crate::trace::{Keys, Request, Trace};

/// Generated agent conversations, for when no trace is at hand.
///
/// Sessions start as a Poisson process. Each runs one of a few agents, whose system prompt and
/// tools it shares with every other session of that agent; popular agents have far more sessions.
/// The user gives a task; the agent calls tools, one request a step, each carrying everything
/// before it, until the task is done; then the user reads, thinks, and may give another task. Now
/// and then a step is a sub-agent instead of a tool: a conversation of its own, with a system
/// prompt shared by all sub-agents of that agent, whose answer the main one waits for. Every
/// message is one entry of the chain. Same settings, same traffic.
///
/// ```
/// use affinity_sim::Workload;
///
/// let workload = Workload { sessions: 20, ..Workload::default() };
/// let (once, twice) = (workload.generate(), workload.generate());
/// assert!(once.len() > 20);
/// assert_eq!(once.prompt_tokens(), twice.prompt_tokens());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// Seeds every draw.
    pub seed: u64,
    /// Number of sessions.
    pub sessions: usize,
    /// Mean time between the starts of two sessions.
    pub gap: Duration,
}

impl Default for Workload {
    /// 500 sessions in about 40 minutes.
    fn default() -> Self {
        Self {
            seed: 1,
            sessions: 500,
            gap: Duration::from_secs(5),
        }
    }
}

/// Tokens of each agent's system prompt and tools, the most popular first: each next agent has
/// half the sessions of the one before.
const AGENTS: [u32; 4] = [12_000, 6_000, 3_000, 1_500];
const NEXT_AGENT: f64 = 1.0 / 3.0;

/// Tokens of a sub-agent's system prompt.
const SUB_AGENT_TOKENS: u32 = 2_000;

/// Probabilities: of another step in a task, of a sub-agent in a step, of another task.
const NEXT_STEP: f64 = 0.88;
const SUB_AGENT: f64 = 0.05;
const NEXT_TASK: f64 = 0.6;

/// Lognormal sizes in tokens.
const TASK: LogNormal = LogNormal(250.0, 1.0);
const ANSWER: LogNormal = LogNormal(150.0, 0.8);
const RESULT: LogNormal = LogNormal(400.0, 1.2);

/// Lognormal times in seconds: a tool runs, a user thinks (one in ten longer than 5 minutes).
const TOOL: LogNormal = LogNormal(3.0, 1.0);
const THINK: LogNormal = LogNormal(60.0, 1.25);

/// Largest message in tokens: where agents cut a tool's output.
const LONGEST: f64 = 25_000.0;

/// Median, and sigma of the logarithm.
struct LogNormal(f64, f64);

impl Workload {
    /// Generates the traffic.
    #[must_use]
    pub fn generate(&self) -> Trace {
        let mut generator = Generator {
            draws: Draws::new(self.seed),
            trace: Trace::default(),
            messages: 0,
        };
        let mut start = Duration::ZERO;
        for number in 0..self.sessions {
            start += generator.draws.gap(self.gap);
            generator.session(start, number as u64);
        }
        let mut trace = generator.trace;
        trace.sort();
        trace
    }
}

struct Generator {
    draws: Draws,
    trace: Trace,
    /// Messages so far that no two conversations share; each is an entry of its own.
    messages: u64,
}

/// A conversation as far as it has come.
struct Conversation {
    prompt: Prompt,
    prompt_tokens: u64,
    keys: Keys,
}

impl Generator {
    fn session(&mut self, start: Duration, number: u64) {
        let mut agent = 0;
        while agent + 1 < AGENTS.len() && self.draws.happens(NEXT_AGENT) {
            agent += 1;
        }
        let key = session_key(&number.to_le_bytes());
        let mut main = self.open(&format!("agent {agent}"), AGENTS[agent], key);
        let mut at = start;
        loop {
            at = self.task(&mut main, at, Some(agent));
            if !self.draws.happens(NEXT_TASK) {
                break;
            }
            at += self.time(THINK);
        }
    }

    /// A task from the user's message to the last answer; returns when that has come. Only a main
    /// agent (`Some`) starts sub-agents.
    fn task(&mut self, talk: &mut Conversation, start: Duration, agent: Option<usize>) -> Duration {
        let tokens = self.tokens(TASK);
        let link = self.say(talk, tokens);
        if !talk.keys.user_turn {
            talk.keys.opener = link;
            talk.keys.user_turn = true;
        }
        let mut at = start;
        loop {
            let answer = self.tokens(ANSWER);
            let service = service_time(answer.into());
            self.trace.requests.push(Request {
                at,
                service,
                prompt_tokens: talk.prompt_tokens,
                leaf: talk.prompt.leaf(),
                keys: talk.keys,
            });
            at += service;
            self.say(talk, answer);
            if !self.draws.happens(NEXT_STEP) {
                return at;
            }
            match agent {
                Some(agent) if self.draws.happens(SUB_AGENT) => {
                    let system = format!("sub-agent of {agent}");
                    let mut sub = self.open(&system, SUB_AGENT_TOKENS, talk.keys.session);
                    at = self.task(&mut sub, at, None);
                }
                _ => at += self.time(TOOL),
            }
            let tokens = self.tokens(RESULT);
            self.say(talk, tokens);
        }
    }

    /// A conversation that has only its system prompt.
    fn open(&mut self, system: &str, tokens: u32, session: u64) -> Conversation {
        let mut prompt = Prompt::new();
        let link = self.block(&mut prompt, system.as_bytes(), tokens);
        Conversation {
            prompt,
            prompt_tokens: tokens.into(),
            keys: Keys {
                whole: link,
                first_entry: link,
                opener: link,
                session,
                user_turn: false,
            },
        }
    }

    /// Appends a message that occurs nowhere else and returns its link.
    fn say(&mut self, talk: &mut Conversation, tokens: u32) -> u64 {
        self.messages += 1;
        let link = self.block(&mut talk.prompt, &self.messages.to_le_bytes(), tokens);
        talk.prompt_tokens += u64::from(tokens);
        talk.keys.whole = link;
        link
    }

    fn block(&mut self, prompt: &mut Prompt, entry: &[u8], tokens: u32) -> u64 {
        prompt
            .block(&mut self.trace.prefixes, entry, tokens)
            .expect("fewer than 2^32 messages are generated")
    }

    fn tokens(&mut self, LogNormal(median, sigma): LogNormal) -> u32 {
        self.draws.log_normal(median, sigma).clamp(1.0, LONGEST) as u32
    }

    fn time(&mut self, LogNormal(median, sigma): LogNormal) -> Duration {
        Duration::from_secs_f64(self.draws.log_normal(median, sigma))
    }
}
