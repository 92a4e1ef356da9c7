# Sourced by the scripts of this folder: where things are.
# shellcheck shell=bash disable=SC2034
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

# A path as seen from any folder.
absolute() {
    case $1 in
    /* | [A-Za-z]:*) echo "$1" ;;
    *) echo "$root/$1" ;;
    esac
}

# Where packages are written.
dist=$(absolute "${JOBLINT_DIST:-dist}")
mkdir -p "$dist"

# Where cargo builds.
built=$(absolute "${CARGO_TARGET_DIR:-target}")

# Python, which Windows calls otherwise, with UTF-8 everywhere.
python=$(command -v python3 || command -v python)
export PYTHONUTF8=1

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -1)

# The same bytes for the same commit, wherever it is built: no folder of this machine and no time of the build in them.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
remapped="--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo --remap-path-prefix=$root=/joblint"
export SOURCE_DATE_EPOCH RUSTFLAGS="${RUSTFLAGS:-} $remapped"

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
