//! Values and files that differ on every run: passwords, keys, dates.

use super::{Shell, Value};
use crate::{
    ast::Redirect,
    command_line::{flag_values, has_flag, program_name},
};

/// Text that produces random values.
const RANDOM: &[&str] = &[
    "openssl rand",
    "/dev/urandom",
    "/dev/random",
    "uuidgen",
    "pwgen",
    "$RANDOM",
    "mkpasswd",
    "/proc/sys/kernel/random/uuid",
    "gen_random_uuid",
    "apg ",
    "makepasswd",
];

/// A program that writes keys to files.
struct KeyGenerator {
    program: &'static str,
    /// The subcommands that generate a key; empty if the program has none.
    subcommands: &'static [&'static str],
    /// Generates a key only with one of these flags; empty if it needs none.
    required: &'static [&'static str],
    /// The flags that name the files.
    files: &'static [&'static str],
}

const fn row(
    program: &'static str,
    subcommands: &'static [&'static str],
    required: &'static [&'static str],
    files: &'static [&'static str],
) -> KeyGenerator {
    KeyGenerator { program, subcommands, required, files }
}

#[rustfmt::skip]
const KEY_GENERATORS: &[KeyGenerator] = &[
    row("openssl", &["genrsa", "genpkey", "ecparam", "rand", "dhparam"], &[], &["-out"]),
    row("openssl", &["req"], &["-newkey", "-keyout"], &["-keyout", "-out"]),
    row("ssh-keygen", &[], &["-f"], &["-f"]),
    row("keytool", &[], &["-genkeypair", "-genkey"], &["-keystore"]),
    row("age-keygen", &[], &["-o"], &["-o"]),
    row("wg", &["genkey"], &[], &[]),
];

impl KeyGenerator {
    fn is_run_by(&self, words: &[&str]) -> bool {
        let called =
            self.subcommands.is_empty() || words.iter().any(|v| self.subcommands.contains(v));
        let required =
            self.required.is_empty() || self.required.iter().any(|flag| has_flag(words, flag));
        self.program == program_name(words[0]) && called && required
    }
}

impl Shell<'_> {
    /// Records the files that a command truncates, and those that then contain a new value on every run. A guard that
    /// detects an earlier run keeps the old value.
    pub(crate) fn record_generated_files(&mut self, words: &[&str], redirects: &[Redirect]) {
        let targets = redirects.iter().filter(|redirect| redirect.writes_output());
        let targets: Vec<_> =
            targets.map(|redirect| self.source.word(&redirect.target).value).collect();
        self.truncated_files.extend(targets.iter().cloned());
        if words.is_empty() || self.guards.iter().any(|guard| guard.kind.detects_rerun()) {
            return;
        }
        let generator = KEY_GENERATORS.iter().find(|generator| generator.is_run_by(words));
        let random = generator.is_some() || self.is_random(&words.join(" "));
        let flags = generator.map_or(&[][..], |generator| generator.files);
        let named = flags.iter().flat_map(|flag| flag_values(words, flag)).map(str::to_owned);
        self.generated_files.extend(named);
        if random {
            self.generated_files.extend(targets.into_iter().filter(|path| path != "/dev/null"));
        }
    }

    /// Whether text produces or contains a value that is random on every run.
    pub(crate) fn is_random(&self, text: &str) -> bool {
        RANDOM.iter().any(|source| text.contains(source))
            || self.generated_files.iter().any(|path| text.contains(path.as_str()))
            || self.has_variable(text, |value| value.random)
    }

    /// Whether text contains the date.
    pub(crate) fn is_dated(&self, text: &str) -> bool {
        text.contains("$(date")
            || text.contains("`date")
            || self.has_variable(text, |value| value.dated)
    }

    /// Whether text contains what a command has said about the state outside of the pod: `for name in $(kubectl get …)`.
    pub(crate) fn is_asked_for(&self, text: &str) -> bool {
        self.has_variable(text, |value| value.kind.detects_rerun())
    }

    /// Whether text refers to a variable that satisfies a predicate.
    fn has_variable(&self, text: &str, predicate: fn(&Value) -> bool) -> bool {
        text.match_indices('$').any(|(at, _)| {
            let name = text[at + 1..].trim_start_matches('{');
            let letters = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
            let end = name.chars().take_while(letters).count();
            self.variables.get(&name[..end]).is_some_and(predicate)
        })
    }
}
