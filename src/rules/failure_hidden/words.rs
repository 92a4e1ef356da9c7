//! What the findings say about each way to hide a failure.

use shell_effects::{HiddenBy, HiddenFailure, Pipefail, Verdict};

use crate::command::{Command, clients::option};

/// Builtins that assign and have a status of their own.
const DECLARE: [&str; 5] = ["export", "local", "readonly", "declare", "typeset"];

/// What hides the failure, in a few words.
pub(super) fn cause(by: HiddenBy) -> &'static str {
    match by {
        HiddenBy::OrTrue | HiddenBy::OrMessage => "`||` hides it",
        HiddenBy::ExitZero => "`exit 0` hides it",
        HiddenBy::Trap => "a trap hides it",
        HiddenBy::Branch => "both branches succeed",
        HiddenBy::Reported => "its status is only printed",
        HiddenBy::LaterCommand | HiddenBy::Loop => "no `set -e`",
        HiddenBy::Condition => "`set -e` has no effect in a condition",
        HiddenBy::AndList => "`&&` hides it from `set -e`",
        HiddenBy::Pipe { pipefail: Pipefail::Unset | Pipefail::OtherShell } => {
            "no `set -o pipefail`"
        }
        HiddenBy::Pipe { pipefail: Pipefail::Unsupported } => "the pipeline hides it",
        HiddenBy::Pipe { pipefail: Pipefail::Misspelt { .. } } => "`pipefail` lacks its `-o`",
        HiddenBy::PipeStatus { .. } => "`$?` is the status of the last command of the pipeline",
        HiddenBy::Background => "no `wait` with its process id",
        HiddenBy::Substitution { .. } => "its status is lost in `$(…)`",
        HiddenBy::LoopList { .. } => "the loop over what it prints then does nothing",
        HiddenBy::Exhausted => "nothing checks the last try",
        HiddenBy::Unread => "nothing reads the variable that keeps the failure",
        HiddenBy::Subshell => "a subshell keeps the failure for itself",
        HiddenBy::SubshellExit => "`exit` ends a subshell only",
        HiddenBy::Client(reason) if reason.contains("--fail") => "no `--fail`",
        HiddenBy::Client(reason) if reason.contains("ON_ERROR_STOP") => "no `ON_ERROR_STOP`",
        HiddenBy::Client(reason) if reason.contains("without `-b`") => "no `-b`",
        HiddenBy::Client(_) => "it exits with 0 after an error",
    }
}

/// The remedy in a loop whose other items do not depend on the one at which a command fails.
pub(super) const LATER: &str = "Remember the failure and go on with the other items: `|| failed=1` behind the command, `exit \"${failed:-0}\"` as the last line of the script";

/// The remedy for a failure: a command that may be repeated needs no question whether its work is done.
pub(super) fn help_of(hidden: &HiddenFailure) -> &'static str {
    let may_repeat = matches!(hidden.verdict, Verdict::Idempotent | Verdict::ReadOnly);
    match hidden.by {
        _ if hidden.is_excused && hidden.verdict == Verdict::Depends => {
            "Make the statements safe to repeat (`IF NOT EXISTS`), and let every failure fail the Job"
        }
        _ if hidden.is_excused && (may_repeat || hidden.verdict == Verdict::CannotRetry) => {
            "Let every failure fail the Job: it does not fail where there is nothing to do"
        }
        HiddenBy::OrTrue | HiddenBy::OrMessage if may_repeat && hidden.is_for_item => LATER,
        HiddenBy::OrTrue if may_repeat => {
            "Write `|| exit 1` instead, or find out which failure is expected here and let every other one fail the Job"
        }
        HiddenBy::OrMessage if may_repeat => "Exit with 1 behind the message",
        // Without the option, an answer such as 409 is a success of the client.
        HiddenBy::OrTrue if is_request(hidden) => {
            "Write `|| exit 1` instead: without `--fail`, `||` only catches a request that gets no answer"
        }
        // Nothing tells what a restore or a program of the project does where its work is done already.
        HiddenBy::OrTrue | HiddenBy::OrMessage
            if matches!(hidden.verdict, Verdict::Depends | Verdict::Destroys) =>
        {
            "Find out which failure is expected here, and let every other one fail the Job"
        }
        HiddenBy::ExitZero if hidden.verdict == Verdict::FailsWhenRepeated => {
            help(HiddenBy::OrTrue)
        }
        by => help(by),
    }
}

