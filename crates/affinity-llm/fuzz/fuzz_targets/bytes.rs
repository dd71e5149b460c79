//! Any bytes, in every dialect: no panic, memory in proportion to the body, the same result twice.
#![no_main]

use affinity_hash::{ChainBuilder, Scope};
use affinity_llm::{Dialect, Headers, Request, Scratch, SessionRules};
use libfuzzer_sys::fuzz_target;

const PATHS: [&str; 6] = [
    "/v1/chat/completions",
    "/v1/responses",
    "/v1/messages",
    "/v1beta/models/gemini:generateContent",
    "/v1/messages/count_tokens",
    // The shape of the body tells.
    "/",
];

/// Buffers double as they grow, and the many members of an object cost more than their text.
const BYTES_PER_BYTE: u64 = 64;
/// The smallest capacities of all buffers together.
const BYTES_AT_LEAST: u64 = 16 << 10;

fuzz_target!(|body: &[u8]| {
    let rules = SessionRules::default();
    for path in PATHS {
        let mut scratch = Scratch::new();
        let mut first = None;
        let info = allocation_counter::measure(|| {
            first = Some(seen(Request::read(&(), path, body, &mut scratch), &rules));
        });
        let most = BYTES_AT_LEAST + BYTES_PER_BYTE * body.len() as u64;
        assert!(info.bytes_max <= most, "{} bytes at {path}", info.bytes_max);

        // With the buffers that another request left behind, as a gateway does.
        let other = br#"{"messages":[{"role":"user","content":"x","tool_calls":[{"id":"c"}]}]}"#;
        Request::read(&(), path, other, &mut scratch);
        let again = seen(Request::read(&(), path, body, &mut scratch), &rules);
        assert_eq!(first, Some(again), "at {path}");
    }
    for dialect in [
        Dialect::ChatCompletions,
        Dialect::Responses,
        Dialect::AnthropicMessages,
        Dialect::Gemini,
    ] {
        let mut scratch = Scratch::new();
        let request = Request::read_as(dialect, &(), body, &mut scratch);
        assert_eq!(request.dialect(), Some(dialect));
        seen(request, &rules);
    }
});

/// All that a request tells, and that it does not contradict itself.
fn seen<H: Headers + ?Sized>(
    request: Request<'_, H>,
    rules: &SessionRules,
) -> (Vec<u64>, String, Option<String>) {
    let mut chain = ChainBuilder::new();
    let fingerprint = request.fingerprint(Scope::public(), &mut chain);
    let told = format!(
        "{:?} {:?} {} {} {:?}",
        request.dialect(),
        request.model(),
        request.stream(),
        request.bound(),
        fingerprint
            .as_ref()
            .map(|found| (found.opener, found.prefix_bytes, found.turns)),
    );
    let links = fingerprint.map_or_else(
        |_| Vec::new(),
        |found| {
            assert!(found.opener < found.links.len());
            assert!(found.turns > 0);
            found.links.to_vec()
        },
    );
    assert_eq!(request.entries().count(), links.len());
    // Reading back takes every entry apart.
    for entry in request.entries() {
        drop(entry.leaves());
    }
    let session = request
        .session(rules)
        .map(|session| session.id().to_owned());
    (links, told, session)
}
