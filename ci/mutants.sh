#!/bin/sh
# Plants every fault of loom-tests/faults.diff and loom-tests/mutants.diff, one at a time, in copies of
# the shipped protocol, and fails unless a model finds each. Changes no file: build.rs writes the
# copies to its own output, and one compilation serves them all.
#
# Prints the rows of the table in docs/table-protocol.md.
set -eu
cd "$(dirname "$0")/.."
cargo test --package loom-tests --features mutants --test faults --quiet
# Without the count of interleavings that each passing scenario prints.
cargo run --package loom-tests --features mutants --example mutants --quiet 2>&1 |
    grep -v --line-buffered 'interleavings$' |
    awk '{ print } /^survivor/ || /error/ { survived = 1 } END { exit survived }'
