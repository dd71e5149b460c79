//! Why a body cannot be read.

use core::fmt;

/// A body that is not JSON, or that is more than is read.
///
/// Says what was met and where, never what the body says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// Offset in bytes of the place at which reading stopped.
    pub at: usize,
    /// What was met there.
    pub fault: Fault,
}

/// What makes a body [`Malformed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The body ends inside a value.
    End,
    /// A byte that JSON's grammar does not allow there.
    Grammar,
    /// Something follows the body's one value.
    Trailing,
    /// A control character inside a string, which JSON wants escaped.
    Control,
    /// A backslash that starts no JSON escape.
    Escape,
    /// A number without digits where JSON wants some.
    Number,
    /// Values nested more than 128 deep.
    Depth,
    /// Bytes that are not UTF-8.
    Utf8,
    /// A byte order mark, which JSON text must not begin with.
    ByteOrderMark,
    /// More bytes than are read, see [`MAX_BODY`](crate::MAX_BODY).
    TooLarge,
    /// The body is a value, but not an object.
    NotAnObject,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.fault, self.at)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::End => "the body ends inside a value",
            Self::Grammar => "not what JSON allows here",
            Self::Trailing => "something follows the body's value",
            Self::Control => "unescaped control character in a string",
            Self::Escape => "unknown escape in a string",
            Self::Number => "number without digits",
            Self::Depth => "values nested more than 128 deep",
            Self::Utf8 => "not UTF-8",
            Self::ByteOrderMark => "byte order mark before the body's value",
            Self::TooLarge => "body larger than 256 MiB",
            Self::NotAnObject => "the body is not a JSON object",
        })
    }
}

impl std::error::Error for Malformed {}
