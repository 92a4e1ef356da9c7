//! Backups that nothing takes out of the container: a script that dumps a database to a file and does nothing else.

use crate::{
    analysis::{Analysis, Invocation},
    command_line::flag_values,
    dumps::is_dump,
    text::ElementSpan,
};

/// Options of dump programs with the file or folder that they write, except for standard output.
const WRITES: [&str; 10] = [
    "-D",
    "--archive",
    "--dir",
    "-f",
    "--file",
    "-o",
    "--out",
    "--outputdir",
    "-r",
    "--result-file",
];

/// Programs that pack what they read.
const PACKS: [&str; 8] = ["bzip2", "gpg", "gzip", "lz4", "openssl", "pigz", "xz", "zstd"];

/// Programs that take nothing out of the container, and print no file.
const STAYS: [&str; 41] = [
    ".",
    ":",
    "[",
    "[[",
    "basename",
    "cd",
    "chmod",
    "chown",
    "cp",
    "cut",
    "date",
    "dirname",
    "du",
    "echo",
    "exit",
    "export",
    "false",
    "find",
    "ls",
    "md5sum",
    "mkdir",
    "mv",
    "pg_isready",
    "printf",
    "pwd",
    "rm",
    "set",
    "sha256sum",
    "grep",
    "sort",
    "stat",
    "tail",
    "tar",
    "test",
    "touch",
    "trap",
    "true",
    "umask",
    "wc",
    "which",
    "xargs",
];

/// The dump program of a script that writes its files into the container and takes them nowhere, and the file, if that
/// is stated. Whether a volume keeps them, the caller has to ask.
pub fn lost_backup(analysis: &Analysis) -> Option<(ElementSpan, Option<&str>)> {
    let all = &analysis.invocations;
    let dump = all.iter().position(is_database_dump)?;
    let (own, next) = (&all[dump], all.get(dump + 1));
    let is_piped = |next: &&Invocation| PACKS.contains(&next.program_name());
    let file = written(own).or_else(|| next.filter(is_piped).and_then(written))?;
    let stays = |one: &Invocation| {
        let program = one.program_name();
        is_database_dump(one) || PACKS.contains(&program) || STAYS.contains(&program)
    };
    // Whoever keeps the pod alive, or dumps in that of the database, fetches the file.
    let is_left =
        |one: &Invocation| one.actions.iter().any(|action| action.endless) || one.is_elsewhere();
    let is_known = analysis.unknown.is_empty() && all.iter().all(stays) && !all.iter().any(is_left);
    is_known.then_some((own.location, Some(file).filter(|path| path.starts_with('/'))))
}

fn is_database_dump(one: &Invocation) -> bool {
    one.program_name() != "tar" && is_dump(one, None)
}

/// The file that a command writes: that of an option, or that to which its output goes.
fn written(one: &Invocation) -> Option<&str> {
    let words: Vec<_> = one.words.iter().map(|word| word.value.as_str()).collect();
    let mut stated = WRITES.iter().flat_map(|flag| flag_values(&words, flag));
    let is_file = |path: &&str| !path.starts_with("/dev/") && *path != "-";
    let option = stated.find(is_file).filter(|_| is_database_dump(one));
    option.or_else(|| one.outputs.iter().map(String::as_str).find(is_file))
}
