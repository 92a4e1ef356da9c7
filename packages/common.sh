# Sourced by the scripts of this folder: where things are.
# shellcheck shell=bash disable=SC2034
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

# Where packages are written.
dist=$(realpath -m "${JOBLINT_DIST:-dist}")
mkdir -p "$dist"

# Where cargo builds.
built=$(realpath -m "${CARGO_TARGET_DIR:-target}")

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -1)

step() {
    printf '\n==> %s\n' "$*" >&2
    "$@"
}

# The static build for this machine.
host_target() {
    echo "$(uname -m)-unknown-linux-musl"
}

# The program of a target, built before.
program() {
    local suffix=""
    case $1 in *windows*) suffix=.exe ;; esac
    echo "$built/$1/release/joblint$suffix"
}

# A joblint that runs here, for manual pages and completions.
runnable() {
    if [ -n "${JOBLINT_HOST:-}" ]; then
        echo "$JOBLINT_HOST"
    else
        program "$(host_target)"
    fi
}
