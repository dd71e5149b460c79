//! A configuration is taken as it is written, or refused with the place that is wrong.

use std::time::Duration;

use affinity_gateway::config::{Config, Keys, Policy, load};

/// What loading this text says, with these variables set; the file is called `affinity.toml`.
pub(crate) fn read(text: &str, variables: &[(&str, &str)]) -> Result<Config, Vec<String>> {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("affinity.toml");
    std::fs::write(&file, text).unwrap();
    std::fs::write(directory.path().join("acct.key"), "sk-from-a-file\n").unwrap();
    let variables = variables.iter().map(|(k, v)| ((*k).into(), (*v).into()));
    load(&file, variables, Keys::Read).map_err(|error| {
        let prefix = format!("{}/", directory.path().display());
        error
            .to_string()
            .lines()
            .map(|line| line.replace(&prefix, ""))
            .collect()
    })
}

pub(crate) const CHANNEL: &str =
    "[[channels]]\nname = \"a\"\nbase_url = \"https://api.example\"\ndialects = [\"anthropic\"]\n";

pub(crate) fn problems(text: &str) -> Vec<String> {
    read(text, &[]).expect_err("refused")
}

#[test]
fn a_channel_is_enough() {
    let config = read(CHANNEL, &[]).unwrap();
    assert_eq!(config.channels[0].weight, 1);
    assert_eq!(config.limits.body.as_u64(), 32 << 20);
    assert!(config.server.listen.ip().is_loopback());
}

#[test]
fn problems_name_line_column_key_and_what_would_be_right() {
    let cases = [
        (
            "[limits]\nbdy = 3\n",
            "affinity.toml:2:1: limits.bdy: unknown field `bdy`, expected one of",
        ),
        (
            "[limits]\nbody_timeout = \"5 parsecs\"\n",
            "affinity.toml:2:16: limits.body_timeout: invalid value: string \"5 parsecs\", expected a duration such as \"5s\"",
        ),
        (
            "\n[server]\nlisten = 8080\n",
            "affinity.toml:3:10: server.listen: invalid type: integer",
        ),
        (
            "[affinity]\npolicy = \"random\"\n",
            "affinity.toml:2:10: affinity.policy: unknown variant `random`, expected `affinity` or `round-robin`",
        ),
        ("[limits\n", "affinity.toml:1:8: "),
    ];
    for (text, expected) in cases {
        let problems = problems(&format!("{text}{CHANNEL}"));
        assert!(problems[0].starts_with(expected), "{problems:?}");
    }
}

#[test]
fn a_value_that_is_more_than_a_string_says_how_it_is_written() {
    for (setting, expected) in [
        (
            "limits.body = \"10 megs\"",
            "invalid value: string \"10 megs\", expected a size like \"16 MiB\"",
        ),
        (
            "limits.head = -1",
            "invalid value: integer `-1`, expected a size like \"16 MiB\"",
        ),
        (
            "affinity.min_prefix_bytes = true",
            "invalid type: boolean `true`, expected a size like \"16 MiB\"",
        ),
        (
            "server.shutdown_grace = 30",
            "invalid type: integer `30`, expected a duration such as \"5s\"",
        ),
        (
            "server.listen = \"localhost:80\"",
            "invalid value: string \"localhost:80\", expected an IP address and a port such as",
        ),
        (
            "server.admin = 80",
            "invalid type: integer `80`, expected an IP address and a port such as",
        ),
        (
            "affinity.session_header = \"a b\"",
            "invalid value: string \"a b\", expected the name of a header",
        ),
    ] {
        let found = problems(&format!("{setting}\n{CHANNEL}"));
        let (key, value) = setting.split_once(" = ").unwrap();
        let column = setting.len() - value.len() + 1;
        let expected = format!("affinity.toml:1:{column}: {key}: {expected}");
        assert!(found[0].starts_with(&expected), "{found:?}");
    }
    let found = problems(&format!("{CHANNEL}cache_ttl = \"openai-1h\"\n"));
    assert!(found[0].contains("expected anthropic-5m, "), "{found:?}");
}

#[test]
fn sizes_are_numbers_of_bytes_or_have_a_unit() {
    for (size, bytes) in [
        ("8192", 8192),
        ("\"16 MiB\"", 16 << 20),
        ("\"64KiB\"", 1 << 16),
    ] {
        let config = read(&format!("limits.body = {size}\n{CHANNEL}"), &[]).unwrap();
        assert_eq!(config.limits.body.as_u64(), bytes);
    }
}

#[test]
fn a_channels_problems_name_the_channel() {
    let text =
        format!("{CHANNEL}\n[[channels]]\nname = \"b\"\nbase_url = \"ftp://x\"\ndialects = []\n");
    let found = problems(&text);
    assert!(
        found[0]
            .starts_with("affinity.toml:8:12: channels[1].base_url: expected an http or https URL"),
        "{found:?}"
    );
}

