//! What each trace format means, on samples small enough to check by hand.

use std::time::Duration;

use affinity_sim::{Format, ReadOptions, Reading, Request, Trace, read};

fn reading(text: &str) -> Reading {
    read(text.as_bytes(), &ReadOptions::default()).expect("the sample is well-formed")
}

fn trace(text: &str) -> Trace {
    let Reading { trace, skipped, .. } = reading(text);
    assert_eq!(skipped.count, 0, "{:?}", skipped.first);
    trace
}

fn tokens(trace: &Trace, request: &Request) -> Vec<u32> {
    let mut path = Vec::new();
    trace.path_into(request, &mut path);
    path.iter().map(|block| block.tokens).collect()
}

fn links(trace: &Trace, number: usize) -> Vec<u64> {
    let mut path = Vec::new();
    trace.path_into(&trace.requests()[number], &mut path);
    path.iter().map(|block| block.link).collect()
}

const MOONCAKE: &str = r#"{"timestamp": 1500, "input_length": 1200, "output_length": 25, "hash_ids": [0, 1, 2]}
{"timestamp": 500, "input_length": 1024, "output_length": 0, "hash_ids": [0, 1]}
{"timestamp": 2500, "input_length": 600, "output_length": 0, "hash_ids": [0, 9]}
{"timestamp": 3500, "input_length": 2048, "output_length": 0, "hash_ids": [0, 1, 7, 8]}
"#;

#[test]
fn mooncake_partial_last_block_is_no_link() {
    let trace = trace(MOONCAKE);
    let [first, second, third, _] = trace.requests() else {
        panic!("four requests");
    };
    assert_eq!(tokens(&trace, first), [512, 512]);
    assert_eq!(tokens(&trace, second), [512, 512]);
    assert_eq!(tokens(&trace, third), [512]);
    assert_eq!(second.prompt_tokens, 1200);
    assert_eq!(links(&trace, 0), links(&trace, 1));
    assert_ne!(
        first.keys.whole, second.keys.whole,
        "the partial block counts here"
    );
}

#[test]
fn mooncake_requests_come_in_order_of_arrival_with_estimated_answers() {
    let trace = trace(MOONCAKE);
    let at: Vec<_> = trace.requests().iter().map(|request| request.at).collect();
    assert_eq!(at, [500, 1500, 2500, 3500].map(Duration::from_millis));
    assert_eq!(trace.requests()[1].service, Duration::from_secs(1));
}

#[test]
fn mooncake_opener_is_the_second_block_even_if_partial() {
    let trace = trace(MOONCAKE);
    let keys: Vec<_> = trace
        .requests()
        .iter()
        .map(|request| request.keys)
        .collect();
    assert_eq!(keys[0].opener, links(&trace, 0)[1]);
    assert_eq!(keys[0].opener, keys[1].opener);
    assert!(keys[0].user_turn && keys[1].user_turn);
    assert_ne!(keys[2].opener, keys[2].first_entry);
    assert!(
        !keys[2].user_turn,
        "a prompt of one complete block is everybody's"
    );
    assert_eq!(keys[0].first_entry, keys[2].first_entry);
}

#[test]
fn mooncake_session_goes_on_where_a_prompt_continues_an_earlier_one() {
    let trace = trace(MOONCAKE);
    let session = |number: usize| trace.requests()[number].keys.session;
    assert_eq!(session(0), session(1));
    assert_eq!(session(0), session(3));
    assert_ne!(session(0), session(2));
}

const SESSIONS: &str = r#"{"id":"a","block_size":64,"tool_tokens":130,"system_tokens":9,"requests":[{"t":0.0,"model":"m","in":330,"out":5,"api_time":2.5,"agent":"","hash_runs":[[1,5]]},{"t":10.0,"model":"m","in":384,"out":5,"api_time":1,"agent":"","hash_runs":[[1,4],[6,7]]},{"t":12.0,"model":"m","in":128,"out":5,"api_time":1,"agent":"sub","hash_runs":[[20,21]]}]}
{"id":"b","block_size":64,"tool_tokens":130,"system_tokens":9,"requests":[{"t":0.0,"model":"m","in":256,"out":5,"api_time":1,"agent":null,"hash_runs":[[1,4]]}]}
{"id":"c","block_size":64,"tool_tokens":131,"system_tokens":9,"requests":[{"t":0.0,"model":"m","in":256,"out":5,"hash_runs":[[1,4]]},{"t":1.0,"in":10,"out":100,"hash_runs":[]}]}
"#;

/// The requests of a session by their order in the sample, whenever it starts.
fn session(trace: &Trace, prompt_tokens: &[u64]) -> Vec<usize> {
    prompt_tokens
        .iter()
        .map(|&tokens| {
            trace
                .requests()
                .iter()
                .position(|request| request.prompt_tokens == tokens)
                .expect("every request is in the trace")
        })
        .collect()
}

#[test]
fn sessions_share_only_the_tools_of_one_model_and_size() {
    let trace = trace(SESSIONS);
    assert_eq!(reading(SESSIONS).format, Format::Sessions);
    let others: Vec<usize> = (0..trace.len())
        .filter(|&number| trace.requests()[number].prompt_tokens == 256)
        .collect();
    let a = session(&trace, &[330])[0];
    let shared: Vec<usize> = others
        .iter()
        .map(|&other| {
            let (a, other) = (links(&trace, a), links(&trace, other));
            a.iter().zip(&other).take_while(|(a, b)| a == b).count()
        })
        .collect();
    let mut sorted = shared.clone();
    sorted.sort_unstable();
    assert_eq!(
        sorted,
        [0, 2],
        "b shares 130 / 64 = 2 blocks with a, c none"
    );
}

