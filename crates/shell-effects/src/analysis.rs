//! The result of an analysis: every command a script may run, what guards it, and how its failure propagates.

mod pipefail;

pub use pipefail::Pipefail;

use crate::{
    ast::{Span, SyntaxError},
    catalogue::{Effect, Entry, Verdict},
    command_line::program_name,
    confidence::Confidence,
    text::{ElementSpan, Text},
};

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
}

/// A line that begins with an option, because the command before it ends with its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LostContinuation {
    /// The option.
    pub location: ElementSpan,
    /// The command before it.
    pub before: ElementSpan,
}

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
}

/// A variable of a script.
#[derive(Debug, Clone)]
pub(crate) struct Variable {
    pub(crate) name: String,
    /// Its value as the script writes it, without quotes: `$(create)`.
    pub(crate) value: String,
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

/// Whether a span is in another of the same element.
pub fn is_inside(inner: ElementSpan, outer: ElementSpan) -> bool {
    let within = outer.span.start <= inner.span.start && inner.span.end <= outer.span.end;
    inner.element == outer.element && within
}

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

/// Something an invocation does.
#[derive(Debug, Clone)]
pub struct Action {
    /// What a second run does.
    pub(crate) verdict: Verdict,
    /// A failure leaves work undone that outlives the pod.
    pub(crate) changes_state: bool,
    /// The word that names the action: a subcommand, flag or statement.
    pub location: ElementSpan,
    /// The subcommands up to that word: `create secret`. Empty for statements, requests and flags.
    pub(crate) subcommands: String,
    /// Why, as [`Entry::why`].
    pub(crate) why: String,
    pub(crate) help: Option<String>,
    pub(crate) source: Option<String>,
    pub(crate) confidence: Confidence,
    pub(crate) fix: Option<Edit>,
    pub(crate) effect: Effect,
    /// Two runs may overlap.
    pub(crate) may_overlap: bool,
    /// It never ends by itself.
    pub(crate) endless: bool,
    /// Set if the client continues after an error.
    pub(crate) hidden: Option<HiddenBy>,
    /// The program and its operands, or the first words of a statement in upper case: what the keys of
    /// [`RelatedCommands`] are matched against.
    pub(crate) key: String,
    /// The objects it names.
    pub(crate) objects: Vec<String>,
    pub(crate) related: RelatedCommands,
    /// It writes a value that is new on every run.
    pub(crate) random: bool,
    /// Only what a failed run leaves behind gets in its way.
    pub(crate) after_failure: bool,
    /// It removes something, and fails when that is gone.
    pub(crate) removes: bool,
    /// Nobody misses what a failure leaves undone: a label, a cache, a removal.
    pub(crate) minor: bool,
}

impl Action {
    /// Whether a failure leaves work undone outside the pod.
    pub(crate) fn changes_more_than_files(&self) -> bool {
        self.changes_state && self.effect == Effect::Remote
    }

    /// Whether it is an HTTP request, whose location is its URL.
    pub(crate) fn is_request(&self) -> bool {
        self.key.starts_with("request ")
    }

    /// The action of a catalogue entry; `excused` if a flag or text makes it safe.
    pub(crate) fn new(entry: &Entry, location: ElementSpan, excused: bool) -> Self {
        let verdict = if excused { entry.verdict.min(Verdict::Idempotent) } else { entry.verdict };
        Self {
            verdict,
            changes_state: (verdict.changes_state() || entry.works) && !entry.notice,
            location,
            subcommands: String::new(),
            why: entry.why.clone(),
            help: entry.help.clone(),
            source: entry.source.clone(),
            confidence: entry.confidence,
            fix: None,
            effect: entry.effect,
            may_overlap: entry.may_overlap() || excused,
            endless: entry.endless,
            hidden: None,
            key: String::new(),
            objects: Vec::new(),
            related: RelatedCommands {
                after: entry.after.clone(),
                before: entry.before.clone(),
                destroys_before: entry.destroys_before.clone(),
            },
            random: false,
            after_failure: false,
            removes: false,
            minor: false,
        }
    }
}

/// Commands of the same script that change what a command does: [`Entry::after`], [`Entry::before`] and
/// [`Entry::destroys_before`].
#[derive(Debug, Clone, Default)]
pub(crate) struct RelatedCommands {
    pub(crate) after: Vec<String>,
    pub(crate) before: Vec<String>,
    pub(crate) destroys_before: Vec<String>,
}

/// Text that replaces a range of an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The bytes to replace; empty for an insertion.
    pub location: ElementSpan,
    /// The new text.
    pub text: String,
}

impl Edit {
    /// The edit of a catalogue entry that makes a command safe, at `bytes` of the text or at all of it.
    pub(crate) fn from_entry(
        entry: &Entry,
        text: &Text,
        bytes: Option<std::ops::Range<usize>>,
    ) -> Option<Self> {
        if text.computed {
            return None;
        }
        let location = bytes.map_or(text.location, |bytes| text.location_of(bytes));
        if let Some(new) = &entry.replace {
            return Some(Self { location, text: new.clone() });
        }
        Some(Self::after(location, entry.insert.as_ref()?))
    }

    /// The edit that writes words behind the last word of a command.
    pub(crate) fn behind(words: &str, last: &Text) -> Option<Self> {
        (!last.computed).then(|| Self::after(last.location, words))
    }

    fn after(location: ElementSpan, words: &str) -> Self {
        let end = Span { start: location.span.end, end: location.span.end };
        Self { location: ElementSpan { span: end, ..location }, text: format!(" {words}") }
    }
}

/// A loop that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wait {
    /// The whole loop.
    pub location: ElementSpan,
    /// Only success ends it.
    pub(crate) unbounded: bool,
    /// It waits for nothing, and only passes time.
    pub(crate) idles: bool,
    /// Nothing leaves it, whatever its tests tell: it repeats its work rather than waits.
    pub is_never_left: bool,
    /// What each turn does.
    pub turn: Turn,
}

/// What each turn of a loop that waits does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Turn {
    /// It passes time.
    pub pauses: bool,
    /// The log tells what is not there yet, and why as far as what it runs knows that.
    pub says_why: bool,
    /// An error that would say more than that something is not up goes to `/dev/null`, such as that of a wrong password.
    pub hides_refusal: bool,
    /// It asks for a port of the pod itself.
    pub asks_localhost: bool,
    /// It asks for a file.
    pub asks_for_file: bool,
    /// It only asks whether something is up: a wrong password or a missing table does not keep it going.
    pub only_probes: bool,
    /// It looks at `SECONDS`, which the shell does not count up.
    pub stopped_clock: bool,
    /// It waits for an answer to differ from that of the same query, asked at the same moment.
    pub compares_itself: bool,
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
