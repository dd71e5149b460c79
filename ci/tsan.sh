#!/usr/bin/env bash
# The table's stress program under ThreadSanitizer. Needs a nightly toolchain, and skips without one.
# A planted race is run first: unless it is reported, silence about the table means nothing.
#
#   ci/tsan.sh                                   20 s
#   AFFINITY_STRESS_SECONDS=600 ci/tsan.sh       longer
#
# std stays as it is shipped, not instrumented: building it (-Zbuild-std) needs its sources. What of it
# is generic or inlined (atomics, Arc, OnceLock, thread locals) is compiled, and instrumented, with our
# code, and threads are intercepted at pthread_create and pthread_join. dashmap, parking_lot_core,
# crossbeam and the table are instrumented in full. Two rules make suppressions unnecessary: the
# program has its own main, since libtest hands results over a channel inside std; and it joins every
# thread, since the end of a scope waits for threads by a counter inside std. Either is reported as a
# race that is none. The price: an access inside std's own compiled functions is not seen.
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
AFFINITY_STRESS_SECONDS=${AFFINITY_STRESS_SECONDS:-20} \
    cargo +nightly test --target "$host" -p affinity-table --test stress
echo "no race reported"
