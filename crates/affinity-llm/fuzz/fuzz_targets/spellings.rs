//! Any conversation, spelled in two ways: the order of keys, white space, escapes and members that are
//! overwritten change nothing that is told.
#![no_main]

use affinity_hash::{ChainBuilder, Scope};
use affinity_llm::{NoFingerprint, Request, Scratch};
use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
struct Input {
    path: Path,
    /// Members of the body beside its conversation.
    others: Vec<(Key, Json)>,
    conversation: Vec<Vec<(Key, Json)>>,
    seed: u32,
}

#[derive(Arbitrary, Clone, Copy, Debug)]
enum Path {
    Chat,
    Responses,
    Anthropic,
    Gemini,
    Shape,
}

#[derive(Arbitrary, Debug)]
enum Json {
    Null,
    Bool(bool),
    Integer(i64),
    Float(f64),
    Text(String),
    Known(Word),
    Array(Vec<Json>),
    Object(Vec<(Key, Json)>),
    /// JSON inside a string, as the arguments of calls are.
    Inside(Box<Json>),
}

#[derive(Arbitrary, Clone, Debug, PartialEq)]
enum Key {
    Known(Word),
    Any(String),
}

/// A word that means something as a key or as a value, so that the fuzzer need not guess it.
#[derive(Arbitrary, Clone, Copy, Debug, PartialEq)]
struct Word(u8);

const WORDS: [&str; 62] = [
    "role",
    "content",
    "type",
    "name",
    "text",
    "id",
    "user",
    "assistant",
    "system",
    "tool",
    "messages",
    "input",
    "contents",
    "tools",
    "instructions",
    "systemInstruction",
    "parts",
    "tool_calls",
    "function",
    "arguments",
    "tool_call_id",
    "function_call",
    "call_id",
    "output",
    "message",
    "reasoning",
    "item_reference",
    "function_call_output",
    "tool_use",
    "tool_result",
    "tool_use_id",
    "thinking",
    "redacted_thinking",
    "signature",
    "encrypted_content",
    "cache_control",
    "functionCall",
    "functionResponse",
    "args",
    "response",
    "thought",
    "thoughtSignature",
    "is_error",
    "source",
    "file",
    "file_id",
    "image_url",
    "input_text",
    "output_text",
    "functionDeclarations",
    "reasoning_details",
    "metadata",
    "user_id",
    "session_id",
    "conversation",
    "previous_response_id",
    "refusal",
    "status",
    "custom",
    "function_response",
    "system_instruction",
    "request",
];

impl Word {
    fn as_str(self) -> &'static str {
        WORDS[usize::from(self.0) % WORDS.len()]
    }
}

impl Key {
    fn as_str(&self) -> &str {
        match self {
            Self::Known(word) => word.as_str(),
            Self::Any(text) => text,
        }
    }
}

fuzz_target!(|input: Input| {
    let (path, place) = match input.path {
        Path::Chat => ("/v1/chat/completions", "messages"),
        Path::Responses => ("/v1/responses", "input"),
        Path::Anthropic => ("/v1/messages", "messages"),
        Path::Gemini => ("/v1beta/models/g:generateContent", "contents"),
        Path::Shape => ("/", "messages"),
    };
    let (mut plain, mut other) = (Speller::plain(), Speller::random(input.seed));
    for speller in [&mut plain, &mut other] {
        speller.body(place, &input);
    }
    let told = read(path, plain.out.as_bytes());
    assert_eq!(read(path, other.out.as_bytes()), told);
});

/// The links, the opener, the turns, and whether the request is bound.
type Told = (Result<(Vec<u64>, usize, usize), NoFingerprint>, bool);

fn read(path: &str, body: &[u8]) -> Told {
    let mut scratch = Scratch::new();
    let mut chain = ChainBuilder::new();
    let request = Request::read(&(), path, body, &mut scratch);
    let fingerprint = request.fingerprint(Scope::public(), &mut chain);
    let fingerprint = fingerprint.map(|it| (it.links.to_vec(), it.opener, it.turns));
    (fingerprint, request.bound())
}

/// Writes JSON, in its shortest form or in a random one.
struct Speller {
    out: String,
    state: Option<u32>,
}

impl Speller {
    fn plain() -> Self {
        Self {
            out: String::new(),
            state: None,
        }
    }

    fn random(seed: u32) -> Self {
        Self {
            out: String::new(),
            state: Some(seed | 1),
        }
    }

    /// Below `bound`; always 0 in the shortest form.
    fn draw(&mut self, bound: u32) -> u32 {
        let Some(state) = &mut self.state else {
            return 0;
        };
        *state ^= *state << 13;
        *state ^= *state >> 17;
        *state ^= *state << 5;
        *state % bound
    }

