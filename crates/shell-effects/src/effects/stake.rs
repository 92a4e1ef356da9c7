//! Which commands leave nothing undone that anybody misses, so that `|| true` behind them is meant.

use super::REMOVES;
use crate::command_line::program_name;

/// Words of subcommands and statements, by what a command with them does.
const MINOR: [(Kind, &[&str]); 5] = [
    (Kind::Removal, &REMOVES),
    (Kind::Removal, &["del", "rb", "rmdir", "rmi", "unlink"]),
    (
        Kind::Cleanup,
        &[
            "clean", "cleanup", "clear", "flushall", "flushdb", "forget", "gc", "prune", "purge",
            "stop", "unlock",
        ],
    ),
    (Kind::Cache, &["cache", "caches", "optimize", "warmup"]),
    (Kind::Label, &["annotate", "label"]),
];

/// What a command of little stake does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// What should go may be gone, or goes at the next run.
    Removal,
    /// It makes room, or stops what is replaced next.
    Cleanup,
    /// Whatever is not in a cache is computed again.
    Cache,
    /// Marks that people and defaults read.
    Label,
}

/// Whether nobody misses what a command leaves undone; `named` are the words of it that the catalogue has matched.
pub(super) fn is_minor(values: &[&str], named: &[&str]) -> bool {
    kind_of(named).is_some()
        || sets_marks(values, named)
        || deletes_found(values)
        || drops(values)
        || closes(values)
}

fn kind_of(named: &[&str]) -> Option<Kind> {
    let words = || named.iter().flat_map(|one| one.split(|c: char| !c.is_alphanumeric()));
    let is_one_of =
        |own: &[&str]| words().any(|word| own.iter().any(|one| one.eq_ignore_ascii_case(word)));
    MINOR.iter().find(|(_, own)| is_one_of(own)).map(|(kind, _)| *kind)
}

/// Whether `find` deletes what it finds: often what is older than some days.
fn deletes_found(values: &[&str]) -> bool {
    let by_program = || values.windows(2).any(|pair| pair[0] == "-exec" && pair[1] == "rm");
    values.first().is_some_and(|name| program_name(name) == "find")
        && (values.contains(&"-delete") || by_program())
}

/// Whether a program drops a database or a role, as its name says.
fn drops(values: &[&str]) -> bool {
    values.first().is_some_and(|name| matches!(program_name(name), "dropdb" | "dropuser"))
}

/// Whether a patch only sets labels or annotations, such as the one that makes a storage class the default.
fn sets_marks(values: &[&str], named: &[&str]) -> bool {
    let mentions =
        |names: [&str; 2]| values.iter().any(|value| names.iter().any(|name| value.contains(name)));
    named == ["patch"] && mentions(["annotations", "labels"]) && !mentions(["\"spec\"", "/spec/"])
}

/// Words that put an application out of service for a while, with the word before them, and words that take this back.
const CLOSES: [(&str, &str); 4] = [
    ("artisan", "down"),
    ("maintenance:enable", ""),
    ("maintenance:mode", "--on"),
    ("maintenance-mode", "activate"),
];

/// Whether a command tells the visitors of an application that it is away. The work goes on all the same.
fn closes(values: &[&str]) -> bool {
    CLOSES.iter().any(|(word, then)| {
        let at = values.iter().position(|value| value.rsplit('/').next() == Some(*word));
        at.is_some_and(|at| then.is_empty() || values[at + 1..].contains(then))
    })
}
