//! What a script passes over by intent: its author can do without.

use shell_effects::{HiddenBy, HiddenFailure, Invocation, Pipefail, Verdict};

use super::{is_unset, stake::PREPARES};
use crate::{command::Command, workload::Subject};

/// True when the script says that the command failed, or that it may, and goes on to what the Job is for, or warns behind that:
/// its author can do without.
pub(super) fn is_announced(hidden: &HiddenFailure) -> bool {
    let says_so = matches!(hidden.by, HiddenBy::OrMessage | HiddenBy::Branch);
    let may_fail = hidden.by == HiddenBy::OrTrue && hidden.is_exception;
    let goes_on = says_so && hidden.is_warned || (says_so || may_fail) && !hidden.is_last;
    goes_on && !hidden.is_excused
}

/// True for a request that is the only command of a script which ends with `exit 0`: whoever asks a server and nothing else
/// lets it be away. A migration is not meant to be skipped.
pub(super) fn is_whole_script(hidden: &HiddenFailure, command: &Command<'_>) -> bool {
    let is_alone = command.analysis.invocations.len() == 1;
    hidden.by == HiddenBy::ExitZero && hidden.is_request && is_alone
}

/// True when the failure is harmless. `|| true` after a command that fails when repeated makes the script safe to
/// repeat, a `delete` that fails leaves nothing undone that the deploy needs, and `|| true` after `rm`, `chmod` or a
/// change that nobody misses says that the script can do without.
pub(super) fn is_intended(hidden: &HiddenFailure, command: &Command<'_>) -> bool {
    let word = command.text(hidden.location);
    match hidden.by {
        _ if hidden.is_excused => false,
        HiddenBy::LaterCommand | HiddenBy::Loop | HiddenBy::Condition if word == "delete" => {
            hidden.verdict == Verdict::FailsWhenRepeated
        }
        HiddenBy::OrTrue | HiddenBy::OrMessage | HiddenBy::Branch => {
            hidden.verdict == Verdict::FailsWhenRepeated
                || hidden.is_minor
                || PREPARES.contains(&word)
                // It fails where a file changes while it is read.
                || word == "tar" && !hidden.is_all
                // Whoever writes `|| true` behind a request can do without its answer, unless it is all there is.
                || hidden.is_request && !hidden.is_all
                || !hidden.is_all && is_restart(hidden, command)
                || creates(hidden, command)
        }
        HiddenBy::ExitZero => hidden.is_minor || PREPARES.contains(&word),
        // The next turn is about another object.
        HiddenBy::AndList if word == "delete" && hidden.is_for_item => true,
        // `mkdir -p /a && cp a /a`: what cannot be prepared is rare, and the last command decides.
        HiddenBy::AndList => PREPARES.contains(&word),
        HiddenBy::Unread | HiddenBy::Exhausted => {
            hidden.verdict == Verdict::FailsWhenRepeated || word == "delete"
        }
        // Whoever reads the answer to a request sees that it is not the wanted one.
        HiddenBy::Pipe { pipefail: Pipefail::Unsupported } => {
            hidden.verdict != Verdict::ReadOnly && hidden.is_request
        }
        _ => false,
    }
}

/// True for `kubectl rollout restart`, `artisan queue:restart`: what it restarts goes on with what it has.
fn is_restart(hidden: &HiddenFailure, command: &Command<'_>) -> bool {
    let mut words = command.text_after(hidden.location).split_whitespace();
    match command.text(hidden.location) {
        "rollout" => words.next() == Some("restart"),
        word => word.ends_with(":restart"),
    }
}

/// True for a command that says that it creates something, which may be there already: `superset fab create-admin`.
fn creates(hidden: &HiddenFailure, command: &Command<'_>) -> bool {
    let own = hidden.location;
    let mut invocations = command.analysis.invocations.iter();
    let is_own = |range: std::ops::Range<usize>| {
        range.start <= own.span.range().start && own.span.range().end <= range.end
    };
    let invocation = invocations
        .find(|one| one.location.element == own.element && is_own(one.location.span.range()));
    let words = invocation.map(|one| &one.words[..]).unwrap_or_default();
    words.iter().skip(1).take(3).any(|word| word.value.starts_with("create"))
}

/// True when the script ends with a failure, which says what happened, and does not leave before that.
pub(super) fn ends_in_failure(hidden: &HiddenFailure, command: &Command<'_>) -> bool {
    let element = hidden.hiding_element();
    let own = command.scripts(true).find(|(index, _)| *index == element);
    let Some((_, text)) = own.filter(|_| is_unset(hidden.by)) else { return false };
    let behind = match hidden.location.element == element {
        true => text.get(hidden.location.span.range().end..).unwrap_or(text),
        false => text,
    };
    let statements: Vec<_> = behind.split(['\n', ';']).map(str::trim).collect();
    let last = statements.iter().rfind(|one| !one.is_empty());
    let status = last.and_then(|last| last.strip_prefix("exit "));
    let fails = status.and_then(|status| status.parse().ok()).is_some_and(|code: u8| code > 0);
    fails && !statements.iter().any(|one| matches!(*one, "exit" | "exit 0"))
}

/// Whether a container that runs after an init container runs the same command, and fails where it does: the first try is best
/// effort.
pub(super) fn is_repeated(job: &Subject<'_>, command: &Command<'_>, one: &HiddenFailure) -> bool {
    if !command.init {
        return false;
    }
    let words =
        |one: &Invocation| one.words.iter().map(|word| word.value.clone()).collect::<Vec<_>>();
    let later = job.commands().iter().skip_while(|other| !std::ptr::eq(*other, command)).skip(1);
    let later = later.flat_map(|other| &other.analysis.invocations);
    let mut deciding = later.filter(|other| other.decides_success()).map(words).peekable();
    let mut all = command.analysis.invocations.iter();
    let mut own = || all.find(|own| own.holds(one.location)).map(words);
    deciding.peek().is_some() && own().is_some_and(|own| deciding.any(|other| other == own))
}