#[test]
fn sessions_keep_their_times_relative_to_a_start_within_four_hours() {
    let trace = trace(SESSIONS);
    let numbers = session(&trace, &[330, 384, 128]);
    let at = |index: usize| trace.requests()[numbers[index]].at;
    assert_eq!(at(1) - at(0), Duration::from_secs(10));
    assert_eq!(at(2) - at(0), Duration::from_secs(12));
    assert!(at(0) < Duration::from_secs(4 * 3600));
    let other = ReadOptions {
        seed: 7,
        ..ReadOptions::default()
    };
    let reseeded = read(SESSIONS.as_bytes(), &other).unwrap().trace;
    let number = session(&reseeded, &[330])[0];
    assert_ne!(reseeded.requests()[number].at, at(0));
}

#[test]
fn sessions_opener_is_the_end_of_each_agents_first_request() {
    let trace = trace(SESSIONS);
    let numbers = session(&trace, &[330, 384, 128]);
    let keys = |index: usize| trace.requests()[numbers[index]].keys;
    assert_eq!(keys(0).opener, links(&trace, numbers[0])[4]);
    assert_eq!(keys(1).opener, keys(0).opener);
    assert_eq!(keys(2).opener, links(&trace, numbers[2])[1]);
    assert_eq!(keys(0).session, keys(2).session);
    assert_eq!(
        keys(0).first_entry,
        links(&trace, numbers[0])[3],
        "256 / 64 = 4 blocks"
    );
}

#[test]
fn sessions_prompt_below_one_block_is_kept() {
    let trace = trace(SESSIONS);
    let tiny = &trace.requests()[session(&trace, &[10])[0]];
    assert_eq!(tokens(&trace, tiny), [0u32; 0]);
    assert_eq!(tiny.service, Duration::from_millis(2500));
}

#[test]
fn blocks_are_64_tokens_and_the_ninth_ends_the_opener() {
    let text = r#"{"t":1.5,"session":"s","in_chars":2600,"out_chars":400,"hash_runs":[[0,8],[20,21]]}
{"t":2.5,"session":"s","in_chars":2600,"out_chars":0,"hash_runs":[[0,8],[30,31]]}
{"t":3.5,"session":"t","in_chars":2100,"out_chars":0,"hash_runs":[[0,8]]}
"#;
    let trace = trace(text);
    assert_eq!(reading(text).format, Format::Blocks);
    let keys: Vec<_> = trace
        .requests()
        .iter()
        .map(|request| request.keys)
        .collect();
    assert_eq!(tokens(&trace, &trace.requests()[0]), [64; 10]);
    assert_eq!(trace.requests()[0].prompt_tokens, 650);
    assert_eq!(trace.requests()[0].service, Duration::from_millis(2500));
    assert_eq!(keys[0].opener, links(&trace, 0)[8]);
    assert_eq!(keys[0].opener, keys[1].opener);
    assert_eq!(keys[0].first_entry, links(&trace, 0)[3]);
    assert_eq!(keys[0].session, keys[1].session);
    assert_ne!(keys[0].session, keys[2].session);
    assert!(
        keys[0].user_turn && !keys[2].user_turn,
        "2100 / 256 = 8 blocks"
    );
}

#[test]
fn transcripts_make_a_request_of_every_assistant_message() {
    let text = r#"[ {"traj": [
        {"role": "system", "content": "be kind"},
        {"content": "hi", "role": "user"},
        {"role": "assistant", "content": "hello", "tool_calls": null},
        {"role": "user", "content": "bye"},
        {"role": "assistant", "content": "bye"} ], "reward": 1},
      {"traj": [{"role": "system", "content": "be kind"}, {"role": "assistant", "content": "?"}]},
      {"traj": [{"role": "assistant", "content": "first"}]}, {"traj": []} ]"#;
    let trace = trace(text);
    assert_eq!(reading(text).format, Format::Transcripts);
    assert_eq!(
        trace.len(),
        3,
        "nothing was sent before a first assistant message"
    );
    let mut by_length: Vec<usize> = (0..3).collect();
    by_length.sort_by_key(|&number| trace.requests()[number].prompt_tokens);
    let [system_only, first, second] = by_length[..] else {
        panic!("three requests");
    };
    // {"content":"be kind","role":"system"} has 37 characters, {"content":"hi","role":"user"} 30.
    assert_eq!(tokens(&trace, &trace.requests()[first]), [9, 7]);
    assert_eq!(tokens(&trace, &trace.requests()[second]).len(), 4);
    assert!(trace.requests()[first].at < trace.requests()[second].at);
    let keys = |number: usize| trace.requests()[number].keys;
    assert_eq!(keys(first).opener, links(&trace, first)[1]);
    assert_eq!(keys(second).opener, keys(first).opener);
    assert_eq!(keys(first).first_entry, keys(system_only).first_entry);
    assert!(keys(first).user_turn && !keys(system_only).user_turn);
}
