//! However a body is spelled, its links are the same; and reading it again allocates nothing.

mod common;

use affinity_hash::{ChainBuilder, Key, Scope};
use affinity_llm::{Request, Scratch, SessionRules};
use common::generate::body;
use common::{ANTHROPIC, CHAT, GEMINI, RESPONSES, read};
use serde_json::{Value, json};

#[test]
fn escapes_say_the_same_at_every_place() {
    let escapes = [
        r"\n",
        r#"\""#,
        r"\\\\",
        r"\/",
        r"\u000A",
        r"\u00e9",
        r"\uD83D\ude00",
        r"\u0022",
        r#"\\\"\\n"#,
        "é😀",
    ];
    for place in 0..140 {
        for escape in escapes {
            let text = format!(
                "{}{escape}{}{escape}",
                "a".repeat(place),
                "b".repeat(place % 67)
            );
            // As text, as a key, and as a key and a text of arguments, which are JSON in a string.
            let inside = format!(r#"{{"{text}":"{text}"}}"#);
            let body = |arguments: &str| {
                format!(
                    r#"{{"{text}":"{text}","messages":[{{"role":"user","content":"{text}"}},{{"role":"assistant","tool_calls":[{{"id":"{text}","function":{{"arguments":{arguments}}},"{text}":{{"{text}":["{text}"]}}}}]}},{{"role":"tool","tool_call_id":"{text}","content":"{text}"}}]}}"#
                )
            };
            let sent = body(&Value::from(inside.as_str()).to_string());
            let links = read(CHAT, sent.as_bytes()).unwrap();
            let respelled: Value = serde_json::from_str(&sent).unwrap();
            for same in [respelled.to_string(), body(&inside)] {
                assert_eq!(read(CHAT, same.as_bytes()).unwrap(), links, "{same}");
            }
        }
    }
}

#[test]
fn a_function_response_is_a_result_wherever_the_type_stands() {
    let sent = |part: &str| {
        let body = format!(r#"{{"contents":[{{"parts":[{{"text":"q"}}]}},{{"parts":[{part}]}}]}}"#);
        read(GEMINI, body.as_bytes()).unwrap()
    };
    let response = r#""functionResponse":{"name":"f","response":{"r":1}}"#;
    assert_eq!(
        sent(&format!(r#"{{"type":"x",{response}}}"#)),
        sent(&format!(r#"{{{response},"type":"x"}}"#))
    );
    let text = sent(&format!(r#"{{"type":"text",{response}}}"#));
    assert_eq!(text, sent(&format!(r#"{{{response},"type":"text"}}"#)));
    assert_eq!(text, sent(&format!("{{{response}}}")));
}

#[test]
fn of_two_names_of_one_field_the_dialects_own_counts() {
    let message = |message: &str| {
        let body = format!(r#"{{"messages":[{{"role":"user","content":"q"}},{message}]}}"#);
        read(CHAT, body.as_bytes()).unwrap()
    };
    let content = |message: &str| {
        let body = format!(r#"{{"contents":[{{"parts":[{{"text":"q"}}]}},{message}]}}"#);
        read(GEMINI, body.as_bytes()).unwrap()
    };
    let call = |call: &str| message(&format!(r#"{{"role":"assistant","tool_calls":[{call}]}}"#));

    let both = [
        r#"{"content":"a","parts":"b"}"#,
        r#"{"parts":"b","content":"a"}"#,
    ];
    for sent in both {
        assert_eq!(message(sent), message(r#"{"content":"a"}"#));
        assert_eq!(content(sent), content(r#"{"parts":"b"}"#));
    }
    // What says nothing is as good as absent.
    for sent in [
        r#"{"content":null,"parts":"b"}"#,
        r#"{"parts":"b","content":[]}"#,
    ] {
        assert_eq!(message(sent), message(r#"{"content":"b"}"#));
    }
    for sent in [
        r#"{"role":"assistant","function_call":{"name":"f"},"tool_calls":null}"#,
        r#"{"role":"assistant","tool_calls":[],"function_call":{"name":"f"}}"#,
    ] {
        assert_eq!(message(sent), call(r#"{"function":{"name":"f"}}"#));
    }
    for sent in [
        r#"{"name":"b","function":{"name":"a"},"custom":{"name":"c"}}"#,
        r#"{"custom":{"name":"c"},"function":{"name":"a"},"name":"b"}"#,
    ] {
        assert_eq!(call(sent), call(r#"{"name":"a"}"#));
    }
}

#[test]
fn code_assist_has_the_model_outside_and_all_else_inside() {
    let sent = |outer: &str, inner: &str| {
        let inner = format!(r#""request":{{"contents":[{{"parts":[{{"text":"a"}}]}}],{inner}}}"#);
        let [first, second] = [
            format!("{{{outer},{inner}}}"),
            format!("{{{inner},{outer}}}"),
        ]
        .map(|body| {
            let mut scratch = Scratch::new();
            let request = Request::read(&(), GEMINI, body.as_bytes(), &mut scratch);
            let rules = SessionRules::default();
            (
                read(GEMINI, body.as_bytes()).unwrap(),
                request.model().map(str::to_owned),
                request
                    .session(&rules)
                    .map(|session| session.id().to_owned()),
            )
        });
        assert_eq!(first, second, "{outer} {inner}");
        first
    };
    let none = r#""x":1"#;
    for (outer, inner, same) in [
        (
            r#""contents":[{"parts":[{"text":"b"}]}]"#,
            none,
            [none, none],
        ),
        (r#""contents":null"#, none, [none, none]),
        (
            r#""system_instruction":"o""#,
            r#""systemInstruction":"i""#,
            [none, r#""systemInstruction":"i""#],
        ),
        (
            r#""systemInstruction":"o""#,
            r#""system_instruction":"i""#,
            [none, r#""systemInstruction":"i""#],
        ),
        (
            r#""systemInstruction":"o""#,
            r#""systemInstruction":null,"system_instruction":"""#,
            [none, r#""systemInstruction":"o""#],
        ),
        (
            r#""tools":[{"name":"o"}]"#,
            r#""tools":[{"name":"i"}]"#,
            [none, r#""tools":[{"name":"i"}]"#],
        ),
        (
            r#""tools":[{"name":"o"}]"#,
            r#""tools":null"#,
            [none, r#""tools":[{"name":"o"}]"#],
        ),
        (
            r#""session_id":"o""#,
            r#""session_id":"i""#,
            [none, r#""session_id":"i""#],
        ),
        (
            r#""session_id":"o""#,
            r#""session_id":null"#,
            [r#""session_id":"o""#, none],
        ),
        (r#""model":"o""#, r#""model":"i""#, [r#""model":"o""#, none]),
        (
            r#""model":null"#,
            r#""model":"i""#,
            [none, r#""model":"i""#],
        ),
    ] {
        assert_eq!(
            sent(outer, inner),
            sent(same[0], same[1]),
            "{outer} {inner}"
        );
    }
}

#[test]
fn a_part_of_type_text_is_one_without_a_type() {
    let sent = |part: &str| {
        let body = format!(r#"{{"messages":[{{"content":"q"}},{{"content":[{part}]}}]}}"#);
        read(CHAT, body.as_bytes()).unwrap()
    };
    for members in [
        r#""text":"""#,
        r#""text":null"#,
        r#""text":"","x":1"#,
        r#""x":1"#,
        r#""text":"a","x":1"#,
    ] {
        let untyped = sent(&format!("{{{members}}}"));
        for kind in ["text", "input_text", "output_text", ""] {
            assert_eq!(
                sent(&format!(r#"{{"type":"{kind}",{members}}}"#)),
                untyped,
                "{members}"
            );
        }
    }
    // An empty text takes nothing from what stands beside it.
    assert_eq!(sent(r#"{"text":"","x":1}"#), sent(r#"{"x":1}"#));
    assert_eq!(sent(r#"{"text":"a","x":1}"#), sent(r#""a""#));
}

#[test]
fn what_a_result_holds_is_no_user_turn() {
    let turns = |part: &str| {
        let body = format!(
            r#"{{"messages":[{{"content":"q"}},{{"role":"assistant","content":"a"}},{{"content":[{part}]}}]}}"#
        );
        let mut scratch = Scratch::new();
        let mut chain = ChainBuilder::new();
        let request = Request::read(&(), ANTHROPIC, body.as_bytes(), &mut scratch);
        request
            .fingerprint(Scope::public(), &mut chain)
            .unwrap()
            .turns
    };
    assert_eq!(
        turns(r#"{"type":"tool_result","source":{"content":"x"}}"#),
        1
    );
    assert_eq!(turns(r#"{"type":"thinking","source":{"content":"x"}}"#), 1);
    assert_eq!(turns(r#"{"functionResponse":{}}"#), 1);
    assert_eq!(turns(r#"{"type":"document","source":{"content":"x"}}"#), 2);
}

#[test]
fn reading_again_allocates_nothing() {
    let deep = json!({"z": [1, 2.5, {"b": "x", "a": null}], "a": "é\"\n"});
    let mut scratch = Scratch::new();
    let mut chain = ChainBuilder::new();
    let rules = SessionRules::default();
    let headers = [("accept", "*/*"), ("session-id", "s")];
    let scope = Scope::keyed(&Key::new([1; 16])).model(b"m");
    let bodies: Vec<_> = (0..4)
        .map(|dialect| {
            let (path, mut body) = body(dialect, "text \u{1F600}", &deep);
            body["metadata"] = json!({"user_id": "{\"session_id\":\"a\"}"});
            body["skipped"] = json!({"a\"b": ["c\"d\n"]});
            (path, body.to_string())
        })
        .collect();
    let mut run = || {
        for (path, body) in &bodies {
            let request = Request::read(&headers, path, body.as_bytes(), &mut scratch);
            assert!(request.session(&rules).is_some());
            assert!(!request.bound());
            assert!(
                !request
                    .fingerprint(scope, &mut chain)
                    .unwrap()
                    .links
                    .is_empty()
            );
        }
    };
    run();
    let info = allocation_counter::measure(run);
    assert_eq!(info.count_total, 0, "{info:?}");
}

#[test]
fn shrinking_gives_memory_back() {
    let mut scratch = Scratch::new();
    let large = format!(
        r#"{{"messages":[{{"role":"user","content":"{}"}}]}}"#,
        "x".repeat(1 << 20)
    );
    Request::read(&(), CHAT, large.as_bytes(), &mut scratch);
    let info = allocation_counter::measure(|| scratch.shrink_to(1 << 12));
    assert!(info.bytes_current < -(1 << 19), "{info:?}");
}

#[test]
fn types_cross_threads() {
    fn crosses<T: Send + Sync>() {}
    crosses::<Scratch>();
    crosses::<SessionRules>();
    crosses::<Request<'static, [(String, String)]>>();
}

/// Serialisers that write unset fields write null; a member that says nothing must not count.
#[test]
fn what_says_nothing_takes_no_affinity_and_binds_nothing() {
    for (path, with, without) in [
        (
            GEMINI,
            r#"{"contents":[{"role":"user","parts":[{"text":"hi","functionResponse":null}]}]}"#,
            r#"{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}"#,
        ),
        (
            GEMINI,
            r#"{"contents":[{"parts":[{"text":"hi","function_response":{"name":"f"},"function_response":null}]}]}"#,
            r#"{"contents":[{"parts":[{"text":"hi"}]}]}"#,
        ),
        (
            GEMINI,
            r#"{"contents":[{"parts":[{"text":"hi","foo":1,"type":null}]}]}"#,
            r#"{"contents":[{"parts":[{"text":"hi","foo":1}]}]}"#,
        ),
        (
            CHAT,
            r#"{"messages":[{"role":null,"content":"hi"}]}"#,
            r#"{"messages":[{"content":"hi"}]}"#,
        ),
        (
            CHAT,
            r#"{"messages":[{"role":"","content":"hi"}]}"#,
            r#"{"messages":[{"content":"hi"}]}"#,
        ),
        (
            CHAT,
            r#"{"messages":[{"content":[{"type":"file","file":{"file_id":null,"file_data":"x"}}]}]}"#,
            r#"{"messages":[{"content":[{"type":"file","file":{"file_data":"x"}}]}]}"#,
        ),
        (
            RESPONSES,
            r#"{"input":[{"content":"hi"},{"type":"reasoning","id":null}],"previous_response_id":""}"#,
            r#"{"input":[{"content":"hi"},{"type":"reasoning"}]}"#,
        ),
    ] {
        assert!(read(path, with.as_bytes()).is_ok(), "{with}");
        assert_eq!(
            read(path, with.as_bytes()),
            read(path, without.as_bytes()),
            "{with}"
        );
        assert!(!bound(path, with), "{with}");
    }
    for order in [
        r#""reasoning_details":[{"type":"reasoning.encrypted"}],"encrypted_content":null"#,
        r#""encrypted_content":null,"reasoning_details":[{"type":"reasoning.encrypted"}]"#,
    ] {
        let body = format!(
            r#"{{"messages":[{{"content":"hi"}},{{"role":"assistant","content":"a",{order}}}]}}"#
        );
        assert!(bound(CHAT, &body), "{order}");
    }
}

fn bound(path: &str, body: &str) -> bool {
    Request::read(&(), path, body.as_bytes(), &mut Scratch::new()).bound()
}

#[test]
fn integers_are_equal_however_they_are_spelled() {
    let with = |number: &str| {
        let body = format!(
            r#"{{"messages":[{{"role":"user","content":"q"}},{{"role":"assistant","content":[{{"type":"tool_use","id":"c","name":"f","input":{{"n":{number}}}}}]}}]}}"#
        );
        read(ANTHROPIC, body.as_bytes()).expect("links")
    };
    for (one, other) in [
        ("10000000000000000", "1e16"),
        ("9007199254740994", "9007199254740994.0"),
        ("-9223372036854775808", "-9.223372036854775808e18"),
        ("18446744073709549568", "1.8446744073709549568e19"),
        ("7", "70e-1"),
    ] {
        assert_eq!(with(one), with(other), "{one}");
    }
    assert_ne!(with("9007199254740993"), with("9007199254740992"));
}
