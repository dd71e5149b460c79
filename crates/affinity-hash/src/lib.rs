//! Rendezvous and chain hashing with the same output on every replica, platform and build.
