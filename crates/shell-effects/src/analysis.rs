//! What a script does: every command it may run, what becomes of its failure, and what guards it.

use super::{
    ast::Span,
    catalogue::{Catalogue, Effect, Verdict},
    flow::Walk,
    text::{Place, Text},
};
use crate::Confidence;

/// What the pod adds to the command.
#[derive(Debug, Default)]
pub struct Setting {
    /// Mount paths of volumes that outlive the pod.
    pub kept: Vec<String>,
    /// Mount paths that outlive the container alone: `emptyDir` with `restartPolicy: OnFailure`. The next
    /// try finds what this one left there, and nobody else does.
    pub restarted: Vec<String>,
    /// Text files in the pod, such as mounted ConfigMaps.
    pub files: Vec<File>,
    /// The `workingDir` of the container.
    pub directory: Option<String>,
}

/// A mounted file.
#[derive(Debug)]
pub struct File {
    pub path: String,
    pub text: String,
}

/// All there is to know about a command line before any rule asks.
#[derive(Debug, Default)]
pub struct Analysis {
    /// In the order in which they may run.
    pub invocations: Vec<Invocation>,
    pub waits: Vec<Wait>,
    /// What could not be parsed.
    pub unknown: Vec<Place>,
}

/// One command line that may run, wrappers removed.
#[derive(Debug)]
pub struct Invocation {
    pub words: Vec<Text>,
    pub place: Place,
    pub fate: Fate,
    pub guards: Vec<Guard>,
    /// What it does; one for each statement a database client sends.
    pub acts: Vec<Act>,
    /// Whether the catalogue knows it.
    pub recognised: bool,
}

/// What becomes of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// The script fails, and the Job with it.
    Fatal,
    /// The command runs again until it succeeds.
    Retried,
    /// Nobody learns of it.
    Hidden(Hide),
    /// The script looks at it and goes on.
    Handled,
}

/// How a failure is hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hide {
    /// `|| true`, `|| echo …`, `|| exit 0`
    OrTrue,
    /// `; exit 0`
    ExitZero,
    /// The script goes on without `set -e`, and a later command decides.
    LaterCommand,
    /// The first part of `a && b` in the middle of a script: `set -e` does not see it.
    AndList,
    /// A later command of the pipeline decides; whether the shell knows `pipefail`.
    Pipe { pipefail: bool },
    /// `&`
    Background,
    /// `$( … )` among the arguments of another command.
    Substitution,
    /// A later turn of the loop decides.
    Loop,
    /// The client itself goes on after an error and exits with 0.
    Client(&'static str),
}

/// A condition under which a command runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guard {
    pub kind: GuardKind,
    pub place: Place,
}

/// What a condition looks at, from the least to the most useful for a second run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum GuardKind {
    /// Variables: the same at every run.
    #[default]
    Environment,
    /// Whether a change can be made that may be made again: to an object that has to be there, say.
    Change,
    /// Files that the next pod will not have.
    LostFile,
    /// Whether something is up.
    Readiness,
    /// Files on a volume that stays.
    KeptFile,
    /// The state that the command is about to change, or anything else outside.
    Query,
}

impl GuardKind {
    /// Whether the condition can notice that the work was done before.
    pub fn remembers(self) -> bool {
        self >= Self::KeptFile
    }
}

/// Something an invocation does.
#[derive(Debug, Clone)]
pub struct Act {
    pub verdict: Verdict,
    /// Whether its failure leaves work undone that outlives the pod.
    pub changes_state: bool,
    /// The word of the script that matters.
    pub place: Place,
    /// The matched entry's words.
    pub why: String,
    pub help: Option<String>,
    pub source: Option<String>,
    pub confidence: Confidence,
    pub fix: Option<Edit>,
    pub effect: Effect,
    pub may_overlap: bool,
    pub endless: bool,
    /// Set when the client goes on after an error.
    pub hidden: Option<Hide>,
    /// The program, subcommand or statement, upper case for statements, to tell pairs like drop and create.
    pub(super) key: String,
    /// The objects it names.
    pub(super) objects: Vec<String>,
    pub(super) pairs: super::effects::Pairs,
    /// What it writes is new at every run.
    pub(super) random: bool,
}

/// Text to write instead of the bytes at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    pub place: Place,
    pub text: String,
}

/// A loop or command that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wait {
    pub place: Place,
    /// Nothing ends it but success.
    pub unbounded: bool,
}

/// Analyses an argument list: `command` followed by `args`.
pub fn analyse(catalogue: &Catalogue, argv: &[&str], setting: &Setting) -> Analysis {
    let words: Vec<_> = argv.iter().enumerate().map(|(at, word)| Text::element(at, word)).collect();
    let mut walk = Walk::new(catalogue, setting, argv.len());
    walk.start(words);
    walk.finish()
}

/// Analyses a script that is a file of its own.
pub fn analyse_script(catalogue: &Catalogue, script: &str, setting: &Setting) -> Analysis {
    analyse(catalogue, &["sh", "-c", script], setting)
}

impl Place {
    /// A place without bytes, for what is written nowhere.
    pub(super) fn nowhere() -> Self {
        Self { element: 0, span: Span::new(0, 0) }
    }
}
