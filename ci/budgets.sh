#!/usr/bin/env bash
# Instructions per operation of the hot path, counted by callgrind, against ci/budgets.txt.
#
#   ci/budgets.sh            fails if a work takes more than 5 % above its budget
#   ci/budgets.sh --accept   writes what it counts as the new budgets
#
# Counts hardly depend on the machine's speed or load. They do on the compiler: budgets.txt names the
# one that it was counted with.
set -euo pipefail
cd "$(dirname "$0")/.."

budgets=ci/budgets.txt
tolerance=5 # percent

if ! command -v valgrind >/dev/null; then
    if [ -n "${CI:-}" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        { apt-get update && apt-get install -y --no-install-recommends valgrind; } >/dev/null 2>&1 || true
    fi
    if ! command -v valgrind >/dev/null; then
        echo "budgets: skipped: valgrind is not installed and cannot be (apt-get install valgrind)"
        exit 0
    fi
fi

cargo build --quiet --release -p benches --bin instructions
driver=${CARGO_TARGET_DIR:-target}/release/instructions

count() { # work -> instructions of one operation
    local times=2000
    # The table's hasher is seeded at random: many operations, so that its luck averages out.
    case $1 in re*) times=50000 ;; esac
    valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect='instructions::counted*' \
        "$driver" "$1" "$times" 2>&1 |
        awk -v times="$times" '/Collected/ { printf "%d\n", $NF / times; found = 1 } END { exit !found }'
}

counted=$(mktemp)
trap 'rm -f "$counted"' EXIT
failed=0
for work in $("$driver" || true); do
    now=$(count "$work")
    echo "$work $now" >>"$counted"
    budget=$(awk -v work="$work" '$1 == work { print $2 }' "$budgets" 2>/dev/null || true)
    if [ -z "$budget" ]; then
        verdict="no budget"
        failed=1
    elif [ $((now * 100)) -gt $((budget * (100 + tolerance))) ]; then
        verdict="over budget"
        failed=1
    else
        verdict=ok
    fi
    printf '%-22s %8d instructions, budget %8s: %s\n' "$work" "$now" "${budget:--}" "$verdict"
done

if [ "${1:-}" = --accept ]; then
    {
        echo "# Instructions per operation, x86-64, $(rustc --version). Written by: ci/budgets.sh --accept"
        cat "$counted"
    } >"$budgets"
    echo "budgets: wrote $budgets; say in the commit what the instructions buy"
elif [ $failed != 0 ]; then
    echo "budgets: more than $tolerance % above ci/budgets.txt. Make it cheaper again, or, if what it buys is" >&2
    echo "budgets: worth it, run ci/budgets.sh --accept and commit ci/budgets.txt with the reason." >&2
    exit 1
fi
