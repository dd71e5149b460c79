//! However a body is spelled, its links are the same: for any body.

mod common;

use affinity_hash::{ChainBuilder, Scope};
use affinity_llm::{Request, Scratch};
use common::generate::{body, known, random, respell};
use common::{ANTHROPIC, CHAT, GEMINI, RESPONSES, read};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Any JSON value, of a size that stays fast.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e9..1e9).prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(text(), inner, 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z_]{0,8}", "\\PC{0,40}", "[\\x00-\\x7f]{0,70}"]
}

proptest! {
    #[test]
    fn another_spelling_is_the_same_conversation(dialect in 0_usize..4, text in text(), value in value(), seed: u32) {
        let (path, body) = body(dialect, &text, &value);
        let mut random = random(seed);
        let mut other = String::new();
        respell(&body, &mut random, &mut other);
        let links = read(path, body.to_string().as_bytes());
        prop_assert!(links.is_ok());
        prop_assert_eq!(read(path, other.as_bytes()), links, "{}", other);
    }

    #[test]
    fn another_value_is_another_conversation(dialect in 0_usize..4, value in value(), other in value()) {
        // A null is as good as absent in some of the places.
        prop_assume!(value != other && !value.is_null() && !other.is_null());
        let (path, one) = body(dialect, "t", &json!({"k": value}));
        let (_, two) = body(dialect, "t", &json!({"k": other}));
        prop_assume!(!same_numbers(&value, &other));
        prop_assert_ne!(read(path, one.to_string().as_bytes()), read(path, two.to_string().as_bytes()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]
    #[test]
    fn of_several_names_of_one_field_the_order_of_keys_chooses_none(
        path in prop::sample::select(vec![CHAT, RESPONSES, ANTHROPIC, GEMINI, "/"]),
        place in prop::sample::select(vec!["messages", "input", "contents"]),
        messages in prop::collection::vec(known(), 1..5),
        others in prop::collection::btree_map(
            prop::sample::select(vec![
                "system", "instructions", "systemInstruction", "system_instruction", "tools", "request",
                "messages", "contents", "input", "previous_response_id", "model",
            ]),
            known(),
            0..5,
        ),
        wrapped in any::<bool>(),
        seed: u32,
    ) {
        let mut conversation = vec![json!({"role": "user", "content": "q", "parts": [{"text": "q"}]})];
        conversation.extend(messages);
        let mut body: Value = others.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        let holder = if wrapped { &mut body["request"] } else { &mut body };
        if !holder.is_object() {
            *holder = json!({});
        }
        holder[place] = Value::from(conversation);
        let mut random = random(seed);
        let seen = |text: &str| {
            let mut scratch = Scratch::new();
            let request = Request::read(&(), path, text.as_bytes(), &mut scratch);
            let mut chain = ChainBuilder::new();
            let fingerprint = request.fingerprint(Scope::public(), &mut chain);
            let fingerprint = fingerprint.map(|found| (found.links.to_vec(), found.opener, found.turns));
            (fingerprint, request.bound(), request.model().map(str::to_owned), request.dialect())
        };
        let expected = seen(&body.to_string());
        for _ in 0..4 {
            let mut other = String::new();
            respell(&body, &mut random, &mut other);
            prop_assert_eq!(seen(&other), expected.clone(), "{}", other);
        }
    }
}

proptest! {
    #[test]
    fn the_order_of_tools_tells_nothing(
        mut tools in prop::collection::vec(known(), 1..6),
        twin in any::<prop::sample::Index>(),
        declared in any::<bool>(),
        seed: u32,
    ) {
        // Two that differ in nothing but what their names do not tell.
        let mut other = tools[twin.index(tools.len())].clone();
        if let Some(other) = other.as_object_mut() {
            other.insert("z".to_owned(), json!({"b": 1, "a": [seed]}));
        }
        tools.push(other);
        let body = |tools: &[Value]| {
            let tools = if declared { json!([{"functionDeclarations": tools}]) } else { json!(tools) };
            json!({"tools": tools, "contents": [{"parts": [{"text": "q"}]}]})
        };
        let expected = read(GEMINI, body(&tools).to_string().as_bytes());
        let mut random = random(seed);
        for _ in 0..4 {
            tools.sort_by_cached_key(|_| random());
            let mut other = String::new();
            respell(&body(&tools), &mut random, &mut other);
            prop_assert_eq!(read(GEMINI, other.as_bytes()), expected.clone(), "{}", other);
        }
    }
}

/// Whether two different values are one in canonical form: numbers by value, line ends.
fn same_numbers(one: &Value, other: &Value) -> bool {
    let plain = |value: &Value| {
        value
            .to_string()
            .replace("\\r\\n", "\\n")
            .replace("-0.0", "0")
            .replace(".0", "")
    };
    plain(one) == plain(other)
}
