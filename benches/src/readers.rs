//! Who reads a body: ours, to its links; and the parsers that a gateway runs today before it hashes
//! anything.

use affinity_hash::{ChainBuilder, Scope};
use affinity_llm::{Request, Scratch};

/// Reads one body after another.
pub trait BodyReader {
    /// The name in tables and plots.
    const NAME: &'static str;

    /// One whose buffers are empty.
    fn new() -> Self;

    /// Reads a body; a number that depends on all of it, so that nothing is left out.
    fn read(&mut self, body: &[u8]) -> usize;
}

/// What no reader avoids: to check, to copy and to hash as many bytes.
#[derive(Debug)]
pub struct Floor {
    copy: Vec<u8>,
    chain: ChainBuilder,
}

impl BodyReader for Floor {
    const NAME: &'static str = "(check, copy and hash)";

    fn new() -> Self {
        Self {
            copy: Vec::new(),
            chain: ChainBuilder::new(),
        }
    }

    fn read(&mut self, body: &[u8]) -> usize {
        let text = str::from_utf8(body).expect("UTF-8");
        self.copy.clear();
        self.copy.extend_from_slice(text.as_bytes());
        self.chain.clear();
        self.chain.push(&self.copy) as usize
    }
}

/// Ours, from the body to the links.
#[derive(Debug)]
pub struct Ours {
    scratch: Scratch,
    chain: ChainBuilder,
}

impl BodyReader for Ours {
    const NAME: &'static str = "affinity";

    fn new() -> Self {
        Self {
            scratch: Scratch::new(),
            chain: ChainBuilder::new(),
        }
    }

    fn read(&mut self, body: &[u8]) -> usize {
        let request = Request::read(&(), "/v1/chat/completions", body, &mut self.scratch);
        let fingerprint = request
            .fingerprint(Scope::public(), &mut self.chain)
            .expect("a conversation");
        fingerprint.links.len()
    }
}

/// `serde_json::Value`: parses, and hashes nothing.
#[derive(Debug)]
pub struct SerdeJson;

impl BodyReader for SerdeJson {
    const NAME: &'static str = "serde_json Value";

    fn new() -> Self {
        Self
    }

    fn read(&mut self, body: &[u8]) -> usize {
        let value: serde_json::Value = serde_json::from_slice(body).expect("JSON");
        value["messages"].as_array().map_or(0, Vec::len)
    }
}

/// `sonic_rs::Value`: parses, and hashes nothing.
#[cfg(feature = "peers")]
#[derive(Debug)]
pub struct SonicRs;

#[cfg(feature = "peers")]
impl BodyReader for SonicRs {
    const NAME: &'static str = "sonic_rs Value";

    fn new() -> Self {
        Self
    }

    fn read(&mut self, body: &[u8]) -> usize {
        use sonic_rs::{JsonContainerTrait as _, JsonValueTrait as _};
        let value: sonic_rs::Value = sonic_rs::from_slice(body).expect("JSON");
        value
            .get("messages")
            .and_then(|messages| messages.as_array().map(|messages| messages.len()))
            .unwrap_or(0)
    }
}