#[test]
fn all_that_makes_no_sense_is_said_at_once() {
    let text = format!(
        "[server]\nlisten = \"0.0.0.0:80\"\nadmin = \"0.0.0.0:81\"\n[failover]\nalso_on = [402, 200]\n{CHANNEL}key_env = \"NOT_SET\"\n{CHANNEL}models = [\"bad name\"]\n"
    );
    let found = problems(&text);
    let expected = [
        "affinity.toml:2:10: server.listen: without [[clients]]",
        "affinity.toml:3:9: server.admin: off loopback",
        "affinity.toml:5:17: failover.also_on[1]: expected a status",
        "affinity.toml:10:11: channels[0].key_env: the environment variable NOT_SET is not set",
        "affinity.toml:12:8: channels[1].name: is also the name of channels[0]",
        "affinity.toml:15:10: channels[1].models: expected names of models",
    ];
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.starts_with(expected), "{found}\n{expected}");
    }
    assert_eq!(found.len(), expected.len());
}

#[test]
fn what_would_break_at_start_or_serve_nobody_is_refused() {
    for (text, expected) in [
        (
            "[limits]\nconnections = 9223372036854775807\n",
            "affinity.toml:2:15: limits.connections: expected 1 to 1000000",
        ),
        (
            "[limits]\nhead_timeout = \"500000000000years\"\n",
            "affinity.toml:2:16: limits.head_timeout: invalid value",
        ),
        (
            "[limits]\nidle_timeout = \"0s\"\n",
            "affinity.toml:2:16: limits.idle_timeout: expected more than 0s",
        ),
        (
            "[log]\nlevel = \"affinity=loud\"\n",
            "affinity.toml:2:9: log.level: ",
        ),
    ] {
        let found = problems(&format!("{text}{CHANNEL}"));
        assert!(found[0].starts_with(expected), "{found:?}");
    }
    let found = problems(&format!("{CHANNEL}answer_timeout = \"0s\"\n"));
    assert!(
        found[0].contains("channels[0].answer_timeout: expected more"),
        "{found:?}"
    );
}

#[test]
fn the_hash_of_no_token_is_refused() {
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    let text = format!(
        "[server]\nadmin_token_sha256 = \"{empty}\"\n{CHANNEL}[[clients]]\ntoken_sha256 = \"{empty}\"\ntenant = \"t\"\n"
    );
    let found = problems(&text);
    assert!(found[0].contains("server.admin_token_sha256: is the hash of an empty token"));
    assert!(found[1].contains("clients[0].token_sha256: is the hash of an empty token"));
}

#[test]
fn no_channels_are_a_problem() {
    assert!(problems("")[0].contains("channels: expected at least one [[channels]]"));
}

#[test]
fn a_secret_written_by_mistake_is_not_repeated() {
    for text in [
        format!("{CHANNEL}key = \"sk-oops\"\n"),
        format!("{CHANNEL}key_env = \"sk-oops\"\n"),
        format!("affinity.key_env = \"0ddba11sk-oops\"\n{CHANNEL}"),
        format!("{CHANNEL}[[clients]]\ntoken_sha256 = \"sk-oops\"\ntenant = \"t\"\n"),
        format!("{CHANNEL}[[clients]]\ntoken_sha256 = 731731731\ntenant = \"t\"\n"),
        format!("{CHANNEL}key_env = \"73173173100AABB\"\n"),
        format!("{CHANNEL}key_env = 731731731\n"),
        format!("{CHANNEL}key_file = 731731731\n"),
        format!("{CHANNEL}auth = \"sk-oops\"\n"),
        format!("{CHANNEL}dialects = [\"sk-oops, expected `x`\"]\n"),
        format!("{CHANNEL}weight = \"sk-oops\"\n"),
        format!("affinity.key_env = 731731731\n{CHANNEL}"),
        format!("server.admin_token_sha256 = 731731731\n{CHANNEL}"),
        format!("clients = [\"sk-oops\"]\n{CHANNEL}"),
        "channels = [\"sk-oops\"]\n".to_owned(),
    ] {
        let found = problems(&text);
        let said = found.concat();
        assert!(!said.is_empty(), "{text}");
        assert!(
            !said.contains("sk-oops") && !said.contains("731731"),
            "{found:?}"
        );
    }
}

