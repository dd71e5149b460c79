//! `affinity replay` as people and scripts call it.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

const NAMES: [&str; 11] = [
    "random",
    "round-robin",
    "least-loaded",
    "whole-prompt",
    "first-entry",
    "session",
    "opener",
    "memory-opener",
    "memory-round-robin",
    "prefix-tree",
    "oracle",
];

/// Two conversations of two turns; the second line is broken on request.
fn trace(folder: &TempDir, broken: bool) -> PathBuf {
    let line = |at: u64, ids: &str, tokens: u64| {
        format!(
            "{{\"timestamp\":{at},\"input_length\":{tokens},\"output_length\":1,\"hash_ids\":[{ids}]}}\n"
        )
    };
    let mut text = line(0, "0,1", 1024);
    if broken {
        text += "{\"timestamp\":oops}\n";
    }
    text += &line(1000, "0,5", 1024);
    text += &line(2000, "0,1,2", 1536);
    text += &line(3000, "0,5,6", 1536);
    let path = folder.path().join("small.jsonl");
    fs::write(&path, text).unwrap();
    path
}

fn replay() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_affinity"));
    command.arg("replay");
    command
}

fn output(command: &mut Command) -> (Option<i32>, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().expect("affinity starts");
    let text = |bytes| String::from_utf8(bytes).expect("output is text");
    (status.code(), text(stdout), text(stderr))
}

fn folder() -> TempDir {
    TempDir::new().expect("a temporary folder")
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).expect("the report is JSON")
}

#[test]
fn where_nothing_is_reachable_there_is_no_share_of_it() {
    let folder = folder();
    let path = folder.path().join("lone.jsonl");
    let line = "{\"timestamp\":0,\"input_length\":1024,\"output_length\":1,\"hash_ids\":[0,1]}\n";
    fs::write(&path, line).unwrap();
    let report = folder.path().join("report.json");
    let plot = folder.path().join("plot.svg");
    let mut command = replay();
    command.arg(path).arg("--json").arg(&report);
    let (code, stdout, _) = output(command.arg("--plot").arg(&plot));
    assert_eq!(code, Some(0));
    assert!(stdout.contains("nothing is reachable"), "{stdout}");
    assert!(!stdout.contains("100.0 %"), "{stdout}");
    assert!(fs::read_to_string(plot).unwrap().contains('–'));
    let report = json(&report);
    let policies = report["policies"].as_array().unwrap();
    assert!(policies.iter().all(|policy| policy["share"].is_null()));
}

