//! A bounded, concurrent memory of which channel served a conversation.
