//! One thing that is wrong with a configuration does not hide another.

use affinity_gateway::config::{Keys, load};

use crate::config::{CHANNEL, problems, read};

/// These problems, each beginning so, in this order, and no others.
#[track_caller]
fn only(found: &[String], expected: &[&str]) {
    for (found, expected) in found.iter().zip(expected) {
        let found = found.trim_start_matches("affinity.toml");
        assert!(found.starts_with(expected), "{found}\n{expected}");
    }
    assert_eq!(found.len(), expected.len(), "{found:#?}");
}

#[test]
fn wrong_values_are_named_at_once_with_all_that_makes_no_sense() {
    let text = r#"
[server]
listen = 8080
shutdwn = "3s"
[limits]
head = "1KiB"
idle_timeout = "30 parsecs"
headers = "many"
[affinity]
policy = "random"
bounded_load = { factor_percent = "much", flor = 1 }
[failover]
also_on = [402, "x", 200, 7.5]
[[channels]]
name = "a"
base_url = "ftp://x"
dialects = ["anthropic", "open"]
weight = -1
key_env = "NOT_SET"
[[channels]]
name = "a"
base_url = "https://h"
dialects = []
models = ["ok", 3]
aliases = { "x.y" = 3 }
[[clients]]
token_sha256 = "sk-oops"
tenant = 3
[[clients]]
token_sha256 = "sk-oops"
tenant = ""
[unknown]
"#;
    let expected = [
        ":3:10: server.listen: invalid type",
        ":4:1: server.shutdwn: unknown field",
        ":6:8: limits.head: expected 8KiB to 16MiB",
        ":7:16: limits.idle_timeout: invalid value",
        ":8:11: limits.headers: invalid type",
        ":10:10: affinity.policy: unknown variant",
        ":11:16: affinity.bounded_load: missing field `floor`",
        ":11:35: affinity.bounded_load.factor_percent: invalid type",
        ":11:43: affinity.bounded_load.flor: unknown field",
        ":13:17: failover.also_on[1]: invalid type",
        ":13:22: failover.also_on[2]: expected a status",
        ":13:27: failover.also_on[3]: invalid type",
        ":16:12: channels[0].base_url: expected an http",
        ":17:26: channels[0].dialects[1]: unknown variant",
        ":18:10: channels[0].weight: invalid value",
        ":19:11: channels[0].key_env: the environment variable NOT_SET is not set",
        ":21:8: channels[1].name: is also the name of channels[0]",
        ":23:12: channels[1].dialects: expected at least one",
        ":24:17: channels[1].models[1]: invalid type",
        ":25:21: channels[1].aliases.x.y: invalid type",
        ":27:16: clients[0].token_sha256: expected the SHA-256",
        ":28:10: clients[0].tenant: invalid type",
        ":30:16: clients[1].token_sha256: expected the SHA-256",
        ":31:10: clients[1].tenant: expected a name",
        ":32:2: unknown: unknown field",
    ];
    only(&problems(text), &expected);
}

#[test]
fn each_key_that_must_be_there_is_missed_once() {
    let expected = [
        ":1:25: affinity.bounded_load: missing field `factor_percent`",
        ":1:25: affinity.bounded_load: missing field `floor`",
        ":2:1: channels[0]: missing field `name`",
        ":2:1: channels[0]: missing field `base_url`",
        ":2:1: channels[0]: missing field `dialects`",
        ":3:1: channels[1]: missing field `name`",
        ":3:1: channels[1]: missing field `base_url`",
        ":3:1: channels[1]: missing field `dialects`",
        ":4:1: clients[0]: missing field `token_sha256`",
        ":4:1: clients[0]: missing field `tenant`",
    ];
    let text = "affinity.bounded_load = {}\n[[channels]]\n[[channels]]\n[[clients]]\n";
    only(&problems(text), &expected);
}

