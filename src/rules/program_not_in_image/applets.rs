//! Options of GNU programs that those of busybox do not have, as in images on Alpine.
//!
//! Tried with busybox 1.35.0 of Debian 12; the sources are <https://git.busybox.net/busybox/tree/coreutils> and `findutils`.

use shell_effects::{ElementSpan, Invocation};

use crate::{command::Command, images::has_busybox};

/// Words of a date that is counted from today, of which `date -d` of busybox knows none.
const RELATIVE: [&str; 14] = [
    "ago",
    "day",
    "days",
    "hour",
    "hours",
    "last",
    "month",
    "months",
    "next",
    "today",
    "tomorrow",
    "week",
    "weeks",
    "yesterday",
];

/// Programs, and a letter of theirs or a long option.
const OPTIONS: [(&str, &str); 10] = [
    ("date", "--iso-8601"),
    ("date", "v"),
    ("df", "--output"),
    ("find", "-printf"),
    ("grep", "--perl-regexp"),
    ("grep", "P"),
    ("mktemp", "--suffix"),
    ("sed", "z"),
    ("stat", "--format"),
    ("xargs", "d"),
];

/// An option that the program does not have: where it stands, and the program with it.
pub(super) struct Unknown {
    pub(super) location: ElementSpan,
    pub(super) words: String,
}

/// The first command that the container certainly runs, and whose program does not have an option of it.
pub(super) fn unknown(command: &Command<'_>) -> Option<Unknown> {
    let image = command.stated_image()?.as_str()?;
    let installs = |one: &Invocation| matches!(one.program_name(), "apk" | "apt-get");
    if !has_busybox(image) || command.analysis.invocations.iter().any(installs) {
        return None;
    }
    let is_certain =
        |one: &&Invocation| one.is_required() && !command.is_made_up(one.location.element);
    command.analysis.invocations.iter().filter(is_certain).find_map(of)
}

/// An option of a command that its program does not have.
fn of(one: &Invocation) -> Option<Unknown> {
    let program = one.program_name();
    let date = || (program == "date").then(|| relative_date(one)).flatten();
    option(one, program).or_else(date)
}

/// `date -d "7 days ago"`, `date --date=yesterday`
fn relative_date(one: &Invocation) -> Option<Unknown> {
    let words = || one.words.iter().map(|word| (word.location, word.value.as_str()));
    let (location, value) =
        words().zip(words().skip(1)).find_map(|((_, option), (at, next))| {
            let is_date = |word: &str| matches!(word, "-d" | "--date" | "-ud");
            match next.strip_prefix("--date=") {
                Some(value) => Some((at, value)),
                None => is_date(option).then_some((at, next)),
            }
        })?;
    let mut named = value.split(|c: char| !c.is_ascii_alphabetic());
    named
        .any(|word| RELATIVE.contains(&word))
        .then(|| Unknown { location, words: format!("date -d '{value}'") })
}

fn option(one: &Invocation, program: &str) -> Option<Unknown> {
    one.words.iter().skip(1).find_map(|word| {
        let (_, option) = OPTIONS.iter().find(|(own, option)| {
            let letters = word.value.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
            let has_letter =
                option.len() == 1 && letters.is_some_and(|letters| letters.contains(option));
            let is_long = || option.len() > 1 && word.value.split('=').next() == Some(option);
            *own == program && (has_letter || is_long())
        })?;
        let dash = if option.len() == 1 { "-" } else { "" };
        Some(Unknown { location: word.location, words: format!("{program} {dash}{option}") })
    })
}

#[cfg(test)]
mod tests {
    use shell_effects::{Catalogue, Container, analyse};

    use super::*;

    #[test]
    fn busybox_lacks_relative_dates_and_options_of_gnu() {
        let words = |script: &str| {
            let analysis =
                analyse(Catalogue::built_in(), &["sh", "-c", script], &Container::default());
            analysis.invocations.iter().find_map(of).map(|unknown| unknown.words)
        };
        for (script, unknown) in [
            ("d=$(date -d '7 days ago' +%F)", Some("date -d '7 days ago'")),
            ("date --date=yesterday", Some("date -d 'yesterday'")),
            ("ls | grep -oP 'a+'", Some("grep -P")),
            ("find /b -printf '%f'", Some("find -printf")),
            ("stat --format=%s /b", Some("stat --format")),
            ("date -d @86400 +%F; date -d 2024-01-31; date -d \"$X\" +%s; date +%F", None),
            ("grep -E 'P' a; find /b -name '*-printf'; xargs -n1 -I{} echo d", None),
        ] {
            assert_eq!(words(script).as_deref(), unknown, "{script}");
        }
    }
}
