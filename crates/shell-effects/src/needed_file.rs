//! Files without which a later command fails the script: `etcdctl snapshot save /tmp/a.db; aws s3 cp /tmp/a.db s3://b/`.

use crate::{
    analysis::{Analysis, Invocation, is_inside},
    command_line::flag_values,
    decided::{PASSES, WINDOW, fails_by_itself},
};

/// Programs that write a snapshot under another name first, and leave no file if they fail.
const SNAPSHOTS: [&str; 4] = ["bao", "consul", "etcdctl", "vault"];

/// Programs that pack a file in place, and what they add to its name.
const PACKS: [(&str, &str); 4] =
    [("bzip2", ".bz2"), ("gzip", ".gz"), ("pigz", ".gz"), ("xz", ".xz")];

/// Programs that unpack a file in place: `x.gz` is `x` then.
pub(crate) const UNPACKS: [&str; 4] = ["bunzip2", "gunzip", "unxz", "unzstd"];

/// Programs that make the last file that they are given.
const COPIES: [&str; 5] = ["cp", "install", "mv", "tee", "touch"];

/// Programs that do not fail without a file that they are given, or make it.
const GOES_ON: [&str; 3] = ["rm", "tee", "touch"];

/// Whether a file is not there without the invocation at `index`, and a later command reads it and fails the script without.
pub(crate) fn is_file_of_later(analysis: &Analysis, index: usize) -> bool {
    let mut files = made_file(analysis, index).map(str::to_owned).into_iter().collect::<Vec<_>>();
    files.extend(written_behind(analysis, index));
    if files.is_empty() {
        return false;
    }
    let names = renamed(analysis, index, files);
    analysis.decided_behind(index).any(|one| {
        let program = one.program_name();
        let goes_on = PASSES.contains(&program) || GOES_ON.contains(&program);
        fails_by_itself(one) && !goes_on && reads(one, &names)
    })
}

/// The names of the files, and those that the commands from `index` on give them.
fn renamed(analysis: &Analysis, index: usize, mut names: Vec<String>) -> Vec<String> {
    for one in analysis.invocations[index..].iter().take(WINDOW + 1) {
        let program = one.program_name();
        let added = PACKS.iter().find(|(packs, _)| *packs == program).map(|(_, ending)| ending);
        let known = names.iter().find(|name| reads(one, std::slice::from_ref(name)));
        let derived = known.and_then(|name| match (program, added) {
            (_, Some(ending)) => Some(format!("{name}{ending}")),
            ("mv", None) => one.words.last().map(|word| word.value.clone()),
            _ if UNPACKS.contains(&program) => Some(name.rsplit_once('.')?.0.to_owned()),
            _ => None,
        });
        names.extend(derived);
    }
    names
}

/// Whether a command names one of the files, perhaps in the folder that `tar -C` enters.
fn reads(one: &Invocation, names: &[String]) -> bool {
    let words = one.values();
    let folder = || flag_values(&words, "-C").first().map(|folder| folder.trim_end_matches('/'));
    let folder = if one.program_name() == "tar" { folder() } else { None };
    let is_inside = |name: &String, word: &str| {
        let rest = folder.and_then(|folder| name.strip_prefix(folder)?.strip_prefix('/'));
        rest == Some(word)
    };
    let names_it = |word: &str| names.iter().any(|name| name == word || is_inside(name, word));
    words.iter().skip(1).any(|word| names_it(word))
}

/// Whether no earlier run has left a file of this name: the container's own disk is empty at first, and the time is in the name.
fn is_new(analysis: &Analysis, path: &str) -> bool {
    let dates = || analysis.invocations.iter().filter(|one| one.program_name() == "date");
    let is_dated = || {
        let mut kept = dates().filter_map(|one| one.variable.as_ref());
        path.contains("$(date") || kept.any(|own| own.is_in(path))
    };
    path.starts_with("/tmp/") || path.contains('$') && is_dated()
}

/// The new file that a command saves a snapshot to, downloads from a store or unpacks.
fn made_file(analysis: &Analysis, index: usize) -> Option<&str> {
    let own = &analysis.invocations[index];
    let values = own.values();
    let downloads = || {
        let is_of_store =
            |word: &&str| ["s3://", "gs://"].iter().any(|store| word.starts_with(store));
        values.contains(&"cp") && values.iter().rev().nth(1).is_some_and(is_of_store)
    };
    let last = own.words.last().map(|word| word.value.as_str());
    let file = match own.program_name() {
        program if SNAPSHOTS.contains(&program) => {
            values.windows(3).find(|words| words[..2] == ["snapshot", "save"]).map(|words| words[2])
        }
        "aws" | "gcloud" | "gsutil" => last.filter(|_| downloads()),
        program => last.filter(|_| UNPACKS.contains(&program)),
    }?;
    (file.starts_with("/tmp/") || is_taken_away(analysis, index, file)).then_some(file)
}

