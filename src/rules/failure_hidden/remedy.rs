//! How a script stops at a failure: what the help says, and the fix.

use std::collections::HashSet;

use job_lifecycle::workload::Kind;
use shell_effects::{self as script, HiddenBy, HiddenFailure, Invocation, Pipefail};

use super::{
    MOST_LABELS,
    followed::may_differ,
    is_unset,
    stopped::stopped,
    words::{LATER, cause, help},
};
use crate::{
    command::{Command, clients::client_and_option},
    finding::{Applicability, Finding},
    words::{continued, joined, one_line},
    workload::{Rerun, Subject},
};

/// The remedy for a pipeline that `set -o pipefail` at the start of the script does not make right.
pub(super) fn of_pipe(command: &Command<'_>, hidden: &HiddenFailure) -> Option<&'static str> {
    let HiddenBy::Pipe { pipefail: Pipefail::Unset } = hidden.by else { return None };
    let (_, text) = command.scripts(true).find(|(index, _)| *index == hidden.location.element)?;
    let before = text.get(..hidden.location.span.range().start)?;
    if before.contains("pipefail") && is_in_inner_script(before) {
        return Some("Start the script of the inner `-c` with `set -o pipefail`, too");
    }
    (keeps_empty_answer(text) || asks_in_pipe(text))
        .then(|| help(HiddenBy::Pipe { pipefail: Pipefail::Unsupported }))
}

/// Whether a text ends inside of the string of another shell: `bash -c "pg_dump | …`.
fn is_in_inner_script(before: &str) -> bool {
    ["-c \"", "-c '"].iter().any(|open| {
        let quote = &open[open.len() - 1..];
        before.rsplit_once(open).is_some_and(|(_, inner)| !inner.contains(quote))
    })
}

/// Whether a script keeps what a pipeline prints and is prepared for nothing: `old=$(query | filter)`, `[ -n "$old" ]`.
/// With `pipefail` and `set -e` it would end there.
fn keeps_empty_answer(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim_start);
    lines.any(|line| {
        let Some((name, value)) = line.split_once('=') else { return false };
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let forms = [format!("${name}"), format!("${{{name}}}")];
        let is_asked = |form: &String| {
            ["-n", "-z"].iter().any(|test| {
                [format!("{test} \"{form}\""), format!("{test} {form} ")]
                    .iter()
                    .any(|asked| text.contains(asked.as_str()))
            })
        };
        !name.is_empty()
            && name.chars().all(is_name)
            && value.trim_start_matches('"').starts_with("$(")
            && value.contains(" | ")
            && forms.iter().any(is_asked)
    })
}

/// Whether a script asks with `… | grep -q`, which ends as soon as it has found the word: with `pipefail` the status of the program
/// in front of it counts, which has lost its reader then, or ends with 2 to say something, as `vault status` does.
fn asks_in_pipe(text: &str) -> bool {
    let is_quiet = |words: &str| {
        let mut words = words.split_whitespace();
        let is_grep = words.next().is_some_and(|name| matches!(name, "grep" | "egrep" | "fgrep"));
        let mut options = words.take_while(|word| word.starts_with('-'));
        is_grep
            && options.any(|option| {
                !option.starts_with("--") && option.contains('q') || option == "--quiet"
            })
    };
    text.lines().any(|line| line.split('|').skip(1).any(is_quiet))
}

/// How a script without `set -e` fails when one of the commands does. Some clients need an option as well.
pub(super) fn remedy_of_unset(
    job: &Subject<'_>,
    command: &Command<'_>,
    all: &[HiddenFailure],
) -> String {
    let mut remedy = remedy_of_script(job, command, all);
    let mut named = HashSet::new();
    for one in all {
        let Some((client, option)) = one.client.and_then(client_and_option) else { continue };
        if named.insert(client) {
            remedy.push_str(&format!(", and add `{option}` to `{client}`"));
        }
    }
    let reads_file =
        |one: &HiddenFailure| one.client.is_some() && one.reads_file && !one.is_request;
    let makes = |one: &HiddenFailure| one.client.is_some() && one.is_request && may_differ(one);
    // A CronJob runs again in any case, and some Jobs never do.
    if job.kind == Kind::CronJob || matches!(job.rerun(), Rerun::Chance) {
        return remedy;
    }
    // Nothing tells whether the statements of a file fail where they have run before.
    let first = match all.iter().any(reads_file) {
        true => STATEMENTS_FIRST,
        false if all.iter().any(makes) => REQUEST_FIRST,
        false => return remedy,
    };
    format!("{first}, then {}", continued(&remedy))
}

/// What comes before an option that lets a client stop at a refusal.
pub(super) const REQUEST_FIRST: &str =
    "Make the request safe to repeat, as another run sends it again";

/// What comes before an option that lets a client stop at a statement.
const STATEMENTS_FIRST: &str = "Make the statements of the file safe to repeat (`IF NOT EXISTS`), as another run executes them again";

