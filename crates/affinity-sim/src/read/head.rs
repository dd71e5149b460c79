//! The first bytes of a trace: the byte order mark, and what the format is.

use std::io::{self, BufRead, Read};

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::format::Format;
use super::lines::MAX_LINE;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// How many lines are looked at for one that tells the format.
const LINES: usize = 64;

/// The first bytes of the input, without a byte order mark.
pub(super) fn without_mark(input: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    input
        .take(BYTE_ORDER_MARK.len() as u64)
        .read_to_end(&mut head)?;
    if head == BYTE_ORDER_MARK {
        head.clear();
    }
    Ok(head)
}

/// Tells the format by the first line that shows one; `head` grows by what was read for it.
pub(super) fn detect(head: &mut Vec<u8>, input: &mut impl BufRead) -> io::Result<Option<Format>> {
    while head.trim_ascii().is_empty() {
        if input.take(1).read_to_end(head)? == 0 {
            return Ok(None);
        }
    }
    // An array may be one line of any length: one byte has to do.
    if head.trim_ascii_start().starts_with(b"[") {
        return Ok(Some(Format::Transcripts));
    }
    let mut start = 0;
    for _ in 0..LINES {
        // The head may hold whole lines already, if they are tiny.
        if !head[start..].contains(&b'\n') {
            input.take(MAX_LINE).read_until(b'\n', head)?;
        }
        let line = match head[start..].iter().position(|&byte| byte == b'\n') {
            Some(end) => &head[start..=start + end],
            None => &head[start..],
        };
        if line.is_empty() {
            break;
        }
        if let Some(format) = by_fields(line) {
            return Ok(Some(format));
        }
        start += line.len();
    }
    Ok(None)
}

/// The format whose fields the line has.
fn by_fields(line: &[u8]) -> Option<Format> {
    #[derive(Deserialize)]
    struct Fields {
        hash_ids: Option<IgnoredAny>,
        requests: Option<IgnoredAny>,
        hash_runs: Option<IgnoredAny>,
    }

    let fields: Fields = serde_json::from_slice(line).ok()?;
    if fields.hash_ids.is_some() {
        Some(Format::Mooncake)
    } else if fields.requests.is_some() {
        Some(Format::Sessions)
    } else if fields.hash_runs.is_some() {
        Some(Format::Blocks)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detected(text: &str) -> Option<Format> {
        let mut input = text.as_bytes();
        let mut head = without_mark(&mut input).unwrap();
        let format = detect(&mut head, &mut input).unwrap();
        head.extend_from_slice(input);
        assert_eq!(head, text.trim_start_matches('\u{feff}').as_bytes());
        format
    }

    #[test]
    fn each_format_is_told_by_its_fields() {
        assert_eq!(detected(r#"{"hash_ids":[]}"#), Some(Format::Mooncake));
        assert_eq!(detected(r#"{"requests":[]}"#), Some(Format::Sessions));
        assert_eq!(detected(r#"{"hash_runs":[]}"#), Some(Format::Blocks));
        assert_eq!(detected("[]"), Some(Format::Transcripts));
    }

    #[test]
    fn mark_blank_lines_and_broken_lines_before_it_do_not_matter() {
        assert_eq!(
            detected("\u{feff}{\"hash_ids\":[]}"),
            Some(Format::Mooncake)
        );
        assert_eq!(
            detected("\r\n\r\n\r\n {\"hash_ids\":[]}"),
            Some(Format::Mooncake)
        );
        assert_eq!(
            detected("x\ny\n{\"hash_ids\n{\"hash_ids\":[]}"),
            Some(Format::Mooncake)
        );
        assert_eq!(detected("\u{feff} \n ["), Some(Format::Transcripts));
    }

    #[test]
    fn other_content_is_no_format() {
        for text in [
            "",
            "\n",
            "\u{feff}",
            "{}",
            "null",
            "a,b,c\n1,2,3\n",
            "{\"id\":1}\n",
        ] {
            assert_eq!(detected(text), None, "{text:?}");
        }
        assert_eq!(detected(&"x\n".repeat(10_000)), None);
    }
}
