//! The context in which the control flow of a script places a command.

use crate::{
    analysis::{Decides, GuardKind, HiddenBy, Propagation, Variable, is_inside},
    ast::Span,
    text::{ElementSpan, Text},
};

/// Which status of a pipeline a script looks at behind it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    /// It looks at none, or ends with it.
    None,
    /// `$?`: that of the last command.
    Last,
    /// `${PIPESTATUS[0]}`
    Each,
}

/// What surrounds a command.
#[derive(Clone)]
pub(crate) struct Context {
    /// How its failure propagates, disregarding `set -e`.
    pub(crate) propagation: Propagation,
    /// How the failure of the whole shell propagates.
    pub(crate) exit: Propagation,
    /// How a failure propagates that the function returns.
    pub(crate) returned: Propagation,
    /// `set -e` is ignored here, as in a condition.
    pub(crate) ignores_errexit: bool,
    /// It is the condition of an `if` or a loop.
    pub(crate) is_condition: bool,
    /// Which status of it the script looks at afterwards, if it is a pipeline.
    pub(crate) status: Status,
    /// It runs in the background, and the script does not wait for it.
    pub(crate) detached: bool,
    /// It is in a loop that only success ends.
    pub(crate) retried: bool,
    /// It is in a loop that does it again until an answer is the one that is wanted.
    pub(crate) done_again: bool,
    /// The script does not succeed, whatever happens: it is in a loop that nothing ends, or in front of `exit 1`.
    pub(crate) never_succeeds: bool,
    /// `timeout` limits its run time.
    pub(crate) bounded: bool,
    /// The innermost subshell of the script: what assigns a variable in it is lost behind it.
    pub(crate) subshell: Option<Span>,
    /// The variable of the innermost loop over items.
    pub(crate) item: Option<Span>,
    /// Its statement names that variable.
    pub(crate) is_for_item: bool,
    /// It is in a function that a statement for an item calls.
    pub(crate) is_called_for_item: bool,
    /// Nothing that may fail follows in the script.
    pub(crate) is_last: bool,
    /// It is in a loop whose last turn ends the script without a failure.
    pub(crate) runs_out: bool,
    /// If it is a loop that runs out, the script says what that means, and exits with 0 on purpose.
    pub(crate) answered: bool,
    /// The script keeps the status of the request in a variable that it only prints.
    pub(crate) only_reported: bool,
    /// The script tests what it prints.
    pub(crate) tested: bool,
    /// It is in a loop behind which the script fails, unless an answer in it was the one that is wanted.
    pub(crate) insists: Option<Span>,
    /// The script fails unless it prints what a later command of its pipeline, or a test, wants.
    pub(crate) answer_decides: bool,
    /// Another command or a variable takes what it prints.
    pub(crate) captured: bool,
    /// Its standard input, if the script states it.
    pub(crate) stdin: Option<Text>,
    /// What its standard input depends on.
    pub(crate) input: GuardKind,
    /// The names that the programs before it in the pipeline give the objects on its standard input.
    pub(crate) renamed: Vec<String>,
    /// The innermost statement whose `||` hides a failure, or behind which its script goes on after one.
    pub(crate) hider: Option<ElementSpan>,
    /// What does not run after it has failed: the other branch of the `if` that looks at it.
    pub(crate) skipped: Option<ElementSpan>,
    /// The script warns that it failed, and goes on.
    pub(crate) warned: bool,
    /// The script looks at `$?` behind it, and fails unless that is 0.
    pub(crate) gives_up_on_status: bool,
    /// A variable has the status that the script exits with.
    pub(crate) status_kept: bool,
    /// What the script says behind its `||` is that the work was done before.
    pub(crate) excused: bool,
    /// What depends on its answer.
    pub(crate) decides: Option<Decides>,
    /// How the script names its output, which a variable keeps, unless it tests that.
    pub(crate) kept_as: Vec<String>,
    /// The variable that keeps its output.
    pub(crate) variable: Option<Variable>,
    /// It gets what a program prints while it works: `migrate 2>&1 | tee -a log`.
    pub(crate) reads_log: bool,
    /// Its standard input is a file, or what a program prints that reads one.
    pub(crate) reads_file: bool,
    /// The pod or workload in which it runs: `deploy/shop`, of `kubectl exec deploy/shop -- ls`.
    pub(crate) target: Option<String>,
    /// `xargs` runs it for what it reads, and runs it even if that is nothing.
    pub(crate) takes_input_as_operands: bool,
    /// A variable takes what it prints, in a statement at whose failure `set -e` would end the script.
    pub(crate) stops_at_answer: bool,
}