#[test]
fn what_follows_from_a_wrong_value_is_not_its_own_problem() {
    for (text, expected) in [
        // It would have been a token.
        (
            "[server]\nadmin = \"0.0.0.0:1\"\nadmin_token_sha256 = \"sk-oops\"\n",
            ":3:22: server.admin_token_sha256: expected the SHA-256",
        ),
        // They would have been clients.
        (
            "clients = 3\nserver.listen = \"0.0.0.0:1\"\n",
            ":1:11: clients: invalid type",
        ),
        // It would have been another address.
        (
            "[server]\nadmin = \"127.0.0.1:8080\"\nlisten = 8081\n",
            ":3:10: server.listen: invalid type",
        ),
    ] {
        only(&problems(&format!("{text}{CHANNEL}")), &[expected]);
    }
    for (text, expected) in [
        ("channels = 3", ":1:12: channels: invalid type"),
        (
            "channels = [3]",
            ":1:13: channels[0]: invalid type: integer, expected a table",
        ),
    ] {
        only(&problems(text), &[expected]);
    }
}

/// What is found when one line of the example, which has every key, is another.
fn in_the_example(change: impl Fn(&str) -> String) -> Vec<(usize, Vec<String>)> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let example = std::fs::read_to_string(format!("{root}/docs/affinity.example.toml")).unwrap();
    let lines: Vec<_> = example.lines().collect();
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("affinity.toml");
    let settings = lines.iter().enumerate().filter_map(|(at, line)| {
        let (key, _) = line.split_once(" = ").filter(|_| !line.starts_with('#'))?;
        Some((at, change(key)))
    });
    settings
        .map(|(at, line)| {
            let text = [&lines[..at], &[&line], &lines[at + 1..]].concat();
            std::fs::write(&file, text.join("\n")).unwrap();
            let problems = match load(&file, [], Keys::Skip) {
                Ok(_) => Vec::new(),
                Err(error) => error.to_string().lines().map(str::to_owned).collect(),
            };
            (at + 1, problems)
        })
        .collect()
}

#[test]
fn one_wrong_value_is_one_problem() {
    let found = in_the_example(|key| format!("{key} = [[1]]"));
    assert!(found.len() > 50);
    for (line, problems) in found {
        assert_eq!(problems.len(), 1, "{problems:#?}");
        assert!(problems[0].contains(&format!("affinity.toml:{line}:")));
    }
}

#[test]
fn one_key_that_is_not_there_is_at_most_one_problem() {
    let found = in_the_example(|_| String::new());
    assert!(found.iter().all(|(_, problems)| problems.len() <= 1));
    // Of three channels and one client.
    let missed = found.iter().filter(|(_, problems)| problems.len() == 1);
    assert_eq!(missed.count(), 3 * 3 + 2);
}

#[test]
fn all_that_is_no_toml_is_named_in_order_and_alone() {
    let found = problems("channels = nonsense\n[server]\nlisten = 3\nadmin =\n[limits\n");
    let places: Vec<_> = found
        .iter()
        .map(|line| line.split(": ").next().unwrap())
        .collect();
    assert_eq!(
        places,
        [
            "affinity.toml:1:12",
            "affinity.toml:4:8",
            "affinity.toml:5:8"
        ],
        "{found:#?}"
    );
}

#[test]
fn wrong_variables_are_named_beside_what_is_wrong_with_the_file() {
    let variables = [
        ("AFFINITY__SERVER__LISTEN", "127.0.0.1:9"),
        ("AFFINITY__NOWHERE__X", "1"),
        ("AFFINITY__LIMITS__HEDERS", "4"),
        ("AFFINITY__LIMITS__HEADERS", "many"),
    ];
    let text = format!("limits.body = true\n{CHANNEL}weight = \"much\"\n");
    let found = read(&text, &variables).expect_err("refused");
    let expected = [
        ": AFFINITY__NOWHERE__X: expected",
        ": AFFINITY__LIMITS__HEADERS: invalid type",
        ": AFFINITY__LIMITS__HEDERS: unknown field",
        ":1:15: limits.body: invalid type",
        ":6:10: channels[0].weight: invalid type",
    ];
    only(&found, &expected);
}

#[test]
fn a_file_full_of_problems_is_not_read_for_ever() {
    let text: String = (0..5_000).map(|i| format!("unknown_{i} = 1\n")).collect();
    assert_eq!(problems(&text).len(), 100);
}
