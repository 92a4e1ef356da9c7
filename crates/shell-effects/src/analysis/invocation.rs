//! A command that a script may run.

use super::{Action, Guard, HiddenBy, Propagation, is_inside};
use crate::{
    command_line::program_name,
    text::{ElementSpan, Text},
};

/// A command that may run, without its wrappers.
#[derive(Debug)]
pub struct Invocation {
    /// The program and its arguments, expanded as far as the script states them.
    pub words: Vec<Text>,
    /// From the first word to the last.
    pub location: ElementSpan,
    /// How a failure propagates.
    pub(crate) propagation: Propagation,
    /// The conditions under which it runs, outermost first.
    pub(crate) guards: Vec<Guard>,
    /// What it does: one action per command, or per statement that a database client sends.
    pub actions: Vec<Action>,
    /// The catalogue knows the command.
    pub recognised: bool,
    /// The script fails unless it prints what a later command of its pipeline, or a test, wants.
    pub(crate) answer_decides: bool,
    /// The loop that it is in, if the script fails unless an answer in that is the one that is wanted.
    pub(crate) insists: Option<ElementSpan>,
    /// The pod or workload in which it runs: `deploy/shop`, of `kubectl exec deploy/shop -- ls`.
    pub(crate) target: Option<String>,
    /// The script does not succeed, whatever happens: it is in a loop that nothing ends, or in front of `exit 1`.
    pub(crate) never_succeeds: bool,
    /// How the script names what it downloads, unless it tests that: a file, or the variable that keeps it.
    pub(crate) downloads: Vec<String>,
    /// It downloads to a volume that outlives the pod.
    pub(crate) keeps_download: bool,
    /// The variable that keeps what it prints.
    pub(crate) variable: Option<Variable>,
    /// The files that it reads as its standard input.
    pub(crate) inputs: Vec<String>,
    /// The files that take its standard output.
    pub(crate) outputs: Vec<String>,
    /// The names of the objects in the manifest on its standard input.
    pub(crate) manifests: Vec<String>,
    /// What does not run after it has failed: the other branch of the `if` that looks at it.
    pub(crate) skipped: Option<ElementSpan>,
    /// The statement with the `||` that hides its failure, if it is not part of that: it is in a function or a file.
    pub(crate) hidden_at: Option<ElementSpan>,
    /// The script warns that it failed, and goes on.
    pub(crate) warned: bool,
    /// The script looks at `$?` behind it, and fails unless that is 0.
    pub(crate) gives_up_on_status: bool,
    /// A variable has the status that the script exits with: what it does now is beside the work.
    pub(crate) status_kept: bool,
    /// What the script says behind its `||` is that the work was done before.
    pub(crate) excused: bool,
    /// The script throws its error messages away.
    pub(crate) drops_errors: bool,
    /// What depends on its answer, unless the script is prepared for its failure.
    pub(crate) decides: Option<Decides>,
    /// `xargs` runs it for what it reads, and runs it even if that is nothing.
    pub(crate) takes_input_as_operands: bool,
    /// A variable takes what it prints, in a statement at whose failure `set -e` would end the script.
    pub(crate) stops_at_answer: bool,
    /// It is in a loop over items, and works on one of them.
    pub(crate) is_for_item: bool,
    /// `set -e` takes no notice of its failure: it stands in a condition, or in front of `&&` or `||`.
    pub(crate) ignores_errexit: bool,
    /// Another command or a variable takes what it prints.
    pub(crate) is_taken: bool,
}

/// A variable of a script.
#[derive(Debug, Clone)]
pub(crate) struct Variable {
    pub(crate) name: String,
    /// Its value as the script writes it, without quotes: `$(create)`.
    pub(crate) value: String,
}

impl Variable {
    /// Whether a text has the variable in it.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        let of_name = |one: char| one.is_ascii_alphanumeric() || one == '_';
        let plain = format!("${}", self.name);
        let mut plain = text.match_indices(&plain).map(|(at, found)| &text[at + found.len()..]);
        plain.any(|rest| !rest.starts_with(of_name))
            || text.contains(&format!("${{{}}}", self.name))
    }
}

/// What depends on the answer of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decides {
    /// The body of a loop over what it prints.
    Turns(ElementSpan),
    /// The branches of the `if` that reads the status of its pipeline.
    Branches(ElementSpan),
    /// Whether the script fails, which it does only if the pipeline prints something.
    Failure,
}

impl Invocation {
    /// Whether the location is in the command.
    pub fn holds(&self, location: ElementSpan) -> bool {
        is_inside(location, self.location) || self.index_of(location).is_some()
    }

    /// The subcommands up to the one at the location: `create secret`. Empty if it is none.
    pub fn subcommands(&self, location: ElementSpan) -> &str {
        let action = self.actions.iter().find(|action| action.location == location);
        action.map(|action| &*action.subcommands).unwrap_or_default()
    }

    /// Whether it runs in the pod of another workload: `kubectl exec deploy/shop -- ls`.
    pub fn is_elsewhere(&self) -> bool {
        self.target.is_some()
    }

    /// The pod or workload in which `kubectl exec` runs it: `deploy/shop`.
    pub fn target(&self) -> Option<&str> {
        self.target.as_deref()
    }

    /// Whether the script is prepared for its failure.
    pub fn is_tolerated(&self) -> bool {
        matches!(
            self.propagation,
            Propagation::Retried
                | Propagation::Handled
                | Propagation::Expected
                | Propagation::Hidden(HiddenBy::OrTrue | HiddenBy::OrMessage | HiddenBy::Branch)
        )
    }

    /// Whether the script runs it in any case, here or in another pod.
    pub fn is_unconditional(&self) -> bool {
        self.guards.is_empty()
    }

    /// Whether each condition under which it runs is that something succeeds, once.
    pub fn follows_success(&self) -> bool {
        self.guards.iter().all(|guard| guard.holds && !guard.of_loop)
    }

    /// Whether the script fails where it does.
    pub fn is_fatal(&self) -> bool {
        self.propagation == Propagation::Fatal
    }

    /// Whether the script runs it in any case, and is not prepared for its failure.
    pub fn is_required(&self) -> bool {
        self.is_unconditional() && !self.is_tolerated() && !self.is_elsewhere()
    }

    /// Whether the script runs it in any case, and fails where it does.
    pub fn decides_success(&self) -> bool {
        self.is_unconditional() && self.is_fatal() && !self.is_elsewhere()
    }

    /// The tests that have succeeded where it runs.
    pub fn conditions(&self) -> impl Iterator<Item = ElementSpan> {
        self.guards.iter().filter(|guard| guard.holds).map(|guard| guard.location)
    }

    fn index_of(&self, location: ElementSpan) -> Option<usize> {
        self.words.iter().position(|word| is_inside(location, word.location))
    }

    /// Whether a loop asks for the answer until it is the one that is wanted, and the script fails otherwise.
    pub(crate) fn is_awaited(&self) -> bool {
        self.insists.is_some() && self.answer_decides
    }

    /// Its words.
    pub(crate) fn values(&self) -> Vec<&str> {
        self.words.iter().map(|word| word.value.as_str()).collect()
    }

    /// The name of its program, without the path.
    pub fn program_name(&self) -> &str {
        self.words.first().map_or("", |word| program_name(&word.value))
    }

    /// Where its program is named.
    pub fn program(&self) -> ElementSpan {
        self.words.first().map_or(self.location, |word| word.location)
    }

    /// Whether a guard can detect that the work was done before.
    pub(crate) fn detects_rerun(&self) -> bool {
        self.guards.iter().any(|guard| guard.kind.detects_rerun())
    }
}
