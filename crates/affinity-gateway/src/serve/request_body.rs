//! Takes a request's body in whole: it is read for its fingerprint, and sent again on fail-over.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use tokio::time::timeout;

use super::problem::Problem;

/// More than this is not reserved before it has arrived, whatever the client announces.
const RESERVE: usize = 1 << 20;

/// Collects at most `most` bytes; each piece has `patience` to arrive.
pub(super) async fn collect(
    mut body: Incoming,
    most: u64,
    patience: Duration,
) -> Result<Bytes, Problem> {
    let announced = body.size_hint().lower();
    if announced > most {
        return Err(Problem::BodyTooLarge);
    }
    let mut whole = Gathered::Nothing;
    loop {
        let Ok(next) = timeout(patience, body.frame()).await else {
            return Err(Problem::BodyTimeout);
        };
        let Some(frame) = next else {
            return Ok(whole.finish());
        };
        let frame = frame.map_err(|_| Problem::Refused("the request's body is malformed"))?;
        // Trailers are dropped: they are of this connection, and say nothing that is needed.
        let Ok(data) = frame.into_data() else {
            continue;
        };
        if (whole.len() + data.len()) as u64 > most {
            return Err(Problem::BodyTooLarge);
        }
        whole = whole.and(data, announced);
    }
}

/// A small body is one piece and never copied.
enum Gathered {
    Nothing,
    One(Bytes),
    Many(BytesMut),
}

impl Gathered {
    fn len(&self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::One(piece) => piece.len(),
            Self::Many(pieces) => pieces.len(),
        }
    }

    fn and(self, data: Bytes, announced: u64) -> Self {
        let mut pieces = match self {
            Self::Nothing => return Self::One(data),
            Self::One(piece) => {
                let announced = usize::try_from(announced).unwrap_or(RESERVE).min(RESERVE);
                let mut pieces = BytesMut::with_capacity(announced.max(piece.len() + data.len()));
                pieces.extend_from_slice(&piece);
                pieces
            }
            Self::Many(pieces) => pieces,
        };
        pieces.extend_from_slice(&data);
        Self::Many(pieces)
    }

    fn finish(self) -> Bytes {
        match self {
            Self::Nothing => Bytes::new(),
            Self::One(piece) => piece,
            Self::Many(pieces) => pieces.freeze(),
        }
    }
}