/// What runs at the end of a script, wherever that is.
const TRAP: &str = "`trap … EXIT`";

/// How the script itself ends where one of the commands fails.
fn remedy_of_script(job: &Subject<'_>, command: &Command<'_>, all: &[HiddenFailure]) -> String {
    let mut looked_at = all.iter().take(MOST_LABELS);
    if let Some(last) = looked_at.find_map(|one| taken_back(command, one)) {
        let last = one_line(&whole(command, last));
        return format!("Have a {TRAP} run `{last}`, then start the script with `set -e`");
    }
    let Some(element) = all.first().map(HiddenFailure::hiding_element) else {
        return help(HiddenBy::LaterCommand).to_owned();
    };
    match stopped(command, element) {
        Some(other) if all.iter().any(|one| one.is_for_item) => format!(
            "{LATER}: `set -e` would also end it at `{other}`, which can fail although nothing is wrong"
        ),
        Some(other) => format!(
            "{ENDS}: `set -e` would also end it at `{other}`, which can fail although nothing is wrong"
        ),
        None if asks_for_status(command, element) => ENDS.to_owned(),
        None if names_errexit(command, element) => {
            "Write `set -e` into the script: it is run by a shell that takes its first line for a comment"
                .to_owned()
        }
        None if stay_hidden(job, command, all, element) => help(HiddenBy::AndList).to_owned(),
        // What reads the items as its statements needs those before them.
        None if all.iter().any(|one| one.is_for_item && !is_step(one)) => {
            "Start the script with `set -e`, and let a loop go on with its other items: `|| failed=1` behind the command, \
             `exit \"${failed:-0}\"` as the last line of the script"
                .to_owned()
        }
        None => help(HiddenBy::LaterCommand).to_owned(),
    }
}

/// Whether a turn of a loop sends another file of statements to one server: `for f in *.sql; do psql -f "$f"; done`.
fn is_step(one: &HiddenFailure) -> bool {
    one.reads_file && !one.is_request
}

/// Whether `set -e` alone would not end the script at one of the failures: `pg_dump … > a && mv a b`.
fn stay_hidden(
    job: &Subject<'_>,
    command: &Command<'_>,
    all: &[HiddenFailure],
    element: usize,
) -> bool {
    let Some(edit) = command.first_statement(element, "set -e") else { return false };
    let added = edit.text.len() - edit.location.span.range().len();
    let strict = command.analysis_after(&edit, job.context);
    let after = script::failure_hidden(&strict).into_iter();
    let hidden: HashSet<_> = after
        .filter(|one| one.by == HiddenBy::AndList)
        .map(|one| (one.location.element, one.location.span.range().start))
        .collect();
    all.iter().any(|one| {
        // What follows the edit has moved.
        let moved = if one.location.element == element { added } else { 0 };
        hidden.contains(&(one.location.element, one.location.span.range().start + moved))
    })
}

/// A remedy that first makes the commands safe to repeat which then would fail on each further run of the Job, and at each
/// retry after a later command has failed.
pub(super) fn repeatable_first(
    job: &Subject<'_>,
    command: &Command<'_>,
    all: &[HiddenFailure],
    remedy: &str,
) -> Option<String> {
    let mut by_way: Vec<(&str, Vec<String>)> = Vec::new();
    for one in all {
        let Some(how) = one.repeatable.as_deref() else { continue };
        let named = command.named(one.location);
        match by_way.iter_mut().find(|(other, _)| *other == how) {
            Some((_, names)) if names.contains(&named) => {}
            Some((_, names)) => names.push(named),
            None => by_way.push((how, vec![named])),
        }
    }
    let ways: Vec<_> = by_way
        .iter()
        .map(|(how, names)| format!("{} safe to repeat ({how})", joined(names)))
        .collect();
    let then = continued(remedy);
    let repeats = runs_again(job) || matches!(job.rerun(), Rerun::Retry(_));
    (repeats && !ways.is_empty()).then(|| format!("Make {}, then {then}", joined(&ways)))
}

/// Whether something certainly runs the Job again after a success.
pub(super) fn runs_again(job: &Subject<'_>) -> bool {
    matches!(job.rerun(), Rerun::Loop(_) | Rerun::Deploy(_) | Rerun::Schedule)
}

/// The remedy for a script that goes on after some failures by intent.
const ENDS: &str = "End the script where such a command fails, with `command || exit 1`";

/// A command as it is written, with what runs it elsewhere: `kubectl exec deploy/shop -- maintenance off`.
fn whole(command: &Command<'_>, one: &Invocation) -> String {
    let range = one.location.span.range();
    let script = command.scripts(true).find(|(index, _)| *index == one.location.element);
    let line = script.filter(|_| one.is_elsewhere()).and_then(|(_, text)| {
        let start = text.get(..range.start)?.rfind('\n').map_or(0, |at| at + 1);
        text.get(start..)?.lines().next()
    });
    line.unwrap_or_else(|| command.text(one.location)).trim().to_owned()
}

