//! Which calls have a number, and which.

mod common;

use common::{CHAT, RESPONSES, read};

/// A question, this message, and the result of the call `b`.
fn chat(message: &str) -> String {
    let result = r#"{"role":"tool","tool_call_id":"b","content":"r"}"#;
    format!(r#"{{"messages":[{{"role":"user","content":"q"}},{message},{result}]}}"#)
}

fn answered(message: &str) -> Vec<u64> {
    read(CHAT, chat(message).as_bytes()).unwrap()
}

#[test]
fn calls_are_counted_alike_whatever_comes_first() {
    let content = r#""content":[{"type":"tool_use","id":"a","name":"f"}]"#;
    let calls = r#""tool_calls":[{"id":"b","function":{"name":"g"}}]"#;
    assert_eq!(
        answered(&format!("{{{content},{calls}}}")),
        answered(&format!("{{{calls},{content}}}"))
    );
}

#[test]
fn a_call_without_an_id_takes_a_number_too() {
    let other = |path: &str, sent: &dyn Fn(&str) -> String| {
        let [with, without] =
            [r#""id":"a","call_id":"a","#, ""].map(|id| read(path, sent(id).as_bytes()).unwrap());
        assert_eq!(with.last(), without.last());
    };
    // Of a call that keeps its id, the id tells nothing; of one that is left out, the number does.
    for message in [
        r#"{"tool_calls":[{ID"function":{"name":"f"}},{"id":"b","function":{"name":"g"}}]}"#,
        r#"{"content":[{"type":"tool_use",ID"name":"f"},{"type":"tool_use","id":"b","name":"g"}]}"#,
        r#"{"content":[{"functionCall":{ID"name":"f"}},{"functionCall":{"id":"b","name":"g"}}]}"#,
        r#"{"function_call":{ID"name":"f"}},{"tool_calls":[{"id":"b","name":"g"}]}"#,
    ] {
        other(CHAT, &|id| {
            chat(&message.replace("ID", id.replace(r#""call_id":"a","#, "").as_str()))
        });
    }
    other(RESPONSES, &|id| {
        format!(
            r#"{{"input":[{{"role":"user","content":"q"}},{{"type":"function_call",{id}"name":"f"}},{{"type":"function_call","call_id":"b","name":"g"}},{{"type":"function_call_output","call_id":"b","output":"r"}}]}}"#
        )
    });
}

#[test]
fn calls_that_are_left_out_take_no_number() {
    let calls = r#""tool_calls":[{"id":"b","name":"g"}]"#;
    for message in [
        format!(r#"{{"content":[{{"thought":true,"functionCall":{{"name":"f"}}}}],{calls}}}"#),
        format!(r#"{{"function_call":{{"name":"f"}},{calls}}}"#),
        r#"{"tool_calls":[null,{"id":"b","name":"g"}],"function_call":null}"#.to_owned(),
    ] {
        assert_eq!(
            answered(&message),
            answered(&format!("{{{calls}}}")),
            "{message}"
        );
    }
}
