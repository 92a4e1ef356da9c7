//! Commands whose output is a backup: all that a restore will find.

use crate::{analysis::Invocation, command_line::has_flag};

/// Programs that write or print what a database holds.
const DUMPS: [&str; 11] = [
    "mariabackup",
    "mariadb-dump",
    "mongodump",
    "mongoexport",
    "mydumper",
    "mysqldump",
    "pg_basebackup",
    "pg_dump",
    "pg_dumpall",
    "slapcat",
    "xtrabackup",
];

/// Programs that do so with one of the words.
const WITH: [(&str, &[&str]); 10] = [
    ("btrfs", &["send"]),
    ("consul", &["save"]),
    ("drush", &["sql-dump", "sql:dump"]),
    ("influxd", &["backup"]),
    ("neo4j-admin", &["backup", "dump"]),
    ("rbd", &["export", "export-diff"]),
    ("redis-cli", &["--rdb"]),
    ("sqlite3", &[".dump"]),
    ("wp", &["export"]),
    ("zfs", &["send"]),
];

/// Whether a command makes a backup. `next` is the command behind it: what unpacks an archive at once copies
/// files, and keeps none.
pub(crate) fn is_dump(invocation: &Invocation, next: Option<&Invocation>) -> bool {
    let program = invocation.program_name();
    let has = |words: &[&str]| invocation.values().iter().any(|word| words.contains(word));
    DUMPS.contains(&program)
        || WITH.iter().any(|(name, words)| program == *name && has(words))
        || copies_out(invocation)
        || prints_archive(invocation) && next.is_none_or(|next| !unpacks(next))
}

/// Whether `psql` prints a table: `psql -c "COPY orders TO STDOUT WITH CSV"`.
fn copies_out(invocation: &Invocation) -> bool {
    let copies = |word: &&str| {
        let word = word.trim_start_matches('\\').to_ascii_lowercase();
        word.starts_with("copy ") && word.contains(" to stdout")
    };
    invocation.program_name() == "psql" && invocation.values().iter().any(copies)
}

/// Whether `tar` writes an archive to its standard output: `tar -czf - data`, `tar cz data`.
fn prints_archive(invocation: &Invocation) -> bool {
    let words: Vec<_> = invocation.words.iter().map(|word| word.value.as_str()).collect();
    let (Some(first), true) = (words.get(1), invocation.program_name() == "tar") else {
        return false;
    };
    let letters = if first.starts_with('-') { "" } else { *first };
    let has = |letter: char, flag: &str, long: &str| {
        letters.contains(letter) || has_flag(&words, flag) || has_flag(&words, long)
    };
    has('c', "-c", "--create") && (words.contains(&"-") || !has('f', "-f", "--file"))
}

/// Whether `tar` unpacks an archive, here or at the other end of `ssh` or `kubectl exec`.
fn unpacks(invocation: &Invocation) -> bool {
    invocation.program_name() == "tar" && !prints_archive(invocation)
}
