//! The table's protocol under loom.