/// The command at the end of the script which takes back what one did in front of a failure.
fn taken_back<'c>(command: &'c Command<'_>, one: &HiddenFailure) -> Option<&'c Invocation> {
    script::taken_back(&command.analysis, one.call.unwrap_or(one.location))
}

/// Whether a script begins with a line such as `#!/bin/sh -e`.
fn names_errexit(command: &Command<'_>, element: usize) -> bool {
    let own = command.scripts(true).find(|(index, _)| *index == element);
    let first = own.and_then(|(_, text)| text.lines().next()?.strip_prefix("#!"));
    first.is_some_and(|line| {
        let mut flags = line.split_whitespace().skip(1);
        flags.any(|flag| flag.starts_with('-') && !flag.starts_with("--") && flag.contains('e'))
    })
}

/// Whether a script reads the status of a command, other than to end with it. With `set -e` it would not get there.
fn asks_for_status(command: &Command<'_>, element: usize) -> bool {
    let own = command.scripts(true).find(|(index, _)| *index == element);
    own.is_some_and(|(_, text)| {
        text.match_indices("$?").any(|(at, _)| {
            let before = text[..at].trim_end_matches(['"', ' ', '$']);
            !before.ends_with("exit") && !before.ends_with("return")
        })
    })
}

/// Whether the status that `pipefail` gives a pipeline is lost as well: the script goes on.
fn needs_errexit(job: &Subject<'_>, command: &Command<'_>, hidden: &HiddenFailure) -> bool {
    let Some(edit) = command.first_statement(hidden.hiding_element(), "set -o pipefail") else {
        return false;
    };
    let added = edit.text.len() - edit.location.span.range().len();
    let strict = command.analysis_after(&edit, job.context);
    let start = |one: &HiddenFailure| one.location.span.range().start;
    script::failure_hidden(&strict).iter().any(|one| {
        is_unset(one.by)
            && one.location.element == hidden.location.element
            && start(one) == start(hidden) + added
    })
}

/// The remedy for a pipeline whose status is lost as well.
pub(super) const STRICT: &str = "Start the script with `set -eo pipefail`";

/// The remedy for a pipeline behind which the script goes on.
fn of_pipe_that_goes_on(command: &Command<'_>, hidden: &HiddenFailure) -> String {
    match stopped(command, hidden.hiding_element()) {
        _ if hidden.is_for_item => {
            format!("Start the script with `set -o pipefail`, and {}", continued(LATER))
        }
        Some(_) => {
            "Start the script with `set -o pipefail`, and write `|| exit 1` behind the pipeline"
                .to_owned()
        }
        None => STRICT.to_owned(),
    }
}

/// Adds the fix that lets the script stop at a failure: the option of the shell, if no failure for this cause is hidden
/// then, and none for another cause that was not hidden before.
pub(super) fn strict(
    job: &Subject<'_>,
    command: &Command<'_>,
    hidden: &HiddenFailure,
    finding: Finding,
) -> Finding {
    let statement = match hidden.by {
        by if is_unset(by) => "set -e",
        _ if of_pipe(command, hidden).is_some() => return finding,
        HiddenBy::Pipe { pipefail: Pipefail::Unset } if needs_errexit(job, command, hidden) => {
            return finding.help(of_pipe_that_goes_on(command, hidden));
        }
        HiddenBy::Pipe { pipefail: Pipefail::Unset } => "set -o pipefail",
        _ => return finding,
    };
    let element = hidden.hiding_element();
    // Nothing would take back what stands before the failure.
    if finding.help.as_ref().is_some_and(|help| help.contains(TRAP)) {
        return finding;
    }
    // A script that asks for a status goes on after a failure by intent.
    let asks = command.scripts(false).any(|(index, text)| index == element && text.contains("$?"));
    // In a loop it would leave out the other items as well.
    let stops = hidden.is_for_item
        || is_unset(hidden.by)
            && (stopped(command, element).is_some() || taken_back(command, hidden).is_some());
    let edit = command.first_statement(element, statement).filter(|_| !asks && !stops);
    let Some(edit) = edit else { return finding };
    let is_same = |by: HiddenBy| cause(by) == cause(hidden.by);
    let before = script::failure_hidden(&command.analysis);
    let strict = command.analysis_after(&edit, job.context);
    let after = script::failure_hidden(&strict);
    let stays = |analysis| script::not_idempotent(analysis).len();
    let repeats = runs_again(job) || matches!(job.rerun(), Rerun::Retry(_));
    if repeats && stays(&strict) > stays(&command.analysis) {
        return finding;
    }
    let count = |all: &[HiddenFailure]| all.iter().filter(|one| !is_same(one.by)).count();
    let is_better = !after.iter().any(|one| is_same(one.by)) && count(&after) <= count(&before);
    let edit = command.edit(&edit).filter(|_| is_better);
    finding.fix_if(format!("start with `{statement}`"), Applicability::Unsafe, edit)
}
