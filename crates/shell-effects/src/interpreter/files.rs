//! The files that a command reads and writes.

use crate::{
    command_line::{flag_values, has_flag, operands, program_name},
    context::Context,
    read_back,
    shell::Shell,
    text::Text,
};

/// Flags that name the file to which a client writes what it got.
const OUTPUT_FLAGS: [&str; 4] = ["-o", "--output", "-O", "--output-document"];

/// The names of the objects in the manifests that a command reads.
pub(super) fn manifests(shell: &Shell<'_>, values: &[&str], context: &Context) -> Vec<String> {
    let files = ["-f", "--filename"].iter().flat_map(|flag| flag_values(values, flag));
    let files = files.filter_map(|path| shell.file(path));
    let texts: Vec<_> = files.chain(context.stdin.clone()).collect();
    match texts.as_slice() {
        [] => context.renamed.clone(),
        texts => texts.iter().flat_map(|text| read_back::names(&text.value)).collect(),
    }
}

/// Whether a command works on whatever is in the working directory: in another one it deletes or packs what it should
/// not.
pub(super) fn works_on_directory(values: &[&str]) -> bool {
    match values.first().map_or("", |name| program_name(name)) {
        "rm" => ["-r", "-R", "--recursive"].iter().any(|flag| has_flag(values, flag)),
        "tar" => true,
        _ => false,
    }
}

/// Whether a command unpacks an archive in the working directory.
pub(super) fn unpacks_here(values: &[&str]) -> bool {
    let [name, first, ..] = values else { return false };
    let elsewhere = ["-C", "--directory"].iter().any(|flag| has_flag(values, flag));
    let unpacks = ["-x", "--extract", "--get"].iter().any(|flag| has_flag(values, flag))
        || !first.starts_with('-') && first.contains('x');
    program_name(name) == "tar" && unpacks && !elsewhere
}

/// The files that a command writes without a redirection.
pub(super) fn written_files(words: &[Text]) -> Vec<&str> {
    let values: Vec<_> = words.iter().map(|word| word.value.as_str()).collect();
    match values.first().map_or("", |name| program_name(name)) {
        "tee" | "touch" => operands(&values).collect(),
        _ => OUTPUT_FLAGS.iter().flat_map(|flag| flag_values(&values, flag)).collect(),
    }
}

/// Extensions of files in other languages than shell, and of files of data.
const FOREIGN: [&str; 19] = [
    "py",
    "js",
    "mjs",
    "ts",
    "rb",
    "pl",
    "php",
    "sql",
    "lua",
    "groovy",
    "json",
    "yaml",
    "yml",
    "toml",
    "conf",
    "properties",
    "ini",
    "xml",
    "csv",
];

/// Whether the extension of a file names another language than shell, or data.
pub(super) fn is_foreign(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, extension)| FOREIGN.contains(&extension))
}
