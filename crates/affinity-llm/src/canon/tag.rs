//! The bytes that give entries their structure.
//!
//! Text is UTF-8, or WTF-8 where a surrogate is alone, and neither ever contains a byte above
//! `F4`: no text can imitate structure, so entries need no lengths and no escapes.

/// A text follows, up to the next byte of this list.
pub(crate) const TEXT: u8 = 0xF8;
/// A number follows, in the one spelling of its value.
pub(crate) const NUMBER: u8 = 0xF9;
/// `t`, `f` or `n` follows.
pub(crate) const LITERAL: u8 = 0xFA;
/// Values follow, up to [`END`].
pub(crate) const ARRAY: u8 = 0xFB;
/// Members follow in the order of their keys, up to [`END`].
pub(crate) const OBJECT: u8 = 0xFC;
/// Ends an array or an object.
pub(crate) const END: u8 = 0xFD;
/// A member's key follows as the client spells it, then its value.
pub(crate) const KEY: u8 = 0xFE;
/// A member's [`Field`] follows, then its values.
pub(crate) const FIELD: u8 = 0xFF;

/// What a member means, where several spellings of it mean the same.
///
/// Numbered in the order in which clients write them, so that most objects need no sorting.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Field {
    /// The entry of a system prompt.
    System = 0x01,
    /// The entry of the tools.
    Tools = 0x02,
    Role = 0x03,
    Type = 0x04,
    Name = 0x05,
    Text = 0x06,
    Content = 0x07,
    Calls = 0x08,
    /// What a tool is called with.
    Input = 0x09,
    /// What it returned.
    Result = 0x0A,
    /// Which call, counted from the conversation's first, a result answers.
    Call = 0x0B,
}

impl Field {
    /// The name of the field with this number, and whether it may have several values.
    pub(super) fn describe(number: u8) -> (&'static str, bool) {
        const FIELDS: [(Field, &str, bool); 11] = [
            (Field::System, "system", true),
            (Field::Tools, "tools", false),
            (Field::Role, "role", false),
            (Field::Type, "type", false),
            (Field::Name, "name", false),
            (Field::Text, "text", false),
            (Field::Content, "content", true),
            (Field::Calls, "calls", true),
            (Field::Input, "input", false),
            (Field::Result, "result", true),
            (Field::Call, "call", false),
        ];
        let found = FIELDS.iter().find(|(field, ..)| *field as u8 == number);
        found.map_or(("", false), |&(_, name, many)| (name, many))
    }
}
