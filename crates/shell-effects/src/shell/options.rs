//! The options of a shell: `set -e`, `set -o pipefail`, and what only looks like one.

use super::Shell;
use crate::{
    analysis::Pipefail,
    ast::{Command, CommandKind, List, Span},
};

impl Shell<'_> {
    /// Applies the arguments of `set`, or the flags of the shell itself. `-o` takes the next word, also in a cluster:
    /// `-euo pipefail`.
    pub(crate) fn set_options<'w>(&mut self, mut words: impl Iterator<Item = &'w str>) {
        while let Some(word) = words.next() {
            let Some(letters) = word.strip_prefix(['-', '+']).filter(|rest| !rest.starts_with('-'))
            else {
                self.misspelt_pipefail |= word == "pipefail";
                continue;
            };
            let on = word.starts_with('-');
            for letter in letters.chars() {
                match letter {
                    'e' => self.set_errexit(on),
                    'E' => self.errtrace = on,
                    'o' => self.set_option(words.next().unwrap_or_default(), on),
                    _ => {}
                }
            }
        }
    }

    /// Where a script sets `pipefail` before it does anything.
    pub(crate) fn sets_pipefail_first(&self, script: &List) -> Option<Span> {
        for statement in &script.statements {
            let [Command { kind: CommandKind::Simple(simple), span, .. }] =
                statement.first.commands.as_slice()
            else {
                return None;
            };
            let mut words = simple.words.iter().map(|word| self.written(word.span));
            match words.next() {
                _ if !statement.rest.is_empty() => return None,
                Some("set") => {
                    let options: Vec<_> = words.collect();
                    let is_pipefail = |pair: &[&str]| {
                        pair[0].starts_with('-') && pair[0].ends_with('o') && pair[1] == "pipefail"
                    };
                    if options.windows(2).any(is_pipefail) {
                        return Some(*span);
                    }
                }
                None | Some(":" | "echo" | "export" | "printf") => {}
                Some(_) => return None,
            }
        }
        None
    }

    /// The first array that a statement of the script assigns: `names=(a b)`.
    pub(crate) fn first_array(&self, script: &List) -> Option<Span> {
        let commands = script.statements.iter().flat_map(|one| &one.first.commands);
        commands.into_iter().find_map(|command| {
            let CommandKind::Simple(simple) = &command.kind else { return None };
            simple.assignments.iter().find(|one| one.array).map(|one| one.span)
        })
    }

    fn set_option(&mut self, name: &str, on: bool) {
        match name {
            "pipefail" => self.pipefail = on,
            "errexit" => self.set_errexit(on),
            "errtrace" => self.errtrace = on,
            _ => {}
        }
    }

    fn set_errexit(&mut self, on: bool) {
        self.tolerates_failure =
            !on && (self.errexit || self.tolerates_failure || self.resumes_errexit());
        self.errexit = on;
    }

    /// Whether the script turns `set -e` off, and later on again: what stands between them may fail.
    fn resumes_errexit(&self) -> bool {
        let text = &self.source.value;
        text.find("set +e").zip(text.rfind("set -e")).is_some_and(|(off, on)| off < on)
    }

    /// Why a pipeline ends with the status of its last command.
    pub(crate) fn why_unchecked(&self) -> Pipefail {
        // <https://git.busybox.net/busybox/tree/shell/ash.c>: `optletters_optnames`
        let is_known = self.supports_pipefail || self.inputs.container.has_busybox;
        match (self.misspelt_pipefail, is_known) {
            (true, supported) => Pipefail::Misspelt { supported },
            (false, true) => Pipefail::Unset,
            (false, false) if self.names_bash => Pipefail::OtherShell,
            (false, false) => Pipefail::Unsupported,
        }
    }
}
