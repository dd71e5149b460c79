//! What a body was found to hold, apart from its text.

use std::ops::Range;

/// Where a conversation's entries are, and what was learnt on the way.
#[derive(Default)]
pub(crate) struct Outline {
    /// By its place and the name under which it stands.
    pub(crate) systems: [[Option<Range<usize>>; 4]; 2],
    pub(crate) tools: Option<Range<usize>>,
    pub(crate) messages: Messages,
    /// Keys at the body's top level that tell dialects apart.
    pub(crate) seen: Seen,
    pub(crate) stream: Option<bool>,
    /// The body names something that only the account which made it has, see
    /// [`Request::bound`](crate::Request::bound).
    pub(crate) bound: bool,
}

/// Where a member of the body stands. Of system prompts the inner one counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the `request` that Code Assist wraps a body in.
    Inside,
    Outside,
}

/// The names of the system prompt. Of several the first counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SystemName {
    /// `system`.
    Short,
    /// `instructions`.
    Instructions,
    /// `systemInstruction`.
    CamelCase,
    /// `system_instruction`.
    SnakeCase,
}

/// The entries of the messages.
#[derive(Default)]
pub(crate) struct Messages {
    pub(crate) entries: Vec<Range<usize>>,
    /// The message that ends the first user turn.
    pub(crate) opener: Option<usize>,
    pub(crate) turns: usize,
    pub(crate) in_user_turn: bool,
    pub(crate) bound: bool,
    /// Some element has a role.
    pub(crate) roles: bool,
    /// Some element has a type, as items of the Responses API have.
    pub(crate) items: bool,
    /// Some part is of a type that only Anthropic's Messages have.
    pub(crate) blocks: bool,
    pub(crate) not_an_array: bool,
}

/// Top-level keys. What is null is not there.
#[derive(Clone, Copy, Default)]
pub(crate) struct Seen {
    pub(crate) messages: bool,
    pub(crate) input: bool,
    pub(crate) contents: bool,
    /// Some key that only a Responses body has.
    pub(crate) responses: bool,
    /// Some key that only an Anthropic body has.
    pub(crate) anthropic: bool,
}

impl Outline {
    /// Where the system prompt's entry is.
    pub(crate) fn system(&self) -> Option<&Range<usize>> {
        self.systems.iter().flatten().flatten().next()
    }

    pub(crate) fn clear(&mut self) {
        let mut messages = std::mem::take(&mut self.messages);
        messages.clear();
        *self = Self {
            messages,
            ..Self::default()
        };
    }
}

impl Messages {
    pub(crate) fn clear(&mut self) {
        let mut entries = std::mem::take(&mut self.entries);
        entries.clear();
        *self = Self {
            entries,
            ..Self::default()
        };
    }

    /// Adds a message's entry. `user`: somebody says something in it.
    pub(crate) fn push(&mut self, entry: Range<usize>, user: bool) {
        if user {
            if !self.in_user_turn {
                self.turns += 1;
            }
            if self.turns == 1 {
                self.opener = Some(self.entries.len());
            }
        }
        self.in_user_turn = user;
        self.entries.push(entry);
    }
}
