//! Work behind a command that decides whether the script succeeds, and may need what the command does.

use crate::{
    analysis::{Action, Analysis, HiddenBy, Invocation},
    catalogue::Verdict,
    decided::{PASSES, WINDOW, fails_by_itself},
    dumps::is_dump,
    reports::is_report,
    undoing::{removes, takes_back},
};

/// Programs that wait or look after files: they need nothing of what another program does elsewhere.
const LOCAL: [&str; 26] = [
    "[", "[[", "cat", "cd", "chmod", "chown", "du", "exit", "export", "find", "grep", "head", "ls",
    "mkdir", "read", "return", "rm", "set", "shift", "sleep", "tail", "test", "touch", "trap",
    "unset", "wc",
];

/// Whether another command or a variable takes what a command prints, and so hides its failure: whatever gets an empty
/// answer usually fails.
pub(crate) fn is_asked(own: &Invocation, by: HiddenBy) -> bool {
    let hides = matches!(
        by,
        HiddenBy::Pipe { .. } | HiddenBy::PipeStatus { .. } | HiddenBy::Substitution { .. }
    );
    own.is_taken && hides
}

/// The most commands of a script that are compared with each other.
pub(crate) const MOST: usize = 1000;

/// Whether later work of another kind fails the script, perhaps just where the action of the invocation at `index` has failed:
/// then nothing is hidden. What `||` and the client itself hide, the script does not want to know.
pub(crate) fn is_followed(
    analysis: &Analysis,
    (index, action): (usize, &Action),
    by: HiddenBy,
) -> bool {
    let is_meant = matches!(by, HiddenBy::Client(_) | HiddenBy::OrTrue | HiddenBy::OrMessage);
    let (own, earlier) = (&analysis.invocations[index], &analysis.invocations[..index]);
    let is_undoing = |one: &Invocation| {
        removes(one) || earlier.iter().rev().take(WINDOW).any(|first| takes_back(one, first))
    };
    !is_meant
        && analysis.invocations.len() <= MOST
        && analysis.decided_after(index).any(|(at, one)| {
            fails_by_itself(one)
                && works(one)
                && (one.program_name() != own.program_name() || may_need(one, action))
                && !is_undoing(one)
                && !is_report(analysis, at)
        })
}

/// Whether a command does more than look after files, print and ask. A backup is what its script is for.
fn works(one: &Invocation) -> bool {
    let program = one.program_name();
    let only_asks =
        one.recognised && one.actions.iter().all(|own| own.verdict == Verdict::ReadOnly);
    let is_small = PASSES.contains(&program) || LOCAL.contains(&program);
    !is_small && (!only_asks || is_dump(one, None))
}

/// Whether a command of the same client may need what the action does: it does something else, and to the same object.
fn may_need(one: &Invocation, action: &Action) -> bool {
    let does_same = one.actions.first().is_some_and(|own| own.subcommands == action.subcommands);
    let is_unknown = |word: &&str| *word == "-f" || word.starts_with("--file");
    let is_of_same = |word: &&str| action.objects.iter().any(|object| word.contains(&**object));
    let values = one.values();
    let mut words = values.iter().skip(1);
    !does_same
        && (action.objects.is_empty()
            || !one.inputs.is_empty()
            || words.any(|word| is_unknown(word) || is_of_same(word)))
}