impl Context {
    /// The context of a container's command line.
    pub(crate) fn top() -> Self {
        Self {
            propagation: Propagation::Fatal,
            exit: Propagation::Fatal,
            returned: Propagation::Fatal,
            ignores_errexit: false,
            is_condition: false,
            status: Status::None,
            detached: false,
            retried: false,
            done_again: false,
            never_succeeds: false,
            bounded: false,
            subshell: None,
            item: None,
            is_for_item: false,
            is_called_for_item: false,
            is_last: true,
            runs_out: false,
            answered: false,
            only_reported: false,
            tested: false,
            insists: None,
            answer_decides: false,
            captured: false,
            stdin: None,
            input: GuardKind::Environment,
            renamed: Vec::new(),
            hider: None,
            skipped: None,
            warned: false,
            gives_up_on_status: false,
            status_kept: false,
            excused: false,
            decides: None,
            kept_as: Vec::new(),
            variable: None,
            reads_log: false,
            reads_file: false,
            target: None,
            takes_input_as_operands: false,
            stops_at_answer: false,
        }
    }

    /// What hides the failure of a command if the script goes on behind it: the commands after it, or the next turn
    /// of a loop (`by`). In a condition `set -e` would not change that.
    pub(crate) fn hidden_without_errexit(&self, by: HiddenBy) -> Propagation {
        match (self.ignores_errexit, self.propagation) {
            _ if self.done_again => Propagation::Retried,
            (false, _) => Propagation::Hidden(by),
            // `deploy || true`
            (true, Propagation::Hidden(by @ (HiddenBy::OrTrue | HiddenBy::OrMessage))) => {
                Propagation::Hidden(by)
            }
            (true, Propagation::Expected) => Propagation::Expected,
            (true, _) => Propagation::Hidden(HiddenBy::Condition),
        }
    }

    /// Whether it is in a substitution among the arguments of another command.
    pub(crate) fn is_in_arguments(&self) -> bool {
        matches!(self.propagation, Propagation::Hidden(HiddenBy::Substitution { .. }))
    }

    /// The statement that hides the failure of the command at a location, if that is not in it: by its `||`, or because
    /// its script goes on and calls the other one.
    pub(crate) fn hider_outside(&self, location: ElementSpan) -> Option<ElementSpan> {
        self.hider.filter(|hider| match self.propagation {
            Propagation::Hidden(HiddenBy::OrTrue | HiddenBy::OrMessage) => {
                !is_inside(location, *hider)
            }
            Propagation::Hidden(HiddenBy::LaterCommand) => location.element != hider.element,
            _ => false,
        })
    }

    pub(crate) fn with(&self, propagation: Propagation) -> Self {
        Self { propagation, ..self.clone() }
    }

    /// The context of a subshell at `span`, whose failure propagates so.
    pub(crate) fn in_subshell(&self, span: Span, propagation: Propagation) -> Self {
        Self {
            exit: propagation,
            returned: propagation,
            subshell: Some(span),
            runs_out: false,
            ..self.with(propagation)
        }
    }

    /// The context of the commands of a condition.
    pub(crate) fn condition(&self, propagation: Propagation) -> Self {
        Self {
            propagation,
            ignores_errexit: true,
            is_condition: true,
            status: Status::None,
            is_last: false,
            runs_out: false,
            stdin: None,
            reads_file: false,
            stops_at_answer: false,
            ..self.clone()
        }
    }
}
