//! `affinity explain` as a user runs it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

fn run(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_affinity"))
        .arg("explain")
        .args(args)
        .output()
        .unwrap()
}

fn explain(args: &[&str]) -> String {
    let output = run(args);
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
    assert_eq!(shown["dialect"], "anthropic");
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
fn the_dialect_is_told_by_the_path_or_with_a_word_of_warning_by_the_shape() {
    const BY_SHAPE: &str = "told by the shape of the body: --path makes sure";
    const UNKNOWN: &str = "neither path nor body belong to a known dialect: --path tells it";
    let dir = TempDir::new().unwrap();
    let said = json!([{"role": "user", "content": "q"}]);
    let bodies = [
        (
            "/v1/chat/completions",
            "openai-chat",
            Some("openai-chat"),
            json!({"messages": said}),
        ),
        (
            "/v1/responses",
            "openai-responses",
            Some("openai-responses"),
            json!({"input": said}),
        ),
        (
            "/v1/messages",
            "anthropic",
            Some("anthropic"),
            json!({"system": "s", "messages": said}),
        ),
        (
            "/v1beta/models/m:generateContent",
            "gemini",
            Some("gemini"),
            json!({"contents": [{"parts": [{"text": "q"}]}]}),
        ),
        // These have the shape of another, or of none.
        (
            "/v1/messages",
            "anthropic",
            Some("openai-chat"),
            json!({"max_tokens": 1, "messages": said}),
        ),
        (
            "/v1/responses",
            "openai-responses",
            None,
            json!({"input": "q"}),
        ),
    ];
    for (path, dialect, shape, body) in bodies {
        let body = file(dir.path(), "body.json", &body.to_string());
        let with_path = explain(&["--path", path, &body]);
        let told = format!("dialect  {dialect}, told by the path\n");
        assert!(with_path.starts_with(&told), "{with_path}");
        assert!(!with_path.contains("--path"), "{with_path}");
        let bare = explain(&[&body]);
        let shown: Value = serde_json::from_str(&explain(&["--json", &body])).unwrap();
        let Some(shape) = shape else {
            assert!(bare.starts_with("dialect  none\n"), "{bare}");
            assert!(bare.ends_with(&format!("no fingerprint: {UNKNOWN}\n")));
            assert_eq!(shown["reason"], UNKNOWN.replace(": --path tells it", ""));
            assert_eq!(shown["told"], Value::Null);
            continue;
        };
        let told = format!("dialect  {shape}, {BY_SHAPE}\n");
        assert!(bare.starts_with(&told), "{bare}");
        assert_eq!(shown["dialect"], shape);
        assert_eq!(shown["told"], "shape");
        assert_eq!(shown["reason"], Value::Null, "there is a fingerprint");
    }
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
        json!({"entry": 2, "kind": "message", "other_kind": null, "continues": null, "field": "content[0].text"})
    );
}

