//! Bodies that no client sends: a reason each, no panic, no deep stack, memory in proportion.

mod common;

use affinity_hash::{ChainBuilder, Scope};
use affinity_llm::{Fault, MAX_BODY, Malformed, NoFingerprint, Request, Scratch};
use common::{CHAT, read};
use proptest::prelude::*;

#[track_caller]
fn fault(body: &[u8]) -> Fault {
    match read(CHAT, body) {
        Err(NoFingerprint::Malformed(Malformed { fault, at })) => {
            assert!(at <= body.len().min(MAX_BODY));
            fault
        }
        other => panic!("expected a malformed body, got {other:?}"),
    }
}

const GOOD: &str = r#"{"model":"m","tools":[{"name":"t","x":[1,-2.5e3,true,null]}],"messages":[{"role":"user","content":[{"type":"text","text":"h\u00e9\n"}]}]}"#;

#[test]
fn every_truncation_has_a_reason() {
    assert!(read(CHAT, GOOD.as_bytes()).is_ok());
    for end in 0..GOOD.len() {
        assert!(
            matches!(
                fault(&GOOD.as_bytes()[..end]),
                Fault::End | Fault::Grammar | Fault::Number
            ),
            "{end}"
        );
    }
}

#[test]
fn every_single_wrong_byte_is_survived() {
    for at in 0..GOOD.len() {
        for byte in [
            0, b'"', b'\\', b'{', b'}', b'[', b',', b':', b'9', 0x80, 0xFF,
        ] {
            let mut body = GOOD.as_bytes().to_vec();
            body[at] = byte;
            let _ = read(CHAT, &body);
        }
    }
}

