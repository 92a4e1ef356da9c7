//! Clients that go on after errors, the options with which they fail, and the restores that go on by intent.

use shell_effects::{self as script, HiddenBy, HiddenFailure};
use yaml_spans::Edit;

use super::Command;

/// The edit that adds the option with which a client fails on errors.
pub(crate) fn with_option(command: &Command<'_>, hidden: &HiddenFailure) -> Option<Edit> {
    let word = command.text(hidden.location);
    // Elsewhere the word is an item of a list, or the client has another name.
    let is_program = !word.is_empty() && !word.contains(char::is_whitespace);
    let text = format!("{word} {}", option(hidden.by)?);
    command.edit(&script::Edit { location: hidden.location, text }).filter(|_| is_program)
}

/// How the reason names a client that goes on after errors, the client, and the option that lets it fail.
const OPTIONS: [(&str, &str, &str); 4] = [
    ("`curl` without `--fail`", "curl", "--fail"),
    ("`ON_ERROR_STOP`", "psql", "-v ON_ERROR_STOP=1"),
    ("`redis-cli` without `-e`", "redis-cli", "-e"),
    ("without `-b`", "sqlcmd", "-b"),
];

/// The client that hides a failure, and its option.
pub(crate) fn client_and_option(by: HiddenBy) -> Option<(&'static str, &'static str)> {
    let HiddenBy::Client(reason) = by else { return None };
    let mut options = OPTIONS.iter();
    options.find(|(named, ..)| reason.contains(named)).map(|(_, client, option)| (*client, *option))
}

/// The option of the client that hides a failure.
pub(crate) fn option(by: HiddenBy) -> Option<&'static str> {
    client_and_option(by).map(|(_, option)| option)
}

/// Whether `psql` runs a file that nobody states.
pub(crate) fn is_restore(hidden: &HiddenFailure) -> bool {
    hidden.reads_file && client_and_option(hidden.by).is_some_and(|(client, _)| client == "psql")
}

/// The name of the file that `psql` restores.
pub(crate) fn restored_file<'c>(
    restore: &HiddenFailure,
    command: &'c Command<'_>,
) -> Option<&'c str> {
    let mut invocations = command.analysis.invocations.iter();
    let words = &invocations.find(|one| one.holds(restore.location))?.words;
    let flag = words.iter().position(|word| matches!(&*word.value, "-f" | "--file"))?;
    words.get(flag + 1)?.value.rsplit('/').next().filter(|name| !name.is_empty())
}

/// Options of `psql` with a value that is no database.
const OTHERS: [&str; 10] =
    ["-U", "--username", "-h", "--host", "-f", "--file", "-p", "--port", "-v", "--set"];

/// Whether `psql` starts in the database `postgres`, as the restore of a `pg_dumpall` does: it names that, or no database and
/// no other user (<https://www.postgresql.org/docs/current/app-psql.html#R2-APP-PSQL-CONNECTING>).
pub(crate) fn is_of_postgres(hidden: &HiddenFailure, command: &Command<'_>) -> bool {
    const OWN: &str = "postgres";
    let mut invocations = command.analysis.invocations.iter();
    let own = invocations.find(|one| one.holds(hidden.location));
    let words = own.map(|one| &one.words[..]).unwrap_or_default();
    let (mut databases, mut users) = (Vec::new(), Vec::new());
    for pair in words.windows(2) {
        let (before, word) = (pair[0].value.as_str(), pair[1].value.as_str());
        let option = ["--dbname=", "-d"].into_iter().find_map(|flag| word.strip_prefix(flag));
        let is_operand = !word.starts_with('-') && !OTHERS.contains(&before);
        databases.extend(option.or(is_operand.then_some(word)).filter(|name| !name.is_empty()));
        users.extend(matches!(before, "-U" | "--username").then_some(word));
    }
    databases.contains(&OWN) || databases.is_empty() && users.iter().all(|user| *user == OWN)
}
