//! The state of a shell while its script is interpreted: options, variables, functions, directory and files.

mod files;
mod generated_files;
mod options;
mod renamed;
mod variable_uses;
mod variables;

use std::{collections::HashMap, rc::Rc};

use variable_uses::VariableUses;
pub(crate) use variable_uses::gives_up;
use variables::Value;

use crate::{
    analysis::{Guard, GuardKind, Propagation},
    ast::{Command, CommandKind, Function, Pipeline, Script, Simple, Span},
    catalogue::Catalogue,
    container::Container,
    text::{ElementSpan, Text},
};

/// What the analysis is given besides the command line.
#[derive(Clone, Copy)]
pub(crate) struct Inputs<'a> {
    pub(crate) catalogue: &'a Catalogue,
    pub(crate) container: &'a Container,
    /// The element index of the first of [`Container::files`].
    pub(crate) first_file: usize,
}

/// A `cd` whose failure nothing notices.
#[derive(Clone)]
pub(crate) struct Unsure {
    pub(crate) words: Vec<Text>,
    pub(crate) propagation: Propagation,
    /// The directory may not be there; otherwise it is where a volume is mounted, and may be unreadable.
    pub(crate) may_be_absent: bool,
    /// A volume is mounted there, so there is a directory.
    pub(crate) is_mount: bool,
}

/// The state of one shell.
#[derive(Clone)]
pub(crate) struct Shell<'t> {
    pub(crate) inputs: Inputs<'t>,
    /// The text of the script.
    pub(crate) source: &'t Text,
    script: &'t Script,
    pub(crate) uses: Rc<VariableUses<'t>>,
    /// `set -e`
    pub(crate) errexit: bool,
    /// `set +e` after `set -e`: the commands that follow may fail.
    pub(crate) tolerates_failure: bool,
    /// A trap ends the script with 0 where a command fails.
    pub(crate) succeeds_by_trap: bool,
    /// `set -E`: functions have the trap, too.
    pub(crate) errtrace: bool,
    /// `set -o pipefail`
    pub(crate) pipefail: bool,
    /// The shell has the option `pipefail`: bash, zsh and ksh do, Debian's `sh` does not.
    pub(crate) supports_pipefail: bool,
    /// The first line of the script names bash, which counts only where the kernel reads it.
    pub(crate) names_bash: bool,
    /// `set -e pipefail`, without `-o`: an argument of the script, not an option.
    misspelt_pipefail: bool,
    /// A shell whose pipelines end in the shell itself.
    is_ksh: bool,
    pub(crate) functions: HashMap<&'t str, &'t Function>,
    pub(crate) variables: HashMap<String, Value>,
    /// The elements of arrays.
    arrays: HashMap<String, Vec<Text>>,
    /// The arguments of the current function.
    pub(crate) arguments: Vec<Text>,
    /// The conditions under which the current command runs.
    pub(crate) guards: Vec<Guard>,
    /// What `$?` depends on, if the next statement reads it.
    pub(crate) status: GuardKind,
    /// The working directory, if known.
    pub(crate) directory: Option<String>,
    /// The `cd` to that directory, if the script goes on where it was when the directory is not there.
    pub(crate) unsure: Option<Unsure>,
    /// The content of files that the script wrote, by path.
    written_files: HashMap<String, Text>,
    /// Files that contain a new value on every run.
    generated_files: Vec<String>,
    /// Files that the script truncated, as written in the script.
    truncated_files: Vec<String>,
    /// What the content or existence of a file that the script wrote depends on, by path.
    file_kinds: HashMap<String, GuardKind>,
}

impl<'t> Shell<'t> {
    /// A new shell called `name`.
    pub(crate) fn new(
        inputs: Inputs<'t>,
        source: &'t Text,
        script: &'t Script,
        name: &str,
    ) -> Self {
        Self {
            inputs,
            source,
            script,
            uses: Rc::new(VariableUses::of(&source.value)),
            errexit: false,
            tolerates_failure: false,
            succeeds_by_trap: false,
            errtrace: false,
            pipefail: false,
            supports_pipefail: matches!(name, "bash" | "zsh" | "ksh"),
            names_bash: false,
            misspelt_pipefail: false,
            is_ksh: matches!(name, "zsh" | "ksh"),
            functions: HashMap::new(),
            variables: HashMap::new(),
            arrays: HashMap::new(),
            arguments: Vec::new(),
            guards: Vec::new(),
            status: GuardKind::Environment,
            directory: None,
            unsure: None,
            written_files: HashMap::new(),
            generated_files: Vec::new(),
            truncated_files: Vec::new(),
            file_kinds: HashMap::new(),
        }
    }

    /// Whether the shell is certainly dash or that of busybox.
    pub(crate) fn is_plain_sh(&self) -> bool {
        self.inputs.container.has_plain_sh && !self.supports_pipefail && !self.names_bash
    }

    /// Copies what a shell started by `outer` inherits, with `eval` also the options.
    pub(crate) fn inherit(&mut self, outer: &Shell<'_>, eval: bool) {
        self.variables = outer.variables.clone();
        self.guards = outer.guards.clone();
        self.directory = outer.directory.clone();
        self.written_files = outer.written_files.clone();
        self.generated_files = outer.generated_files.clone();
        self.truncated_files = outer.truncated_files.clone();
        self.file_kinds = outer.file_kinds.clone();
        if eval {
            (self.errexit, self.pipefail) = (outer.errexit, outer.pipefail);
            self.tolerates_failure = outer.tolerates_failure;
            self.supports_pipefail = outer.supports_pipefail;
            self.names_bash = outer.names_bash;
            self.misspelt_pipefail = outer.misspelt_pipefail;
        }
    }

    /// What it depends on that the current command runs. A literal that is set under a guard tells as much as the guard.
    pub(crate) fn guard_kind(&self) -> GuardKind {
        self.guards.iter().map(|guard| guard.kind).max().unwrap_or_default()
    }

    /// Where a span of the script was written.
    pub(crate) fn location(&self, span: Span) -> ElementSpan {
        self.source.location_of(span.range())
    }

    /// The source text of a span of the script.
    pub(crate) fn written(&self, span: Span) -> &'t str {
        span.text(&self.source.value)
    }

    /// Whether the last command of a pipeline runs in the shell itself.
    pub(crate) fn ends_pipes_itself(&self) -> bool {
        self.is_ksh || self.uses.lastpipe
    }

    pub(crate) fn define(&mut self, function: &'t Function) {
        self.functions.insert(self.written(function.name), function);
    }

    /// The program name and the command of a pipeline that is a single simple command.
    pub(crate) fn only_simple<'c>(&self, pipeline: &'c Pipeline) -> Option<(&'t str, &'c Simple)> {
        let [Command { kind: CommandKind::Simple(simple), .. }] = pipeline.commands.as_slice()
        else {
            return None;
        };
        Some((self.written(simple.words.first()?.span), simple))
    }
}