#[test]
fn keys_come_from_the_environment_or_a_file_and_are_never_shown() {
    let text = format!(
        "{CHANNEL}key_env = \"KEY\"\n{}key_file = \"acct.key\"\n",
        CHANNEL.replace("\"a\"", "\"b\"")
    );
    let config = read(&text, &[("KEY", "sk-from-env")]).unwrap();
    assert!(config.channels.iter().all(|c| c.key.is_some()));
    let shown = format!("{config:?}");
    assert!(!shown.contains("sk-"), "{shown}");
}

#[test]
fn a_file_without_a_certificate_vouches_for_nobody() {
    for (file, expected) in [
        (
            "acct.key",
            "channels[0].ca_file: holds no certificate in PEM",
        ),
        ("missing.pem", "channels[0].ca_file: cannot be read"),
    ] {
        let found = problems(&format!("{CHANNEL}ca_file = \"{file}\"\n"));
        assert!(found[0].contains(expected), "{found:?}");
        assert!(!found.concat().contains("sk-from-a-file"), "{found:?}");
    }
}

#[test]
fn the_fingerprint_key_is_32_hex_digits() {
    let text = format!("[affinity]\nkey_env = \"AFFINITY_KEY\"\n{CHANNEL}");
    let good = read(
        &text,
        &[("AFFINITY_KEY", "000102030405060708090a0b0c0d0e0f")],
    )
    .unwrap();
    assert!(good.affinity.key.is_some());
    let bad = read(&text, &[("AFFINITY_KEY", "secret-but-wrong")]).expect_err("refused");
    assert!(
        bad[0].contains("affinity.key_env") && !bad[0].contains("secret-but-wrong"),
        "{bad:?}"
    );
}

#[test]
fn the_environment_overrides_single_values() {
    let variables = [
        ("AFFINITY__SERVER__LISTEN", "127.0.0.1:9"),
        ("AFFINITY__LIMITS__FIRST_BYTE_TIMEOUT", "7s"),
        ("AFFINITY__LIMITS__HEADERS", "42"),
        ("AFFINITY__AFFINITY__POLICY", "round-robin"),
        ("AFFINITY__FAILOVER__ALSO_ON", "[402]"),
        ("AFFINITY_KEY", "not ours"),
    ];
    let config = read(CHANNEL, &variables).unwrap();
    assert_eq!(config.server.listen.port(), 9);
    assert_eq!(config.limits.first_byte_timeout, Duration::from_secs(7));
    assert_eq!(config.limits.headers, 42);
    assert_eq!(config.affinity.policy, Policy::RoundRobin);
    assert_eq!(config.failover.also_on, [402]);
}

#[test]
fn a_wrong_override_names_its_variable() {
    for (name, value) in [
        ("AFFINITY__LIMITS__HEADERS", "many"),
        ("AFFINITY__LIMITS__HEDERS", "4"),
        ("AFFINITY__CHANNELS", "[]"),
        ("AFFINITY__NOWHERE__X", "1"),
    ] {
        let found = read(CHANNEL, &[(name, value)]).expect_err("refused");
        assert!(found[0].contains(name), "{found:?}");
    }
}

#[test]
fn cache_lifetimes_have_the_providers_names() {
    for (name, seconds) in [
        ("anthropic-5m", 300),
        ("anthropic-1h", 3600),
        ("openai", 600),
        ("openai-24h", 86400),
        ("90s", 90),
    ] {
        let config = read(&format!("{CHANNEL}cache_ttl = \"{name}\"\n"), &[]).unwrap();
        assert_eq!(
            config.channels[0].cache_ttl,
            Some(Duration::from_secs(seconds))
        );
    }
}

#[test]
fn the_documented_example_is_good() {
    let example = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/affinity.example.toml"
    );
    let config = load(example.as_ref(), [], Keys::Skip).unwrap_or_else(|error| panic!("{error}"));
    assert!(config.channels.len() >= 3 && !config.clients.is_empty());
}

#[test]
fn the_guide_and_the_example_name_every_key() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let sections = include_str!("../../src/config/sections.rs");
    let example = std::fs::read_to_string(format!("{root}/docs/affinity.example.toml")).unwrap();
    let guide = std::fs::read_to_string(format!("{root}/docs/gateway.md")).unwrap();
    let sections = sections.lines().filter(|line| !line.contains(" fn "));
    let fields = sections.filter_map(|line| line.strip_prefix("    pub ")?.split_once(": "));
    let written = |name, kind: &str| !["key", "ca"].contains(&name) && !kind.starts_with("Vec<C");
    for (field, _) in fields.filter(|(name, kind)| written(name, kind)) {
        if ["server", "log", "affinity", "failover", "limits"].contains(&field) {
            continue;
        }
        assert!(
            example.contains(&format!("{field} =")),
            "the example lacks {field}"
        );
        assert!(
            guide.contains(&format!("`{field}`")),
            "the guide lacks {field}"
        );
    }
}