    fn space(&mut self) {
        let space = ["", " ", "\n\t", "\r\n  "][self.draw(4) as usize];
        self.out.push_str(space);
    }

    fn body(&mut self, place: &str, input: &Input) {
        self.space();
        self.out.push('{');
        let others = self.members(&input.others, Some(place));
        // Before the conversation or behind it.
        let before = others.len() - self.draw(others.len() as u32 + 1) as usize;
        for (key, value) in &others[..before] {
            self.text(key.as_str());
            self.out.push(':');
            self.value(value, 1);
            self.out.push(',');
        }
        self.text(place);
        self.out.push_str(":[");
        // Somebody has to say something.
        self.out.push_str(r#"{"role":"user","content":"x"}"#);
        for message in &input.conversation {
            self.out.push(',');
            self.object(message, 3);
        }
        self.space();
        self.out.push(']');
        for (key, value) in &others[before..] {
            self.out.push(',');
            self.text(key.as_str());
            self.out.push(':');
            self.value(value, 1);
        }
        self.out.push('}');
    }

    fn value(&mut self, value: &Json, depth: usize) {
        self.space();
        match value {
            _ if depth > 40 => self.out.push_str("null"),
            Json::Null => self.out.push_str("null"),
            Json::Bool(truth) => self.out.push_str(if *truth { "true" } else { "false" }),
            Json::Integer(integer) if integer.abs_diff(0) < 1 << 53 && self.draw(2) == 1 => {
                self.out.push_str(&format!("{integer}.0"));
            }
            Json::Integer(integer) => self.out.push_str(&integer.to_string()),
            Json::Float(float) if !float.is_finite() => self.out.push_str("0.5"),
            Json::Float(float) if self.draw(2) == 1 => self.out.push_str(&format!("{float:E}")),
            Json::Float(float) => self.out.push_str(&format!("{float:?}")),
            Json::Text(text) => self.text(text),
            Json::Known(word) => self.text(word.as_str()),
            Json::Array(elements) => {
                self.out.push('[');
                for (at, element) in elements.iter().enumerate() {
                    self.out.push_str(if at == 0 { "" } else { "," });
                    self.value(element, depth + 1);
                }
                self.space();
                self.out.push(']');
            }
            Json::Object(members) => self.object(members, depth),
            Json::Inside(inner) => {
                // Spelled alike in both: of a string that is no call's arguments each byte counts.
                let mut plain = Self::plain();
                // Every string inside of a string doubles the backslashes: few, or it never ends.
                plain.value(inner, depth + 12);
                self.text(&plain.out);
            }
        }
        self.space();
    }

    fn object(&mut self, members: &[(Key, Json)], depth: usize) {
        let members = self.members(members, None);
        self.out.push('{');
        for (at, (key, value)) in members.into_iter().enumerate() {
            self.out.push_str(if at == 0 { "" } else { "," });
            self.space();
            self.text(key.as_str());
            self.space();
            self.out.push(':');
            self.value(value, depth + 1);
        }
        self.out.push('}');
    }

    /// In the shortest form one member of each name, the last. Else all of them, in another order, in
    /// which the last of each name still comes behind the others.
    fn members<'m>(
        &mut self,
        members: &'m [(Key, Json)],
        without: Option<&str>,
    ) -> Vec<(&'m Key, &'m Json)> {
        let mut written: Vec<(&Key, &Json)> = Vec::new();
        for (key, value) in members.iter().rev() {
            let name = key.as_str();
            if without == Some(name) {
                continue;
            }
            let same = |(key, _): &(&Key, &Json)| key.as_str() == name;
            let most = match (written.iter().position(same), &self.state) {
                (Some(_), None) => continue,
                (Some(first), _) => first,
                (None, _) => written.len(),
            };
            // The shortest form draws nothing, and keeps the order that they have.
            let at = self.draw(most as u32 + 1) as usize;
            written.insert(at, (key, value));
        }
        written
    }

    fn text(&mut self, text: &str) {
        self.out.push('"');
        for char in text.chars() {
            match char {
                '"' | '\\' if self.draw(2) == 0 => self.out.extend(['\\', char]),
                '\n' if self.draw(2) == 0 => self.out.push_str("\\n"),
                '/' if self.draw(2) == 1 => self.out.push_str("\\/"),
                '"' | '\\' | '\0'..' ' => self.units(char),
                _ if self.draw(4) == 1 => self.units(char),
                _ => self.out.push(char),
            }
        }
        self.out.push('"');
    }

    fn units(&mut self, char: char) {
        for unit in char.encode_utf16(&mut [0; 2]) {
            self.out.push_str(&format!("\\u{unit:04x}"));
        }
    }
}
