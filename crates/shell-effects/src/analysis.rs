//! The result of an analysis: every command a script may run, what guards it, and how its failure propagates.

mod action;
mod invocation;
mod pipefail;
mod propagation;
mod wait;

pub(crate) use action::RelatedCommands;
pub use action::{Action, Edit};
pub use invocation::Invocation;
pub(crate) use invocation::{Decides, Variable};
pub use pipefail::Pipefail;
pub use propagation::HiddenBy;
pub(crate) use propagation::Propagation;
pub use wait::{Turn, Wait};

use crate::{ast::SyntaxError, text::ElementSpan};

/// What a command line does. The functions of this crate that take an analysis answer questions about it.
#[derive(Debug, Default)]
pub struct Analysis {
    /// The commands in the order in which they may run.
    pub invocations: Vec<Invocation>,
    /// Loops that wait.
    pub waits: Vec<Wait>,
    /// Where the script gives up, and ends with 0.
    pub false_successes: Vec<FalseSuccess>,
    /// Lines that begin with an option, and so are commands of their own.
    pub lost_continuations: Vec<LostContinuation>,
    /// Syntax errors.
    pub unknown: Vec<ElementSpan>,
    /// The syntax errors for which a shell runs nothing of a script: those of scripts that the command line starts.
    pub errors: Vec<(ElementSpan, SyntaxError)>,
    /// Where the scripts that the command line starts with a plain `sh` set `pipefail`, before they do anything.
    pub pipefails: Vec<ElementSpan>,
    /// Where they assign an array, which a plain `sh` cannot read.
    pub arrays: Vec<ElementSpan>,
    /// Where they expand a variable in a way that ends a plain `sh`: `${PIPESTATUS[0]}`, `${name^^}`.
    pub bad_substitutions: Vec<ElementSpan>,
    /// Where statements for PostgreSQL have broken dollar quotes around a body.
    pub broken_quotes: Vec<(ElementSpan, BrokenQuote)>,
}

/// What PostgreSQL gets in place of `$$`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrokenQuote {
    /// `$`: Kubernetes turns `$$` of a command into that.
    Halved,
    /// `\$\$`: between single quotes, and in a here-document whose end is quoted, the shell keeps the backslashes.
    Escaped,
    /// A number: the shell turns `$$` into its process ID, between double quotes and in a here-document whose end is not quoted.
    ProcessId,
}

/// A line that begins with an option, because the command before it ends with its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LostContinuation {
    /// The option.
    pub location: ElementSpan,
    /// The command before it.
    pub before: ElementSpan,
}

/// Whether a span is in another of the same element.
pub fn is_inside(inner: ElementSpan, outer: ElementSpan) -> bool {
    let within = outer.span.start <= inner.span.start && inner.span.end <= outer.span.end;
    inner.element == outer.element && within
}

/// A condition under which a command runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Guard {
    pub(crate) kind: GuardKind,
    pub(crate) location: ElementSpan,
    /// The command runs if the condition holds; otherwise it runs if that does not.
    pub(crate) holds: bool,
    /// It is the condition of a loop.
    pub(crate) of_loop: bool,
}

/// What a condition depends on, ordered by how well it can detect an earlier run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum GuardKind {
    /// Variables and inputs, which are the same on every run.
    #[default]
    Environment,
    /// Whether an idempotent change succeeds, for example because its object exists.
    Change,
    /// Files that the next pod does not have.
    EphemeralFile,
    /// Whether a service is up.
    Readiness,
    /// Files on a volume that outlives the pod.
    PersistentFile,
    /// The state that the command changes, or any other state outside the pod.
    Query,
}

impl GuardKind {
    /// Whether the condition can detect that the work was done before.
    pub(crate) fn detects_rerun(self) -> bool {
        self >= Self::PersistentFile
    }

    /// Whether the condition asks for something outside the pod.
    pub(crate) fn asks(self) -> bool {
        matches!(self, Self::Readiness | Self::Query)
    }
}

/// A place where the script gives up, and ends with 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct FalseSuccess {
    /// The `exit`, or the loop that waits.
    pub location: ElementSpan,
    /// Why it ends with 0.
    pub by: SucceedsBy,
}

/// Why a script that gives up ends with 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SucceedsBy {
    /// `echo "error: no storage class"; exit`: the status is that of the message.
    BareExit,
    /// `for try in 1 2 3; do if ready; then break; fi; sleep 5; done`: nothing asks whether the last try succeeded.
    Exhausted,
}
