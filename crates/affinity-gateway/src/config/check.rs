//! What no single value can be wrong about.

use std::collections::{HashMap, HashSet};

use tracing_subscriber::EnvFilter;

use super::error::Problem;
use super::sections::{Channel, Config};
use super::values::TokenHash;

/// Channel names are shown in headers, metrics and admin paths.
const NAME_LENGTH: usize = 64;

/// What `sha256sum` says when the variable with the token was not set.
const NO_TOKEN: &str = "is the hash of an empty token, which anybody has";

/// With a timeout of zero no request succeeds.
const NO_TIME: &str = "expected more than 0s";

pub(super) fn check(config: &Config) -> Vec<Problem> {
    let mut problems = Problems::default();
    listeners(config, &mut problems);
    log(config, &mut problems);
    limits(config, &mut problems);
    channels(&config.channels, &mut problems);
    clients(config, &mut problems);
    problems.0
}

#[derive(Default)]
struct Problems(Vec<Problem>);

impl Problems {
    fn add(&mut self, key: impl Into<String>, what: impl Into<String>) {
        self.0.push(Problem {
            at: None,
            key: key.into(),
            what: what.into(),
        });
    }
}

fn listeners(config: &Config, problems: &mut Problems) {
    let server = &config.server;
    if config.clients.is_empty() && !server.listen.ip().is_loopback() {
        problems.add(
            "server.listen",
            "without [[clients]] the gateway listens on loopback only, such as 127.0.0.1:8080",
        );
    }
    if server.admin_token_sha256 == Some(TokenHash::of(b"")) {
        problems.add("server.admin_token_sha256", NO_TOKEN);
    }
    let Some(admin) = server.admin else { return };
    if !admin.ip().is_loopback() && server.admin_token_sha256.is_none() {
        problems.add(
            "server.admin",
            "off loopback the admin listener needs server.admin_token_sha256",
        );
    }
    if admin == server.listen && admin.port() != 0 {
        problems.add("server.admin", "is the same address as server.listen");
    }
}

fn log(config: &Config, problems: &mut Problems) {
    if let Err(error) = EnvFilter::try_new(&config.log.level) {
        problems.add("log.level", error.to_string());
    }
}

fn limits(config: &Config, problems: &mut Problems) {
    // Below this the server's own buffers do not work.
    if !(8192..=16 << 20).contains(&config.limits.head.as_u64()) {
        problems.add("limits.head", "expected 8KiB to 16MiB");
    }
    if !(1..=10_000).contains(&config.limits.headers) {
        problems.add("limits.headers", "expected 1 to 10000");
    }
    if !(1..=1_000_000).contains(&config.limits.connections) {
        problems.add("limits.connections", "expected 1 to 1000000");
    }
    let limits = &config.limits;
    for (name, timeout) in [
        ("head_timeout", limits.head_timeout),
        ("body_timeout", limits.body_timeout),
        ("write_timeout", limits.write_timeout),
        ("connect_timeout", limits.connect_timeout),
        ("first_byte_timeout", limits.first_byte_timeout),
        ("answer_timeout", limits.answer_timeout),
        ("idle_timeout", limits.idle_timeout),
    ] {
        if timeout.is_zero() {
            problems.add(format!("limits.{name}"), NO_TIME);
        }
    }
    if let Some(bound) = config.affinity.bounded_load
        && bound.factor_percent < 100
    {
        problems.add(
            "affinity.bounded_load.factor_percent",
            "expected at least 100: below, not all requests have room",
        );
    }
    let statuses = &config.failover.also_on;
    if let Some(i) = statuses.iter().position(|s| !(400..600).contains(s)) {
        problems.add(
            format!("failover.also_on[{i}]"),
            "expected a status from 400 to 599",
        );
    }
}

fn channels(channels: &[Channel], problems: &mut Problems) {
    if channels.is_empty() {
        problems.add("channels", "expected at least one [[channels]]");
    }
    let mut names: HashMap<&str, usize> = HashMap::new();
    for (i, channel) in channels.iter().enumerate() {
        let key = |name: &str| format!("channels[{i}].{name}");
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let name = channel.name.as_str();
        if name.is_empty() || name.len() > NAME_LENGTH || !name.chars().all(plain) {
            problems.add(
                key("name"),
                format!("expected 1 to {NAME_LENGTH} letters, digits, \"-\", \"_\" or \".\""),
            );
        }
        if let Some(first) = names.insert(name, i) {
            problems.add(
                key("name"),
                format!("is also the name of channels[{first}]"),
            );
        }
        if channel.dialects.is_empty() {
            problems.add(key("dialects"), "expected at least one");
        }
        if channel.key_env.is_some() && channel.key_file.is_some() {
            problems.add(
                key("key_file"),
                "expected one of key_env and key_file, not both",
            );
        }
        for (name, timeout) in [
            ("first_byte_timeout", channel.first_byte_timeout),
            ("answer_timeout", channel.answer_timeout),
            ("idle_timeout", channel.idle_timeout),
        ] {
            if timeout.is_some_and(|timeout| timeout.is_zero()) {
                problems.add(key(name), NO_TIME);
            }
        }
        if channel.max_in_flight == Some(0) {
            problems.add(key("max_in_flight"), "expected at least 1");
        }
        let all = channel
            .models
            .iter()
            .chain(channel.aliases.iter().flat_map(|(a, m)| [a, m]));
        if all.into_iter().any(|m| !is_model(m)) {
            problems.add(
                key("models"),
                "expected names of models: 1 to 256 visible ASCII characters without \"?\", \"#\" or \"%\"",
            );
        }
        if let Some(alias) = channel.aliases.keys().find(|a| channel.models.contains(a)) {
            problems.add(key("aliases"), format!("{alias:?} is among the models too"));
        }
    }
}

/// What can be put in a body's string and, for Gemini, in a path without escaping.
fn is_model(name: &str) -> bool {
    (1..=256).contains(&name.len())
        && name
            .bytes()
            .all(|b| b.is_ascii_graphic() && !b"?#%\"\\".contains(&b))
        && !name.split('/').any(|part| part == "..")
}

fn clients(config: &Config, problems: &mut Problems) {
    let mut seen = HashSet::new();
    for (i, client) in config.clients.iter().enumerate() {
        if !seen.insert(client.token_sha256) {
            problems.add(
                format!("clients[{i}].token_sha256"),
                "is the token of another client too",
            );
        }
        if client.token_sha256 == TokenHash::of(b"") {
            problems.add(format!("clients[{i}].token_sha256"), NO_TOKEN);
        }
        if client.tenant.is_empty() {
            problems.add(format!("clients[{i}].tenant"), "expected a name");
        }
    }
}
