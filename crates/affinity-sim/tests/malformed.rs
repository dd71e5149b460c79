//! Broken traces: reported by line, skipped or refused, never a panic.

use affinity_sim::{Format, ReadError, ReadOptions, Reading, read};

const GOOD: &str = r#"{"timestamp":0,"input_length":512,"output_length":1,"hash_ids":[0]}"#;

fn lenient(text: &[u8]) -> Result<Reading, ReadError> {
    read(text, &ReadOptions::default())
}

fn as_format(format: Format, text: &str) -> Result<Reading, ReadError> {
    let options = ReadOptions {
        format: Some(format),
        ..ReadOptions::default()
    };
    read(text.as_bytes(), &options)
}

/// The reason for which the only line of a trace is refused.
fn reason(format: Format, line: &str) -> String {
    let options = ReadOptions {
        format: Some(format),
        strict: true,
        ..ReadOptions::default()
    };
    match read(line.as_bytes(), &options) {
        Err(ReadError::Malformed(fault)) => {
            assert_eq!(fault.line, 1);
            fault.reason
        }
        other => panic!("{line} gave {other:?}"),
    }
}

#[test]
fn malformed_line_is_skipped_and_reported_by_number() {
    let text = format!("{GOOD}\n\n{{\"timestamp\":0}}\n{GOOD}\nnonsense\n");
    let reading = lenient(text.as_bytes()).unwrap();
    assert_eq!(reading.trace.len(), 2);
    assert_eq!(reading.skipped.count, 2);
    let shown: Vec<String> = reading
        .skipped
        .first
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(shown[0], "line 3: missing field `input_length` (column 15)");
    assert!(shown[1].starts_with("line 5: expected ident"), "{shown:?}");
}

#[test]
fn strict_refuses_the_first_malformed_line() {
    let text = format!("{GOOD}\n{{\"timestamp\":0}}\n{GOOD}\n");
    let options = ReadOptions {
        strict: true,
        ..ReadOptions::default()
    };
    match read(text.as_bytes(), &options) {
        Err(ReadError::Malformed(fault)) => assert_eq!(fault.line, 2),
        other => panic!("{other:?}"),
    }
}

#[test]
fn only_the_first_faults_are_kept() {
    let text = format!("{GOOD}\n{}", "x\n".repeat(1000));
    let skipped = lenient(text.as_bytes()).unwrap().skipped;
    assert_eq!((skipped.count, skipped.first.len()), (1000, 5));
}

#[test]
fn mark_carriage_returns_and_a_missing_last_newline_are_no_faults() {
    let text = format!("\u{feff}{GOOD}\r\n\r\n{GOOD}\r\n{GOOD}");
    let reading = lenient(text.as_bytes()).unwrap();
    assert_eq!((reading.trace.len(), reading.skipped.count), (3, 0));
}

#[test]
fn trace_without_a_request_is_refused() {
    for format in Format::ALL {
        for text in ["", "\n", "\u{feff}\r\n"] {
            assert!(
                matches!(as_format(format, text), Err(ReadError::Empty(_))),
                "{format} {text:?}"
            );
        }
    }
    assert!(matches!(
        as_format(Format::Transcripts, "[]"),
        Err(ReadError::Empty(_))
    ));
    let error = as_format(Format::Blocks, GOOD).unwrap_err().to_string();
    assert!(
        error.starts_with(
            "no request in the trace: 1 malformed, the first at line 1: missing field"
        ),
        "{error}"
    );
}

#[test]
fn content_of_no_format_is_refused() {
    for text in [
        &b""[..],
        b"id,session\n1,2\n",
        b"{\"id\":1}\n",
        b"\x00\xff\xfe\x89PNG",
    ] {
        assert!(
            matches!(lenient(text), Err(ReadError::UnknownFormat)),
            "{text:?}"
        );
    }
}

#[test]
fn numbers_out_of_range_are_faults() {
    let mooncake = |timestamp: &str, input: &str, ids: &str| {
        let line = format!(
            r#"{{"timestamp":{timestamp},"input_length":{input},"output_length":1,"hash_ids":{ids}}}"#
        );
        reason(Format::Mooncake, &line)
    };
    assert_eq!(
        mooncake("-1", "512", "[0]"),
        "`timestamp` is -1, expected 0 to 315360000000"
    );
    assert!(mooncake("1e300", "512", "[0]").starts_with("`timestamp` is 1"));
    assert!(mooncake("1e999", "512", "[0]").starts_with("number out of range"));
    assert!(mooncake("0", "-5", "[0]").starts_with("invalid value: integer `-5`"));
    assert!(mooncake("0", "99999999999", "[0]").starts_with("`input_length` is 99999999999"));
    assert!(
        mooncake("0", "18446744073709551616", "[0]").starts_with("invalid type: floating point")
    );
    assert!(mooncake("0", "512", "[-1]").starts_with("invalid value"));
    assert!(mooncake("0", "512", "[0.5]").starts_with("invalid type: floating point"));
    assert_eq!(mooncake("0", "512", "[]"), "`hash_ids` is empty");
}