#[test]
fn diff_tells_what_else_differs() {
    let dir = TempDir::new().unwrap();
    let one = body("ok");
    let other = one.replace(r#""model":"m""#, r#""model":"n","session_id":"s-secret""#);
    let a = file(dir.path(), "a.json", &one);
    let b = file(dir.path(), "b.json", &other);
    let shown = explain(&["--path", "/v1/messages", "--diff", &a, &b]);
    assert!(!shown.contains("s-secret"), "{shown}");
    let lines: Vec<_> = shown.lines().collect();
    assert_eq!(lines[0], "model: A m, B n");
    assert!(
        lines[1].starts_with("session: A none, B body.session_id (id hash "),
        "{shown}"
    );
    assert_eq!(lines[2], "the same conversation");
    let shown: Value = serde_json::from_str(&explain(&["--json", "--diff", &a, &b])).unwrap();
    assert_eq!(shown["difference"], Value::Null);
    assert_eq!(
        shown["beside"][0],
        json!({"what": "model", "a": "m", "b": "n"})
    );
}

#[test]
fn diff_warns_of_dialects_that_differ_by_shape_alone() {
    let dir = TempDir::new().unwrap();
    let said = json!([{"role": "user", "content": "q"}]);
    let plain = file(dir.path(), "a.json", &json!({"messages": said}).to_string());
    let led = json!({"stop_sequences": ["x"], "messages": said}).to_string();
    let led = file(dir.path(), "b.json", &led);
    assert_eq!(
        explain(&["--diff", &plain, &led]),
        "dialect: A openai-chat, B anthropic\n\
         dialect told by the shape of the body: --path makes sure\n\
         the same conversation\n"
    );
    assert_eq!(
        explain(&["--path", "/v1/messages", "--diff", &plain, &led]),
        "the same conversation\n"
    );
}

#[test]
fn diff_says_which_continues_which_and_what_each_has() {
    let dir = TempDir::new().unwrap();
    let turn = |said: Value| json!({"messages": said}).to_string();
    let question = json!({"role": "user", "content": "q"});
    let answer = json!({"role": "assistant", "content": "a"});
    let short = file(dir.path(), "a.json", &turn(json!([question])));
    let long = file(dir.path(), "b.json", &turn(json!([question, answer])));
    let led = json!({"system": "s", "messages": [question]}).to_string();
    let led = file(dir.path(), "c.json", &led);
    for (a, b, expected, continues, other_kind) in [
        (
            &short,
            &long,
            "B continues A: they share 1 link, then A ends\n",
            json!("B"),
            Value::Null,
        ),
        (
            &long,
            &short,
            "A continues B: they share 1 link, then B ends\n",
            json!("A"),
            Value::Null,
        ),
        (
            &short,
            &led,
            "they share no link and part at entry 0: message in A, system in B\n",
            Value::Null,
            json!("system"),
        ),
    ] {
        let args = ["--path", "/v1/messages", "--diff", a, b];
        assert_eq!(explain(&args), expected);
        let shown = explain(&[&["--json"], &args[..]].concat());
        let shown: Value = serde_json::from_str(&shown).unwrap();
        assert_eq!(shown["difference"]["continues"], continues);
        assert_eq!(shown["difference"]["other_kind"], other_kind);
    }
}

#[test]
fn entries_that_differ_in_no_text_do_not_continue_each_other() {
    let dir = TempDir::new().unwrap();
    let called = |arguments: &str| {
        let call = json!({"type": "function", "function": {"name": "f", "arguments": arguments}});
        let messages = json!([
            {"role": "user", "content": "q"},
            {"role": "assistant", "tool_calls": [call]},
        ]);
        json!({"messages": messages}).to_string()
    };
    let a = file(dir.path(), "a.json", &called(r#"{"of": []}"#));
    let b = file(dir.path(), "b.json", &called(r#"{"of": {}}"#));
    assert_eq!(
        explain(&["--diff", &a, &b]),
        "they share 1 link and part at entry 1 (message)\n"
    );
}

#[test]
fn diff_names_what_only_one_of_them_says() {
    let dir = TempDir::new().unwrap();
    let said = |last: Value| {
        let messages = json!([{"role": "user", "content": "q"}, last]);
        json!({"messages": messages}).to_string()
    };
    let a = said(json!({"role": "user", "content": "z"}));
    let b = said(json!({"role": "assistant", "content": "z"}));
    let (a, b) = (
        file(dir.path(), "a.json", &a),
        file(dir.path(), "b.json", &b),
    );
    for (one, other, texts) in [
        (&a, &b, "A: nothing\nB: assistant\n"),
        (&b, &a, "A: assistant\nB: nothing\n"),
    ] {
        let expected = "they share 1 link and part at entry 1 (message), at role\n";
        assert_eq!(explain(&["--diff", one, other]), expected);
        let shown = explain(&["--show-text", "--diff", one, other]);
        assert_eq!(shown, format!("{expected}{texts}"));
    }
}

#[test]
fn links_are_counted_in_words() {
    let dir = TempDir::new().unwrap();
    let chat = |first: &str, second: &str| {
        let said = [("user", first), ("assistant", second)];
        let said = said.map(|(role, content)| json!({"role": role, "content": content}));
        json!({"messages": said}).to_string()
    };
    let a = file(dir.path(), "a.json", &chat("q", "ok"));
    let b = file(dir.path(), "b.json", &chat("q", "no"));
    let c = file(dir.path(), "c.json", &chat("?", "no"));
    assert!(explain(&["--diff", &a, &b]).starts_with("they share 1 link and part at entry 1 "));
    assert!(explain(&["--diff", &a, &c]).starts_with("they share no link and part at entry 0 "));
}

#[test]
fn a_malformed_body_fails_with_the_reason() {
    let dir = TempDir::new().unwrap();
    let bad = file(dir.path(), "bad.json", r#"{"messages":["#);
    let good = file(dir.path(), "good.json", &body("ok"));
    for args in [
        &[bad.as_str()][..],
        &["--json", &bad],
        &["--diff", &good, &bad],
    ] {
        let output = run(args);
        assert_eq!(output.status.code(), Some(1));
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(
            error.ends_with("bad.json: malformed body: the body ends inside a value at byte 13\n"),
            "{error}"
        );
    }
}
