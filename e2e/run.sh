#!/bin/sh
# End-to-end tests: the official openai and anthropic clients, through `affinity serve`, to
# simulated accounts. Arguments go to pytest: e2e/run.sh -k streaming
#
# PYTHON           the interpreter for the virtual environment, 3.9 or newer (default: python3)
# AFFINITY_TARGET  directory with the built programs (default: target/debug, built here if needed)
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
venv=$here/.venv

if [ -z "${AFFINITY_TARGET:-}" ]; then
    # The same invocation as a build of the workspace, so that nothing is compiled again.
    (cd "$root" && cargo build --quiet --workspace --bin affinity --example accounts)
    AFFINITY_TARGET=$root/target/debug
fi
export AFFINITY_TARGET

# Installed once per state of requirements.txt.
if ! cmp -s "$here/requirements.txt" "$venv/installed.txt"; then
    rm -rf "$venv"
    "${PYTHON:-python3}" -m venv "$venv"
    if ! "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt"; then
        echo "e2e: cannot install the clients: these tests need PyPI, or a mirror named in pip's" \
            "configuration (PIP_INDEX_URL)" >&2
        exit 1
    fi
    cp "$here/requirements.txt" "$venv/installed.txt"
fi

cd "$here"
exec "$venv/bin/python" -m pytest -p no:cacheprovider --quiet "$@"
