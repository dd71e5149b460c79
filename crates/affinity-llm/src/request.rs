//! A request, read.

use core::fmt;
use std::ops::Range;

use affinity_hash::{ChainBuilder, Scope};

use crate::dialect::Dialect;
use crate::entry::{Entry, EntryKind};
use crate::fingerprint::{Fingerprint, NoFingerprint};
use crate::headers::Headers;
use crate::malformed::{Fault, Malformed};
use crate::path::Path;
use crate::read::{Buffers, Ident, Reader};
use crate::scratch::Scratch;
use crate::session::{self, Rejection, Session, SessionRules, Source};

/// Bodies larger than this are not read, in bytes: 256 MiB, eight times what providers accept.
pub const MAX_BODY: usize = 256 << 20;

/// A request to an LLM, read in one pass.
///
/// Borrows the headers, the path and a [`Scratch`]; the body is read once and not kept.
///
/// ```
/// use affinity_hash::{ChainBuilder, Scope};
/// use affinity_llm::{Dialect, Request, Scratch, SessionRules};
///
/// let headers = [("x-session-id", "s-1")];
/// let body = br#"{"model": "m", "messages": [{"role": "user", "content": "hello"}]}"#;
///
/// let mut scratch = Scratch::new();
/// let request = Request::read(&headers, "/v1/chat/completions", body, &mut scratch);
/// assert_eq!(request.dialect(), Some(Dialect::ChatCompletions));
/// assert_eq!(request.model(), Some("m"));
///
/// let rules = SessionRules::default();
/// assert_eq!(request.session(&rules).unwrap().id(), "s-1");
///
/// let mut chain = ChainBuilder::new();
/// let fingerprint = request.fingerprint(Scope::public().model(b"m"), &mut chain)?;
/// assert_eq!((fingerprint.links.len(), fingerprint.opener), (1, 0));
/// # Ok::<(), affinity_llm::NoFingerprint>(())
/// ```
pub struct Request<'r, H: ?Sized> {
    headers: &'r H,
    path: Path<'r>,
    /// Where the model stands in the path.
    path_model: Option<Range<usize>>,
    dialect: Option<Dialect>,
    malformed: Option<Malformed>,
    buffers: &'r Buffers,
}

impl<'r, H: Headers + ?Sized> Request<'r, H> {
    /// Reads a request. The dialect is the path's, whatever prefix a gateway gives it, or else the
    /// one that has the shape of the body.
    ///
    /// Never fails: a body that cannot be read leaves a request without body fields, whose headers
    /// may name a session all the same. One pass over the body, three if an object has two members
    /// of one name; allocates nothing once `scratch` has grown.
    pub fn read(headers: &'r H, path: &'r str, body: &[u8], scratch: &'r mut Scratch) -> Self {
        let read = Path::read(path);
        let path_model = read.model.as_ref().map(|model| model.range_in(path));
        Self {
            path_model,
            ..Self::read_at(headers, read, body, scratch)
        }
    }

    /// Reads a request whose dialect is known from elsewhere, such as the route that matched.
    pub fn read_as(
        dialect: Dialect,
        headers: &'r H,
        body: &[u8],
        scratch: &'r mut Scratch,
    ) -> Self {
        let path = Path {
            dialect: Some(dialect),
            ..Path::default()
        };
        Self::read_at(headers, path, body, scratch)
    }

    fn read_at(headers: &'r H, path: Path<'r>, body: &[u8], scratch: &'r mut Scratch) -> Self {
        let buffers = &mut scratch.buffers;
        let malformed = read_body(&path, body, buffers).err();
        if malformed.is_some() {
            buffers.clear();
        }
        let dialect = path
            .dialect
            .or_else(|| Dialect::of_shape(&buffers.outline).filter(|_| !path.side_call));
        Self {
            headers,
            path,
            path_model: None,
            dialect,
            malformed,
            buffers,
        }
    }

    /// Whose API the request speaks. A side call has the dialect of its API if that is known.
    #[must_use]
    pub fn dialect(&self) -> Option<Dialect> {
        self.dialect
    }

    /// The model, as the body names it, or else the path: as the client spells it, aliases and
    /// deployments included, a path's escapes undone.
    #[must_use]
    pub fn model(&self) -> Option<&str> {
        let body = self.buffers.captured.get(Ident::Model);
        body.and_then(|model| str::from_utf8(model).ok())
            .or(self.path_model())
    }

    /// The model that the path names, its escapes undone; `None` also when they hide a control
    /// character or what is not UTF-8.
    #[must_use]
    pub fn path_model(&self) -> Option<&str> {
        self.path.model.as_ref()?.name.as_deref()
    }

    /// The bytes of the path that name a model, whether that can be read or not.
    #[must_use]
    pub fn path_model_range(&self) -> Option<Range<usize>> {
        self.path_model.clone()
    }