#[test]
fn runs_that_fall_or_never_end_are_faults() {
    let blocks = |runs: &str| {
        let line =
            format!(r#"{{"t":0,"session":"s","in_chars":512,"out_chars":1,"hash_runs":{runs}}}"#);
        reason(Format::Blocks, &line)
    };
    assert_eq!(blocks("[[5,4]]"), "`hash_runs` has a run from 5 down to 4");
    assert_eq!(
        blocks("[[0,18446744073709551615]]"),
        "`hash_runs` has more than 262144 blocks"
    );
    assert_eq!(
        blocks("[[0,200000],[0,200000]]"),
        "`hash_runs` has more than 262144 blocks"
    );
    assert!(blocks("[[1]]").starts_with("invalid length 1"));
    assert!(
        blocks("[[1,2,3]]").starts_with("trailing characters")
            || blocks("[[1,2,3]]").starts_with("invalid length")
    );
    assert_eq!(blocks("[]"), "`hash_runs` is empty");
}

#[test]
fn session_with_one_bad_request_adds_none() {
    let session = |size: u32, t: &str| {
        format!(
            r#"{{"id":"s","block_size":{size},"requests":[{{"t":0,"in":64,"hash_runs":[[1,1]]}},{{"t":{t},"in":64,"hash_runs":[[1,1]]}}]}}"#
        )
    };
    let text = format!("{}\n{}\n", session(64, "-1"), session(64, "5"));
    let reading = lenient(text.as_bytes()).unwrap();
    assert_eq!(reading.trace.len(), 2);
    assert_eq!(
        reading.skipped.first[0].reason,
        "request 2: `t` is -1, expected 0 to 315360000"
    );
    assert_eq!(
        reason(Format::Sessions, &session(0, "5")),
        "`block_size` is 0, expected tokens"
    );
}

#[test]
fn truncated_array_keeps_what_came_before() {
    let text =
        "[{\"traj\":[{\"role\":\"user\"},{\"role\":\"assistant\"}]},\n{\"traj\":\n[{\"role\"";
    let reading = lenient(text.as_bytes()).unwrap();
    assert_eq!(reading.trace.len(), 1);
    assert_eq!(reading.skipped.count, 1);
    assert_eq!(reading.skipped.first[0].line, 3);
    assert!(
        reading.skipped.first[0]
            .reason
            .starts_with("EOF while parsing")
    );
}

#[test]
fn element_of_the_wrong_shape_is_skipped() {
    let text = "[{\"traj\":[{\"role\":\"user\"},{\"role\":\"assistant\"}]},\n{\"traj\":5},\n{\"traj\":[{\"content\":\"secret\"}]},\n7]";
    let reading = lenient(text.as_bytes()).unwrap();
    assert_eq!((reading.trace.len(), reading.skipped.count), (1, 3));
    let faults = &reading.skipped.first;
    assert_eq!(
        faults.iter().map(|fault| fault.line).collect::<Vec<_>>(),
        [2, 3, 4]
    );
    assert!(
        faults[1]
            .reason
            .starts_with("message 1: missing field `role`")
    );
}

#[test]
fn array_where_there_is_none_is_a_fault() {
    let error = as_format(Format::Transcripts, "{\"traj\":[]}").unwrap_err();
    assert!(matches!(error, ReadError::Empty(skipped) if skipped.count == 1));
    let text = "[{\"traj\":[{\"role\":\"user\"},{\"role\":\"assistant\"}]}] tail";
    assert_eq!(lenient(text.as_bytes()).unwrap().skipped.count, 1);
}

#[test]
fn reasons_hold_no_text_of_the_trace() {
    let text = r#"{"timestamp":"my secret \"quoted\" prompt","input_length":1,"output_length":1,"hash_ids":[0]}"#;
    let shown = reason(Format::Mooncake, text);
    assert!(
        shown.starts_with("invalid type: string, expected f64"),
        "{shown}"
    );
    let shown = reason(Format::Transcripts, "[{\"traj\":\"my secret prompt\"}]");
    assert!(!shown.contains("secret"), "{shown}");
}

#[test]
fn deep_nesting_and_invalid_text_are_faults() {
    let deep = "[".repeat(100_000);
    assert!(matches!(lenient(deep.as_bytes()), Err(ReadError::Empty(_))));
    let mut text = GOOD.as_bytes().to_vec();
    text.extend_from_slice(b"\n{\"timestamp\":\"\xff\xfe\"}\n\0\0\0\n");
    assert_eq!(lenient(&text).unwrap().skipped.count, 2);
}

#[test]
fn failing_input_is_an_error_of_its_own() {
    struct Broken;
    impl std::io::Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("gone"))
        }
    }
    for start in [GOOD, "[{\"traj\":[]},"] {
        let input = std::io::Read::chain(start.as_bytes(), Broken);
        let error = read(std::io::BufReader::new(input), &ReadOptions::default()).unwrap_err();
        assert!(matches!(error, ReadError::Io(_)), "{error:?}");
    }
}
