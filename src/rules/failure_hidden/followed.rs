//! Failures that later commands of the script tell, or that other requests of it show to be meant.

use shell_effects::{HiddenFailure, Invocation, Verdict};

use crate::command::{Command, clients::option};

/// Programs that fail without the file that they are given.
const NEED: [&str; 7] = ["cat", "chmod", "chown", "head", "sha256sum", "tail", "tar"];

/// Programs that ask for a file, and make none.
const TESTS: [&str; 3] = ["[", "[[", "test"];

/// Whether a command names a file that nothing made before, and a later one fails the script without it: `make-key -out key.pem;
/// chown 1001 key.pem`.
pub(super) fn is_missed_later(hidden: &HiddenFailure, command: &Command<'_>) -> bool {
    let all = &command.analysis.invocations;
    let Some(at) = all.iter().position(|one| one.holds(hidden.location)) else { return false };
    let (before, later) = (&all[..at], &all[at + 1..]);
    let names =
        |one: &Invocation, path: &str| one.words.iter().skip(1).any(|word| word.value == path);
    let tests = |one: &Invocation| TESTS.contains(&one.program_name());
    // `[ ! -f /config/app.conf ]`
    let is_absent = |path: &str| {
        let mut conditions = all[at].conditions().map(|condition| command.text(condition));
        conditions.any(|text| text.contains("! -") && text.contains(path))
    };
    all[at].words.iter().skip(1).map(|word| &*word.value).any(|path| {
        path.starts_with('/')
            && later.iter().any(|one| needs_file(one) && names(one, path))
            && (!command.keeps(path) || is_absent(path))
            && !before.iter().any(|one| names(one, path) && !tests(one))
    })
}

/// Whether a command fails without a file, and the script with it.
pub(super) fn needs_file(one: &Invocation) -> bool {
    NEED.contains(&one.program_name()) && one.decides_success()
}

/// The most commands of a script whose files are followed.
pub(super) const MOST_FOLLOWED: usize = 1000;

/// Whether a second run does something else than the first: a server may refuse to make what it has already.
pub(super) fn may_differ(hidden: &HiddenFailure) -> bool {
    !matches!(hidden.verdict, Verdict::Idempotent | Verdict::ReadOnly)
}

/// Whether a request makes something and lacks `--fail`. Beside one that has it that may be meant: what is there is refused.
pub(super) fn is_made_unasked(hidden: &HiddenFailure) -> bool {
    let mut lacks = [Some(hidden.by), hidden.client].into_iter().flatten();
    may_differ(hidden) && lacks.any(|by| option(by) == Some("--fail"))
}

/// Whether `curl` fails for an answer that is an error: `-sf`, `--fail-with-body`.
pub(super) fn asks_for_status(one: &Invocation) -> bool {
    let asks = |word: &str| {
        let letters = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        word.starts_with("--fail")
            || letters.is_some_and(|all| all.chars().all(char::is_alphabetic) && all.contains('f'))
    };
    one.program_name() == "curl" && one.words.iter().skip(1).any(|word| asks(&word.value))
}