/// Whether the script takes a file away once it is done with it, so that an earlier run has left none.
fn is_taken_away(analysis: &Analysis, index: usize, file: &str) -> bool {
    let removes = |one: &Invocation| {
        matches!(one.program_name(), "mv" | "rm") || one.values().contains(&"--remove-files")
    };
    let file = [file.to_owned()];
    analysis.decided_behind(index).any(|one| removes(one) && reads(one, &file))
}

/// How many files of one command are looked at.
const FILES: usize = 4;

/// The new files that take the output of what runs only if the invocation at `index` succeeds, and of nothing else:
/// `mongodump -o d && tar -c d | gzip > d.tar.gz`.
fn written_behind(analysis: &Analysis, index: usize) -> Vec<String> {
    let all = &analysis.invocations;
    let own = &all[index];
    let follows = |one: &Invocation| {
        let mut around = one.guards.iter().filter(|guard| is_inside(own.location, guard.location));
        around.any(|guard| guard.holds)
    };
    let later = all[index + 1..].iter().take(WINDOW).filter(|one| follows(one));
    let written = later.flat_map(|one| &one.outputs).take(FILES);
    let is_made = |one: &Invocation, file: &String| {
        let copies = COPIES.contains(&one.program_name());
        one.outputs.contains(file)
            || copies && one.words.last().is_some_and(|word| word.value == *file)
    };
    let is_elsewhere = |file: &String| {
        let mut others = all.iter().filter(|one| is_made(one, file));
        others.any(|one| !follows(one))
    };
    written.filter(|file| is_new(analysis, file) && !is_elsewhere(file)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use crate::{Catalogue, Container, analyse_script, failure_hidden};

    /// The programs whose failure a script hides.
    fn hidden(script: &str) -> Vec<String> {
        let analysis = analyse_script(Catalogue::built_in(), script, &Container::default());
        let named = |at: crate::ElementSpan| script[at.span.range()].to_owned();
        failure_hidden(&analysis).iter().map(|one| named(one.location)).collect()
    }

    /// Played with dash and openssl: without the file that the list writes, `openssl` ends with 1.
    #[test]
    fn what_a_list_writes_is_not_there_without_its_first_command() {
        let script = |name: &str, read: &str| {
            format!(
                "set -e\nDIR=\"/backup/a-{name}\"\nmongodump --out=$DIR && tar -cv $DIR | gzip > \"${{DIR}}.tar.gz\" && rm -rf $DIR\n\
                 openssl aes-256-cbc -in \"{read}\" -out /b/a.enc\ncp /b/a.enc /target/\n"
            )
        };
        let dated = script("$(date +%F)", "${DIR}.tar.gz");
        assert_eq!(hidden(&dated), ["tar"]);
        assert_eq!(hidden(&script("1", "${DIR}.tar.gz")), ["mongodump", "tar"], "of another run");
        assert_eq!(hidden(&script("$(date +%F)", "/b/x")), ["mongodump", "tar"]);
        assert_eq!(hidden(&dated.replace("set -e\n", "")), ["mongodump", "tar"]);
        for more in ["touch ${DIR}.tar.gz", "cp /seed/a ${DIR}.tar.gz", "date > ${DIR}.tar.gz"] {
            let made = dated.replace("mongodump", &format!("{more}\nmongodump"));
            assert_eq!(hidden(&made), ["mongodump", "tar"], "{more}");
        }
        let or = "set -e\nhelm upgrade a ./a && echo ok > /tmp/s || echo no > /tmp/s\ncat /tmp/s\n";
        assert_eq!(hidden(or).len(), 1, "another makes it");
        let removed = dated.replace("openssl aes-256-cbc -in", "rm -f");
        assert_eq!(hidden(&removed), ["mongodump", "tar"], "needed by nothing");
    }

    /// Played with dash: without the snapshot, tar ends with 2.
    #[test]
    fn what_an_archive_is_made_of_is_not_there_without_its_command() {
        let script = |file: &str| {
            format!(
                "etcdctl snapshot save /b/a.db\ntar -czf /b/a.tgz -C /b {file} --remove-files\n"
            )
        };
        assert_eq!(hidden(&script("a.db")), Vec::<String>::new());
        assert_eq!(hidden(&script("other.db")).len(), 1);
    }
}
