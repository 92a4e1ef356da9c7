//! What the kernel reads of a script: its first line.

use crate::command_line::program_name;

/// What the first line of a script says after `#!`.
pub(super) fn shebang(text: &str) -> &str {
    text.lines().next().and_then(|line| line.strip_prefix("#!")).unwrap_or_default().trim()
}

/// The shell that the first line of a script names, and its options; a plain `sh` if it names none.
pub(super) fn interpreter_of(text: &str) -> (&str, &str) {
    let line = shebang(text);
    let (path, rest) = split(line);
    match program_name(path) {
        "" => ("sh", ""),
        "env" => split(rest.trim_start().trim_start_matches("-S ")),
        name => (name, rest),
    }
}

/// The first word, and the rest.
fn split(line: &str) -> (&str, &str) {
    line.split_once(' ').unwrap_or((line, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_names_the_shell() {
        for (text, expected) in [
            ("date", ("sh", "")),
            ("#!/bin/bash -e\ndate", ("bash", "-e")),
            ("#! /bin/sh\ndate", ("sh", "")),
            ("#!/usr/bin/env bash", ("bash", "")),
            ("#!/usr/bin/env -S bash -eu", ("bash", "-eu")),
        ] {
            assert_eq!(interpreter_of(text), expected, "{text}");
        }
    }
}