/// Whether `curl` makes the request without `--fail`.
pub(super) fn is_request(hidden: &HiddenFailure) -> bool {
    hidden.client.and_then(option) == Some("--fail")
}

/// The remedy.
pub(super) fn help(by: HiddenBy) -> &'static str {
    match by {
        HiddenBy::OrTrue | HiddenBy::OrMessage => {
            "Check first whether the work is already done, and let every other failure fail the Job"
        }
        HiddenBy::Trap => "Let the trap end with `exit 1`",
        HiddenBy::Branch => "Exit with 1 in the branch for the failure",
        HiddenBy::Reported => "Exit with 1 where the script prints the error",
        HiddenBy::ExitZero => "Let the script exit with the status of the command",
        HiddenBy::LaterCommand | HiddenBy::Loop => "start the script with `set -e`",
        HiddenBy::Condition => {
            "Join the commands with `&&`, or run them on lines of their own, where `set -e` works"
        }
        HiddenBy::AndList => "Put each command on its own line, under `set -e`",
        HiddenBy::Pipe { pipefail } | HiddenBy::PipeStatus { pipefail } => match pipefail {
            Pipefail::Unset => "start the script with `set -o pipefail`",
            Pipefail::OtherShell => {
                "Run the script with `bash`, as its first line says, and start it with `set -o pipefail`"
            }
            Pipefail::Unsupported => "Write the output to a file first, and check its status",
            Pipefail::Misspelt { supported: true } => {
                "Write `set -o pipefail`: without `-o`, `pipefail` is an argument of the script"
            }
            Pipefail::Misspelt { supported: false } => {
                "Run the script with `bash`, and write `set -o pipefail`: \
                 without `-o`, `pipefail` is an argument of the script"
            }
        },
        HiddenBy::Background => {
            "Keep each process id (`$!`) and call `wait` with each, before anything needs what the processes make"
        }
        HiddenBy::Substitution { piped: false } | HiddenBy::LoopList { piped: false } => {
            "Assign the output to a variable first, under `set -e`"
        }
        HiddenBy::Substitution { piped: true } | HiddenBy::LoopList { piped: true } => {
            "Assign the output to a variable first, under `set -e` and without a pipe that hides its status"
        }
        HiddenBy::Exhausted => "Exit with 1 after the loop, and with 0 inside it on success",
        HiddenBy::Unread => "End the script with the status that the variable keeps",
        HiddenBy::Subshell => {
            "Exit with the status at the end of the subshell, or read the list without a pipe: \
             `while read …; do …; done < FILE`"
        }
        HiddenBy::SubshellExit => "Start the script with `set -e`, which ends it with the subshell",
        HiddenBy::Client(_) => "Let the client stop at an error and fail",
    }
}

/// The remedy where a builtin takes what a substitution prints.
pub(super) fn help_before(builtin: &str, by: HiddenBy) -> String {
    let order = format!("first, and `{builtin}` the variable behind it");
    help(by).replace("to a variable first", &order)
}

/// The builtin whose status takes the place of that of a substitution: `export`, in `export KEY=$(…)`.
pub(super) fn declaring(command: &Command<'_>, hidden: &HiddenFailure) -> Option<&'static str> {
    let HiddenBy::Substitution { .. } = hidden.by else { return None };
    let own = hidden.location;
    let (_, text) = command.scripts(true).find(|(index, _)| *index == own.element)?;
    let before = &text[..own.span.range().start];
    let statement = before.rsplit(['\n', ';', '&']).next()?.trim_start();
    DECLARE
        .into_iter()
        .find(|name| statement.strip_prefix(name).is_some_and(|it| it.starts_with(' ')))
}
