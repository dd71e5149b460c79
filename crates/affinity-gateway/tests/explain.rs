//! `affinity explain` as a user runs it.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

fn explain(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_affinity"))
        .arg("explain")
        .args(args)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

fn file(dir: &Path, name: &str, text: &str) -> String {
    let path = dir.join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

fn body(last: &str) -> String {
    json!({"model": "m", "system": "Be careful.", "messages": [
        {"role": "user", "content": "a private question"},
        {"role": "assistant", "content": last},
    ]})
    .to_string()
}

#[test]
fn json_tells_what_a_request_is_taken_for() {
    let dir = TempDir::new().unwrap();
    let body = file(dir.path(), "body.json", &body("ok"));
    let headers = file(
        dir.path(),
        "headers",
        "X-Affinity-Session:  \nsession-id: s-secret\n",
    );
    let shown = explain(&[
        "--headers",
        &headers,
        "--path",
        "/v1/messages",
        "--json",
        &body,
    ]);
    assert!(
        !shown.contains("private") && !shown.contains("s-secret"),
        "{shown}"
    );
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(shown["dialect"], "anthropic_messages");
    assert_eq!(shown["model"], "m");
    assert_eq!(shown["bound"], false);
    assert_eq!(shown["reason"], Value::Null);
    assert_eq!(shown["session"]["source"], "session-id");
    assert_eq!(shown["session"]["id_hash"].as_str().unwrap().len(), 16);
    assert_eq!(
        shown["rejected"],
        json!([{"source": "x-affinity-session", "reason": "blank"}])
    );
    let links = shown["fingerprint"]["links"].as_array().unwrap();
    assert_eq!(links.len(), 3);
    assert!(links.iter().all(|link| link.as_str().unwrap().len() == 16));
    assert_eq!(shown["fingerprint"]["opener"], 1);
}

#[test]
fn a_side_call_says_why_it_has_no_fingerprint() {
    let dir = TempDir::new().unwrap();
    let body = file(dir.path(), "body.json", &body("ok"));
    let shown: Value = serde_json::from_str(&explain(&[
        "--path",
        "/v1/messages/count_tokens",
        "--json",
        &body,
    ]))
    .unwrap();
    assert_eq!(shown["fingerprint"], Value::Null);
    assert_eq!(shown["reason"], "a side call, not a conversation");
}

#[test]
fn text_is_shown_only_if_asked_for() {
    let dir = TempDir::new().unwrap();
    let body = file(dir.path(), "body.json", &body("ok"));
    assert!(!explain(&[&body]).contains("private"));
    assert!(explain(&["--show-text", &body]).contains("content[0].text: a private question"));
}

#[test]
fn diff_names_the_entry_and_the_field() {
    let dir = TempDir::new().unwrap();
    let (a, b) = (
        file(dir.path(), "a.json", &body("ok")),
        file(dir.path(), "b.json", &body("no")),
    );
    let shown = explain(&["--diff", &a, &b]);
    assert_eq!(
        shown,
        "they share 2 links and part at entry 2 (message), at content[0].text\n"
    );
    assert_eq!(explain(&["--diff", &a, &a]), "the same conversation\n");
    let shown: Value = serde_json::from_str(&explain(&["--json", "--diff", &a, &b])).unwrap();
    assert_eq!(
        shown["difference"],
        json!({"entry": 2, "kind": "message", "field": "content[0].text"})
    );
}
