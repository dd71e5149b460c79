//! The fingerprints that every release, platform and build must give, from `tests/golden`.
//!
//! A difference here is a change of the canonical form: a new major version, not a fix.

mod common;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use common::read;
use serde_json::Value;

#[test]
fn golden_vectors_hold() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/vectors.json");
    let vectors: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    let vectors = vectors.as_array().unwrap();
    assert_eq!(vectors.len(), 8);
    for vector in vectors {
        let links = read(
            vector["path"].as_str().unwrap(),
            vector["body"].to_string().as_bytes(),
        )
        .unwrap();
        let links = links.iter().fold(String::new(), |mut text, link| {
            write!(text, "{link:016x} ").unwrap();
            text
        });
        assert_eq!(
            links.trim_end(),
            vector["links"].as_str().unwrap(),
            "{}",
            vector["name"]
        );
    }
}
