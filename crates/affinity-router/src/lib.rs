//! The affinity decision: session id, else memory, else the opener's fingerprint.
