# Sourced: the words of inputs.
# shellcheck shell=bash disable=SC2178

# Reads the words of a text, separated by spaces and line breaks, into an array. Globs stay as they are.
words() {
    local -n into=$1
    into=()
    local line
    while IFS= read -r line; do
        local -a some=()
        IFS=$' \t' read -ra some <<<"$line"
        into+=("${some[@]}")
    done <<<"$2"
}

# The flags for deployers, one a line.
deployers() {
    local -n into=$1
    into=()
    local line
    while IFS= read -r line; do
        [ -z "$line" ] || into+=("--deployer=$line")
    done <<<"$2"
}

# The flags for the lowest severity that fails.
fail_on() {
    local -n into=$1
    case $2 in
    "") into=() ;;
    never) into=(--exit-zero) ;;
    *) into=("--fail-on=$2") ;;
    esac
}
