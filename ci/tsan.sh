#!/usr/bin/env bash
# The table's tests with real threads, under ThreadSanitizer. Needs a nightly toolchain, and skips
# without one. A seeded race is run first: unless it is reported, nothing is shown.
#
#   ci/tsan.sh                                   20 s of stress, and the recorded histories
#   AFFINITY_STRESS_SECONDS=600 ci/tsan.sh       longer
#
# std stays as it is shipped, not instrumented: building it (-Zbuild-std) needs its sources, and the
# stress programs need nothing of it that ThreadSanitizer would misread. Threads are intercepted at
# pthread_create and pthread_join, and everything generic or inlined (atomics, Arc, OnceLock, thread
# locals) is compiled, and instrumented, with our code. So there are no suppressions. The price: an
# access inside std's own compiled functions is not seen. dashmap, parking_lot_core, crossbeam-queue
# and the table itself are instrumented in full.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! rustc +nightly --version 2>/dev/null; then
    echo "skipped: no nightly toolchain (rustup toolchain install nightly)"
    exit 0
fi

host=$(rustc +nightly --version --verbose | sed -n 's/^host: //p')
export CARGO_TARGET_DIR=${TSAN_TARGET_DIR:-${TMPDIR:-/tmp}/affinity-tsan}
# The second flag: we know that std is not instrumented.
export RUSTFLAGS="-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer"
export TSAN_OPTIONS="halt_on_error=1 second_deadlock_stack=1 ${TSAN_OPTIONS:-}"
mkdir -p "$CARGO_TARGET_DIR"

planted=$CARGO_TARGET_DIR/planted_race
# shellcheck disable=SC2086
rustc +nightly $RUSTFLAGS --edition 2024 --target "$host" -g -o "$planted" ci/planted_race.rs
if "$planted" 2>"$planted.log"; then
    echo "FAILED: the planted race was not reported"
    exit 1
fi
grep -m1 "ThreadSanitizer: data race" "$planted.log"
echo "the planted race is reported"

# --target keeps build scripts and procedural macros free of the sanitizer.
tests() { cargo +nightly test --target "$host" -p affinity-table "$@"; }
AFFINITY_STRESS_SECONDS=${AFFINITY_STRESS_SECONDS:-20} tests --test stress
tests --test linearizable --test panics
echo "no race reported"
