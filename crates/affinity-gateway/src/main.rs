//! The program `affinity`.

fn main() {}
