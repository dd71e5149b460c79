//! From an LLM request to its session identity and its chain of fingerprints.