#[test]
fn json_has_the_documented_shape() {
    let folder = folder();
    let report = folder.path().join("report.json");
    let (code, stdout, stderr) = output(
        replay()
            .arg(trace(&folder, false))
            .arg("--json")
            .arg(&report),
    );
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    for name in NAMES {
        assert!(stdout.contains(name), "{stdout}");
    }

    let report = json(&report);
    let keys =
        |value: &Value| -> Vec<String> { value.as_object().unwrap().keys().cloned().collect() };
    let mut expected = [
        "trace",
        "requests",
        "channels",
        "ttl_s",
        "reachable",
        "policies",
    ];
    expected.sort_unstable();
    let mut actual = keys(&report);
    actual.sort_unstable();
    assert_eq!(actual, expected);
    assert_eq!(report["trace"], "small.jsonl");
    assert_eq!(report["requests"], 4);
    assert_eq!(report["channels"], 16);
    assert_eq!(report["ttl_s"], 300.0);
    // 5 of 10 blocks: the second conversation has the system prompt, each second turn two blocks.
    assert_eq!(report["reachable"], 0.5);

    let policies = report["policies"].as_array().unwrap();
    let names: Vec<&str> = policies
        .iter()
        .map(|policy| policy["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, NAMES);
    let figures = [
        "hit",
        "share",
        "max_mean_requests",
        "max_mean_tokens",
        "probes_per_recall",
    ];
    for policy in policies {
        assert_eq!(policy.as_object().unwrap().len(), 1 + figures.len());
        assert!(
            figures.iter().all(|figure| policy[figure].is_f64()),
            "{policy}"
        );
    }
    assert_eq!(policies[1]["hit"], 0.0);
    assert_eq!(policies[4]["share"], 1.0);
    assert_eq!(policies[4]["max_mean_requests"], 16.0);
    assert_eq!(policies[7]["probes_per_recall"], 2.0);
}

#[test]
fn only_the_policies_asked_for_are_replayed() {
    let folder = folder();
    let path = trace(&folder, false);
    let (code, stdout, _) = output(replay().arg(path).args([
        "--policy",
        "oracle,round-robin",
        "--channels",
        "3",
        "--ttl",
        "0.5",
        "--limit",
        "0",
    ]));
    assert_eq!(code, Some(0));
    assert!(stdout.contains("round-robin") && stdout.contains("oracle"));
    assert!(!stdout.contains("memory-opener"));
    assert!(stdout.contains("3 accounts, ttl 0.5 s"), "{stdout}");
}

#[test]
fn trace_comes_from_standard_input_too() {
    let folder = folder();
    let file = fs::File::open(trace(&folder, false)).unwrap();
    let (code, stdout, _) = output(replay().arg("-").stdin(file));
    assert_eq!(code, Some(0));
    assert!(stdout.contains("4 requests"), "{stdout}");
}

#[test]
fn plot_is_an_svg_with_every_policy() {
    let folder = folder();
    let plot = folder.path().join("plot.svg");
    let path = trace(&folder, false);
    let (code, ..) = output(replay().arg(path).arg("--plot").arg(&plot));
    assert_eq!(code, Some(0));
    let svg = fs::read_to_string(plot).unwrap();
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    assert!(NAMES.iter().all(|name| svg.contains(name)));
}

#[test]
fn malformed_line_is_reported_and_skipped() {
    let folder = folder();
    let (code, stdout, stderr) = output(replay().arg(trace(&folder, true)));
    assert_eq!(code, Some(0));
    assert!(stdout.contains("4 requests"), "{stdout}");
    assert!(
        stderr.contains("small.jsonl: skipped line 2: expected"),
        "{stderr}"
    );
}

#[test]
fn strict_refuses_a_malformed_line() {
    let folder = folder();
    let (code, stdout, stderr) = output(replay().arg(trace(&folder, true)).arg("--strict"));
    assert_eq!((code, stdout.as_str()), (Some(1), ""));
    assert!(stderr.contains("small.jsonl: line 2: expected"), "{stderr}");
}

#[test]
fn what_cannot_be_read_is_named() {
    let folder = folder();
    let missing = folder.path().join("missing.json");
    let (code, _, stderr) = output(replay().arg(&missing));
    assert_eq!(code, Some(1));
    assert!(stderr.starts_with("affinity: cannot open"), "{stderr}");
    assert!(stderr.contains("missing.json: No such file"), "{stderr}");

    let (code, _, stderr) = output(replay().arg(folder.path()));
    assert_eq!(code, Some(1));
    assert!(stderr.contains("is a directory"), "{stderr}");

    let empty = folder.path().join("empty.jsonl");
    fs::write(&empty, "").unwrap();
    let (code, _, stderr) = output(replay().arg(&empty));
    assert_eq!(code, Some(1));
    assert!(stderr.contains("none of the formats mooncake,"), "{stderr}");
    let (code, _, stderr) = output(replay().arg(&empty).args(["--format", "blocks"]));
    assert_eq!(code, Some(1));
    assert!(stderr.contains("no request in the trace"), "{stderr}");
}

#[test]
fn what_cannot_be_written_is_named() {
    let folder = folder();
    let report = folder.path().join("nowhere").join("report.json");
    let path = trace(&folder, false);
    let (code, _, stderr) = output(replay().arg(path).arg("--json").arg(&report));
    assert_eq!(code, Some(1));
    assert!(stderr.contains("cannot write"), "{stderr}");
    assert!(stderr.contains("report.json: No such file"), "{stderr}");
}

#[test]
fn wrong_usage_says_what_is_expected() {
    for (arguments, hint) in [
        (["--policy", "magic"], "memory-opener"),
        (["--format", "csv"], "mooncake"),
        (["--channels", "0"], "1..="),
        (["--channels=-1", "--strict"], "--channels"),
        (["--ttl", "soon"], "expected seconds"),
        (["--ttl=-1", "--strict"], "negative"),
        (["--limit", "many"], "--limit"),
    ] {
        let (code, stdout, stderr) = output(replay().args(arguments));
        assert_eq!((code, stdout.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(stderr.contains(hint), "{arguments:?}: {stderr}");
    }
}

#[test]
fn closed_pipe_is_no_failure() {
    let folder = folder();
    let mut child = replay()
        .arg(trace(&folder, false))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut stderr = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut stderr)
        .unwrap();
    assert_eq!(
        (child.wait().unwrap().code(), stderr.as_str()),
        (Some(0), "")
    );
}

#[test]
fn generated_traffic_is_the_same_for_the_same_seed() {
    let folder = folder();
    let report = |seed: &str| {
        let path = folder.path().join(seed);
        let (code, stdout, _) = output(
            replay()
                .args(["--policy", "round-robin,memory-opener", "--seed", seed])
                .arg("--json")
                .arg(&path),
        );
        assert_eq!(code, Some(0));
        (stdout, json(&path))
    };
    let (stdout, first) = report("1");
    assert_eq!(first, report("1").1);
    assert_ne!(first, report("2").1);
    assert_eq!(first["trace"], "generated");
    assert!(stdout.contains("generated: "));
    assert!(first["policies"][1]["share"].as_f64().unwrap() >= 0.99);
    assert!(first["policies"][0]["share"].as_f64().unwrap() < 0.7);
}
