//! Reads usage from an answer while it passes.
//!
//! The pieces are shared, not copied, and never held back. Only what holds the word `usage` is
//! parsed, so text that a model wrote is never taken for a count.

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, header};
use memchr::{memchr, memmem};

use super::usage::{Said, Usage};

/// Answers and stream events larger than this are not read.
const MOST: usize = 8 << 20;

/// What was learnt from an answer.
#[derive(Debug, Default)]
pub(super) struct Learnt {
    pub(super) usage: Option<Usage>,
    /// The id of an OpenAI response. Not for logs.
    pub(super) response_id: Option<String>,
}

impl Learnt {
    fn add(&mut self, said: Said) {
        // Later counts replace earlier ones: they are of the whole answer.
        self.usage = said.usage().or(self.usage);
        if self.response_id.is_none() {
            self.response_id = said.response_id();
        }
    }
}

/// Reads one answer.
pub(super) enum Learner {
    /// The answer is of a type that says nothing.
    Nothing,
    /// One JSON value.
    Json { pieces: Vec<Bytes>, len: usize },
    /// Server-sent events; what is kept is the beginning of a line.
    Events { line: BytesMut, skip: bool },
}

impl Learner {
    pub(super) fn new(headers: &HeaderMap) -> Self {
        let content_type = headers.get(header::CONTENT_TYPE);
        let content_type = content_type.and_then(|v| v.to_str().ok()).unwrap_or("");
        let essence = content_type.split(';').next().unwrap_or("").trim();
        if headers.contains_key(header::CONTENT_ENCODING) {
            Self::Nothing
        } else if essence.eq_ignore_ascii_case("text/event-stream") {
            Self::Events {
                line: BytesMut::new(),
                skip: false,
            }
        } else if essence.eq_ignore_ascii_case("application/json") {
            Self::Json {
                pieces: Vec::new(),
                len: 0,
            }
        } else {
            Self::Nothing
        }
    }

    /// Sees the next piece.
    pub(super) fn see(&mut self, piece: &Bytes, learnt: &mut Learnt) {
        match self {
            Self::Nothing => {}
            Self::Json { pieces, len } => {
                *len += piece.len();
                if *len > MOST {
                    *self = Self::Nothing;
                } else {
                    pieces.push(piece.clone());
                }
            }
            Self::Events { line, skip } => see_lines(piece, line, skip, learnt),
        }
    }

    /// The answer is over.
    pub(super) fn end(&mut self, learnt: &mut Learnt) {
        match std::mem::replace(self, Self::Nothing) {
            Self::Nothing => {}
            Self::Json { pieces, .. } => {
                let whole = pieces.concat();
                // Gemini streams an array of answers unless it is asked for events.
                let array = whole.trim_ascii_start().starts_with(b"[");
                let said = if array {
                    serde_json::from_slice::<Vec<Said>>(&whole)
                } else {
                    serde_json::from_slice(&whole).map(|one| vec![one])
                };
                said.into_iter().flatten().for_each(|said| learnt.add(said));
            }
            Self::Events { line, skip } => {
                if !skip {
                    see_line(&line, learnt);
                }
            }
        }
    }
}

fn see_lines(mut piece: &[u8], line: &mut BytesMut, skip: &mut bool, learnt: &mut Learnt) {
    while let Some(end) = memchr(b'\n', piece) {
        let (head, rest) = (&piece[..end], &piece[end + 1..]);
        if std::mem::take(skip) {
            // The rest of a line that was too long.
        } else if line.is_empty() {
            see_line(head, learnt);
        } else {
            line.extend_from_slice(head);
            see_line(line, learnt);
        }
        line.clear();
        piece = rest;
    }
    if line.len() + piece.len() > MOST {
        line.clear();
        *skip = true;
    } else if !*skip {
        line.extend_from_slice(piece);
    }
}

fn see_line(line: &[u8], learnt: &mut Learnt) {
    let Some(data) = line.strip_prefix(b"data:") else {
        return;
    };
    if memmem::find(data, b"\"usage").is_none() {
        return;
    }
    if let Ok(said) = serde_json::from_slice(data) {
        learnt.add(said);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn learn(content_type: &'static str, pieces: &[&[u8]]) -> Learnt {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
        let (mut learner, mut learnt) = (Learner::new(&headers), Learnt::default());
        for piece in pieces {
            learner.see(&Bytes::copy_from_slice(piece), &mut learnt);
        }
        learner.end(&mut learnt);
        learnt
    }

    const STREAM: &[u8] = b"event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":1,\"cache_read_input_tokens\":8,\"cache_creation_input_tokens\":0}}}\n\ndata: {\"delta\":\"the \\\"usage\\\" of words\"}\r\n\ndata: [DONE]\n\n";

    #[test]
    fn a_stream_cut_anywhere_is_read_alike() {
        for cut in 0..STREAM.len() {
            let (head, tail) = STREAM.split_at(cut);
            let learnt = learn("text/event-stream; charset=utf-8", &[head, tail]);
            let usage = learnt.usage.expect("usage");
            assert_eq!((usage.prompt, usage.cached), (9, 8), "cut at {cut}");
        }
    }

    #[test]
    fn a_last_line_without_an_end_counts() {
        let learnt = learn(
            "text/event-stream",
            &[b"data: {\"usage\":{\"prompt_tokens\":3}}"],
        );
        assert_eq!(learnt.usage.map(|u| u.prompt), Some(3));
    }

    #[test]
    fn an_answer_in_pieces_is_read_and_an_array_of_answers_too() {
        let learnt = learn(
            "application/json",
            &[b"{\"usage\":{\"prompt_", b"tokens\":3}}"],
        );
        assert_eq!(learnt.usage.map(|u| u.prompt), Some(3));
        let array = b" [{\"usageMetadata\":{\"promptTokenCount\":1}},{\"usageMetadata\":{\"promptTokenCount\":2}}]";
        let learnt = learn("application/json", &[array]);
        assert_eq!(learnt.usage.map(|u| u.prompt), Some(2));
    }

    #[test]
    fn what_is_not_json_or_is_cut_short_teaches_nothing() {
        assert!(
            learn("text/plain", &[b"{\"usage\":{\"prompt_tokens\":3}}"])
                .usage
                .is_none()
        );
        assert!(
            learn("application/json", &[b"{\"usage\":{\"prompt_tok"])
                .usage
                .is_none()
        );
    }

    #[test]
    fn an_endless_line_is_not_kept() {
        let mut headers = HeaderMap::new();
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("text/event-stream"),
        );
        let (mut learner, mut learnt) = (Learner::new(&headers), Learnt::default());
        let piece = Bytes::from(vec![b'x'; 1 << 20]);
        for _ in 0..20 {
            learner.see(&piece, &mut learnt);
        }
        let Learner::Events { line, skip } = &learner else {
            panic!("events");
        };
        assert!(line.len() <= MOST && *skip);
        learner.see(
            &Bytes::from_static(b"\ndata: {\"usage\":{\"prompt_tokens\":3}}\n"),
            &mut learnt,
        );
        assert_eq!(learnt.usage.map(|u| u.prompt), Some(3));
    }
}
