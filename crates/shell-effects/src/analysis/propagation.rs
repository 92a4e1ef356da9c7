//! How the failure of a command propagates, and what hides it.

use super::Pipefail;

/// How the failure of a command propagates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Propagation {
    /// The script fails.
    Fatal,
    /// The command runs again until it succeeds.
    Retried,
    /// The exit status is lost.
    Hidden(HiddenBy),
    /// The script tests the exit status and continues.
    Handled,
    /// The script says in words that the failure does not matter: `deploy || true  # may be there already`.
    Expected,
}

impl Propagation {
    /// Whether the script only goes on, where `set -e` would end it.
    pub(crate) fn goes_on(self) -> bool {
        matches!(self, Self::Hidden(HiddenBy::LaterCommand | HiddenBy::Loop))
    }

    /// Whether the script does not succeed after the failure.
    pub(crate) fn is_noticed(self) -> bool {
        matches!(self, Self::Fatal | Self::Retried)
    }
}

/// What hides the failure of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HiddenBy {
    /// `|| true`, `|| exit 0`
    OrTrue,
    /// `|| echo "no index"`: the script says that the command failed, and goes on.
    OrMessage,
    /// `; exit 0`
    ExitZero,
    /// `trap 'exit 0' ERR`
    Trap,
    /// The branch that runs after the failure succeeds: `if migrate; then …; else echo failed; fi`
    Branch,
    /// `code=$(curl -w '%{http_code}' …); if [ "$code" != 201 ]; then echo "error $code"; fi`
    Reported,
    /// Without `set -e` the script continues, and a later command sets its exit status.
    LaterCommand,
    /// `if deploy; then`, `deploy || exit 1`: only the last command of `deploy` decides, with `set -e` too.
    Condition,
    /// `set -e` ignores the failure of `a` in `a && b`, except at the end of the script.
    AndList,
    /// A later command of the pipeline sets its exit status.
    Pipe {
        /// Why the shell does not look at the other commands.
        pipefail: Pipefail,
    },
    /// `deploy | tail; rc=$?; …`: the status that the script looks at is that of the last command of the pipeline.
    PipeStatus {
        /// Why the shell does not look at the other commands.
        pipefail: Pipefail,
    },
    /// `&`
    Background,
    /// `$( … )` among the arguments of another command.
    Substitution {
        /// Another command filters what it prints.
        piped: bool,
    },
    /// `for item in $(query | filter); do …; done` has no turns after a failure.
    LoopList {
        /// Another command filters what it prints.
        piped: bool,
    },
    /// A later iteration of the loop sets its exit status.
    Loop,
    /// `for try in 1 2 3; do if deploy; then break; fi; sleep 5; done`: nothing looks whether the last try succeeded.
    Exhausted,
    /// `deploy || failed=1`, and nothing but a message reads the variable.
    Unread,
    /// `… | while read app; do deploy || failed=1; done; exit $failed`: the variable of the subshell is lost.
    Subshell,
    /// `… | while read app; do deploy || exit 1; done; echo done`: it ends the subshell, and the script goes on.
    SubshellExit,
    /// The client itself continues after an error and exits with 0; the text says when.
    Client(&'static str),
}

impl HiddenBy {
    /// How the failure is hidden, as a clause.
    pub fn reason(self) -> &'static str {
        match self {
            Self::OrTrue => "what follows `||` succeeds",
            Self::OrMessage => "the message after `||` succeeds",
            Self::ExitZero => "the script exits with 0 whatever happens",
            Self::Trap => "the trap ends the script with 0",
            Self::Branch => "the branch for the failure succeeds",
            Self::Reported => "the script only prints its status",
            Self::LaterCommand => {
                "without `set -e` the script goes on, and a later command decides"
            }
            Self::Condition => {
                "`set -e` has no effect in a condition, where only the last command decides"
            }
            Self::AndList => "`set -e` does not see a failure before `&&`",
            Self::Pipe { .. } => "the last command of the pipeline decides",
            Self::PipeStatus { .. } => "`$?` is the status of the last command of the pipeline",
            Self::Background => "nothing looks at the status of the background command",
            Self::Substitution { .. } => {
                "the status of a command substitution among arguments is lost"
            }
            Self::LoopList { .. } => "the loop over what it prints then has no turns, and succeeds",
            Self::Loop => "without `set -e` a later turn of the loop decides",
            Self::Exhausted => "after the last try the script ends with 0",
            Self::Unread => "nothing reads the variable that keeps the failure",
            Self::Subshell => {
                "the variable that keeps the failure is set in a subshell, and lost when that ends"
            }
            Self::SubshellExit => {
                "`exit` ends only the subshell that it is in, and without `set -e` a later command decides"
            }
            Self::Client(reason) => reason,
        }
    }
}