#[test]
fn deep_nesting_has_a_limit() {
    let nested = |open: &str, inner: &str, close: &str, depth: usize| {
        format!(
            r#"{{"x":{}{inner}{}}}"#,
            open.repeat(depth),
            close.repeat(depth)
        )
    };
    assert_eq!(fault("[".repeat(100_000).as_bytes()), Fault::Depth);
    assert_eq!(
        fault(nested("[", "", "]", 100_000).as_bytes()),
        Fault::Depth
    );
    assert_eq!(
        fault(nested("{\"a\":", "1", "}", 100_000).as_bytes()),
        Fault::Depth
    );
    for place in ["messages", "tools", "system", "metadata"] {
        let brackets = "[".repeat(100_000);
        assert!(
            read(
                CHAT,
                format!(r#"{{"{place}":[{{"content":{brackets}"#).as_bytes()
            )
            .is_err()
        );
    }
    let within = nested("[", "", "]", 127);
    assert_eq!(
        read(CHAT, within.as_bytes()),
        Err(NoFingerprint::NoConversation)
    );
    // JSON in a string is as deep as its surroundings; what is deeper stays a string.
    let arguments = "[".repeat(100_000);
    let body = format!(
        r#"{{"messages":[{{"role":"user","content":"x","tool_calls":[{{"function":{{"arguments":"{arguments}"}}}}]}}]}}"#
    );
    assert!(read(CHAT, body.as_bytes()).is_ok());
}

#[test]
fn faults_are_told_apart() {
    assert_eq!(fault(b""), Fault::End);
    assert_eq!(fault(b"null"), Fault::NotAnObject);
    assert_eq!(fault(b"[1]"), Fault::NotAnObject);
    assert_eq!(fault(b"{} {}"), Fault::Trailing);
    assert_eq!(fault(b"\xEF\xBB\xBF{}"), Fault::ByteOrderMark);
    assert_eq!(fault(b"{\"a\":\"\xFF\"}"), Fault::Utf8);
    assert_eq!(fault(b"{\"a\":\"\n\"}"), Fault::Control);
    assert_eq!(fault(br#"{"a":"\q"}"#), Fault::Escape);
    assert_eq!(fault(br#"{"a":-}"#), Fault::Number);
    assert_eq!(fault(br#"{"a":1,}"#), Fault::Grammar);
    assert_eq!(fault(br#"{"a":[1,]}"#), Fault::Grammar);
}

#[test]
fn huge_numbers_are_numbers() {
    let with = |number: &str| {
        let body = format!(
            r#"{{"tools":[{{"name":"t","x":{number}}}],"messages":[{{"role":"user","content":"hi"}}]}}"#
        );
        read(CHAT, body.as_bytes()).unwrap()
    };
    assert_ne!(with("1e400"), with("2e400"));
    assert_ne!(with(&"9".repeat(100_000)), with("9"));
    assert_eq!(with("1e-400"), with("0"));
}

#[test]
fn lone_surrogates_are_deterministic() {
    let said = |text: &str| {
        read(
            CHAT,
            format!(r#"{{"messages":[{{"role":"user","content":"{text}"}}]}}"#).as_bytes(),
        )
        .unwrap()
    };
    assert_eq!(said(r"\ud800"), said(r"\uD800"));
    assert_ne!(said(r"\ud800"), said(r"\ud801"));
    assert_ne!(said(r"\ud800"), said("\u{fffd}"));
    assert_eq!(said(r"\ud83d\ude00"), said("😀"));
}

#[test]
fn of_two_members_with_one_key_the_last_counts() {
    let once = read(CHAT, br#"{"messages":[{"role":"user","content":"b"}]}"#);
    for body in [
        &br#"{"messages":[{"role":"user","content":"a"},{"role":"user","content":"c"}],"messages":[{"role":"user","content":"b"}]}"#[..],
        br#"{"messages":[{"role":"assistant","content":"a","role":"user","content":"b"}]}"#,
        br#"{"messages":[{"role":"user","content":[{"type":"text","text":"a","text":"b"}]}]}"#,
        br#"{"tools":[{"name":"t"}],"tools":[],"messages":[{"role":"user","content":"b"}]}"#,
    ] {
        assert_eq!(read(CHAT, body), once, "{}", String::from_utf8_lossy(body));
    }
    let schema = |schema: &str| {
        read(CHAT, format!(r#"{{"tools":[{{"name":"t","s":{schema}}}],"messages":[{{"role":"user","content":"b"}}]}}"#).as_bytes())
    };
    assert_eq!(schema(r#"{"k":1,"j":0,"k":2}"#), schema(r#"{"j":0,"k":2}"#));
}

#[test]
fn spaces_take_no_memory() {
    let mut body = vec![b' '; 64 << 20];
    let mut scratch = Scratch::new();
    let mut chain = ChainBuilder::new();
    let info = allocation_counter::measure(|| {
        let request = Request::read(&(), CHAT, &body, &mut scratch);
        let malformed = Malformed {
            at: 64 << 20,
            fault: Fault::End,
        };
        assert_eq!(
            request.fingerprint(Scope::public(), &mut chain).err(),
            Some(NoFingerprint::Malformed(malformed))
        );
    });
    // A bit for each byte.
    assert!(info.bytes_max < (8 << 20) + 4096, "{info:?}");
    body.truncate(1 << 20);
    body.extend_from_slice(GOOD.as_bytes());
    assert_eq!(read(CHAT, &body), read(CHAT, GOOD.as_bytes()));
}

#[test]
fn memory_is_in_proportion_to_the_body() {
    let members = (0..100_000)
        .rev()
        .map(|at| format!(r#""{at}":.5"#).replace(".5", "0.5"))
        .collect::<Vec<_>>()
        .join(",");
    let body = format!(
        r#"{{"tools":[{{"name":"t","x":{{{members}}}}}],"messages":[{{"role":"user","content":"hi"}}]}}"#
    );
    let mut scratch = Scratch::new();
    let info = allocation_counter::measure(|| {
        let request = Request::read(&(), CHAT, body.as_bytes(), &mut scratch);
        assert!(!request.bound());
    });
    assert!(
        info.bytes_max < 24 * body.len() as u64,
        "{info:?} for {}",
        body.len()
    );
}

proptest! {
    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = read(CHAT, &bytes);
    }

    #[test]
    fn any_text_of_json_characters_is_survived(text in r#"[\[\]{}",:\\ua0-9eE.+\-ntf ]{0,120}"#) {
        let body = text.as_bytes();
        let accepted = serde_json::from_slice::<serde_json::Value>(body).is_ok_and(|value| value.is_object());
        let malformed = matches!(read(CHAT, body), Err(NoFingerprint::Malformed(_)));
        prop_assert!(!(accepted && malformed), "serde_json takes it: {}", text);
    }
}