    /// Whether the answer is to be streamed.
    #[must_use]
    pub fn stream(&self) -> bool {
        self.buffers.outline.stream.unwrap_or(self.path.stream)
    }

    /// Whether the request names something that only the account which made it has: encrypted
    /// reasoning, a stored response, conversation, item or file. Sent to another account it is an
    /// error of the provider, not only a lost cache.
    #[must_use]
    pub fn bound(&self) -> bool {
        let Buffers {
            outline, captured, ..
        } = self.buffers;
        let named = |ident| captured.get(ident).is_some_and(|id| !id.is_empty());
        // Without a dialect, nobody knows which of the arrays are the messages.
        outline.bound
            || outline.messages.bound && self.dialect.is_some()
            || named(Ident::Conversation)
            || named(Ident::PreviousResponse)
    }

    /// The session that the request names, by the first of the rules that has one.
    #[must_use]
    pub fn session<'s>(&'s self, rules: &'s SessionRules) -> Option<Session<'s>> {
        self.session_or(rules, |_, _| {})
    }

    /// The same, and shows what was found on the way and is no session.
    pub fn session_or<'s>(
        &'s self,
        rules: &'s SessionRules,
        rejected: impl FnMut(&'s Source, Rejection),
    ) -> Option<Session<'s>> {
        session::find(self.headers, &self.buffers.captured, rules, rejected)
    }

    /// The conversation's chain under the scope; `chain` keeps the links.
    ///
    /// # Errors
    ///
    /// The reason if the request has none: it is never the fingerprint of nothing.
    pub fn fingerprint<'c>(
        &self,
        scope: Scope,
        chain: &'c mut ChainBuilder,
    ) -> Result<Fingerprint<'c>, NoFingerprint> {
        let opener = self.opener()?;
        chain.start(scope);
        for entry in self.entries() {
            chain.push(entry.bytes());
        }
        Ok(Fingerprint {
            opener,
            prefix_bytes: chain.prefix_bytes(),
            turns: self.buffers.outline.messages.turns,
            links: chain.links(),
        })
    }

    /// The canonical entries, in the order of their links; none if there is no fingerprint.
    pub fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        let Buffers { canon, outline, .. } = self.buffers;
        let bytes = canon.bytes();
        let entry = |kind, range: &Range<usize>| Entry::new(kind, &bytes[range.clone()]);
        let system = outline
            .system()
            .into_iter()
            .map(move |range| entry(EntryKind::System, range));
        let tools = outline
            .tools
            .iter()
            .map(move |range| entry(EntryKind::Tools, range));
        let messages = outline.messages.entries.iter();
        let messages = messages.map(move |range| entry(EntryKind::Message, range));
        let shown = if self.opener().is_ok() { usize::MAX } else { 0 };
        system.chain(tools).chain(messages).take(shown)
    }

    /// Index of the link that ends the first user turn.
    fn opener(&self) -> Result<usize, NoFingerprint> {
        if self.path.side_call {
            return Err(NoFingerprint::SideCall);
        }
        if let Some(malformed) = self.malformed {
            return Err(NoFingerprint::Malformed(malformed));
        }
        let outline = &self.buffers.outline;
        let dialect = self.dialect.ok_or(NoFingerprint::UnknownDialect)?;
        let present = match dialect {
            Dialect::ChatCompletions | Dialect::AnthropicMessages => outline.seen.messages,
            Dialect::Responses => outline.seen.input,
            Dialect::Gemini => outline.seen.contents,
        };
        if !present {
            return Err(NoFingerprint::NoConversation);
        }
        if outline.messages.not_an_array {
            return Err(NoFingerprint::NotAnArray);
        }
        let opener = outline.messages.opener.ok_or(NoFingerprint::NoUserTurn)?;
        let before = usize::from(outline.system().is_some()) + usize::from(outline.tools.is_some());
        Ok(before + opener)
    }
}

/// Reads a body into the buffers.
fn read_body(path: &Path<'_>, body: &[u8], buffers: &mut Buffers) -> Result<(), Malformed> {
    buffers.clear();
    let malformed = |at, fault| Err(Malformed { at, fault });
    if body.len() > MAX_BODY {
        return malformed(MAX_BODY, Fault::TooLarge);
    }
    let mut reader = Reader::new(body, path.dialect, buffers);
    if !reader.is_utf8() {
        let valid = str::from_utf8(body).map_or_else(|error| error.valid_up_to(), str::len);
        return malformed(valid, Fault::Utf8);
    }
    if body.starts_with("\u{feff}".as_bytes()) {
        return malformed(0, Fault::ByteOrderMark);
    }
    match reader.body(!path.side_call) {
        Ok(()) => Ok(()),
        Err(fault) => malformed(reader.at(), fault),
    }
}

impl<H: ?Sized> fmt::Debug for Request<'_, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("dialect", &self.dialect)
            .field("side_call", &self.path.side_call)
            .field("malformed", &self.malformed)
            .finish_non_exhaustive()
    }
}
