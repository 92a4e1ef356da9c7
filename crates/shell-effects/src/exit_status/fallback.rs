//! What stands behind `||`, or in the branch of a failure: whether it only prints, or ends the script.

use crate::{
    analysis::{HiddenBy, Propagation},
    ast::{Command, CommandKind, List, Pipeline},
    context::Context,
    shell::Shell,
};

/// Programs after `||` that only print a message, so that the exit status is lost.
const PRINTERS: [&str; 8] = ["true", ":", "echo", "printf", "log", "warn", "info", "logger"];

/// Those of [`PRINTERS`] that print nothing.
pub(super) const NOTHING: [&str; 2] = ["true", ":"];

/// Functions calling functions are followed up to this depth.
const MAX_DEPTH: u32 = 8;

impl Shell<'_> {
    /// How a failure propagates after which `pipeline` runs.
    pub(super) fn propagation_of_fallback(
        &self,
        pipeline: &Pipeline,
        context: &Context,
        depth: u32,
    ) -> Propagation {
        if let Some(name) = self.kept_in(pipeline) {
            return self.propagation_of_kept(name, context);
        }
        if self.leaves_mark(pipeline) {
            return Propagation::Handled;
        }
        let list = match pipeline.commands.as_slice() {
            // `deploy || (echo failed; exit 1)`: it ends the parentheses alone.
            [Command { kind: CommandKind::Subshell(list), .. }]
                if self.leaves_with_failure(list)
                    && (!self.errexit || context.ignores_errexit)
                    && context.propagation == Propagation::Hidden(HiddenBy::LaterCommand) =>
            {
                return Propagation::Hidden(HiddenBy::SubshellExit);
            }
            [Command { kind: CommandKind::Group(list) | CommandKind::Subshell(list), .. }] => list,
            _ => return self.propagation_of_simple_fallback(pipeline, context, depth),
        };
        if let Some(propagation) = self.propagation_kept_by(list, context, 0) {
            return propagation;
        }
        match list.statements.last() {
            Some(last) if last.rest.is_empty() && depth < MAX_DEPTH => {
                match self.propagation_of_fallback(&last.first, context, depth + 1) {
                    Propagation::Hidden(HiddenBy::OrTrue) if self.says_something(list) => {
                        Propagation::Hidden(HiddenBy::OrMessage)
                    }
                    propagation => propagation,
                }
            }
            _ => Propagation::Handled,
        }
    }

    /// Whether the last statement of a list is `exit 1` or the like.
    fn leaves_with_failure(&self, list: &List) -> bool {
        let last = list.statements.last().filter(|last| last.rest.is_empty());
        let simple = last.and_then(|last| self.only_simple(&last.first));
        simple.is_some_and(|(name, simple)| {
            let status = simple.words.get(1).map(|word| self.written(word.span));
            name == "exit" && status.is_some_and(|status| status != "0")
        })
    }

    fn propagation_of_simple_fallback(
        &self,
        pipeline: &Pipeline,
        context: &Context,
        depth: u32,
    ) -> Propagation {
        let Some((name, simple)) = self.only_simple(pipeline) else { return Propagation::Handled };
        let status = simple.words.get(1).map(|word| self.written(word.span));
        let function = self.functions.get(name).filter(|_| depth < MAX_DEPTH);
        match (name, function) {
            ("exit" | "return", _) if status == Some("0") => Propagation::Hidden(HiddenBy::OrTrue),
            ("exit", _) => match context.exit {
                Propagation::Hidden(HiddenBy::LaterCommand) if context.subshell.is_some() => {
                    Propagation::Hidden(HiddenBy::SubshellExit)
                }
                exit => exit,
            },
            ("return", _) => context.returned,
            ("false", _) => context.propagation,
            (name, None) if NOTHING.contains(&name) => Propagation::Hidden(HiddenBy::OrTrue),
            (name, None) if PRINTERS.contains(&name) => Propagation::Hidden(HiddenBy::OrMessage),
            (_, Some(function)) => {
                let list = match &function.body.kind {
                    CommandKind::Group(list) | CommandKind::Subshell(list) => list,
                    _ => return Propagation::Handled,
                };
                if let Some(propagation) = self.propagation_kept_by(list, context, 0) {
                    return propagation;
                }
                let last = list.statements.last();
                last.map_or(Propagation::Handled, |last| {
                    self.propagation_of_fallback(&last.first, context, depth + 1)
                })
            }
            _ => Propagation::Handled,
        }
    }

    /// Whether a command of the list prints a message.
    fn says_something(&self, list: &List) -> bool {
        list.statements.iter().any(|statement| {
            let simple = self.only_simple(&statement.first);
            simple.is_some_and(|(name, _)| PRINTERS.contains(&name) && !NOTHING.contains(&name))
        })
    }

    /// Whether every command of the list only prints.
    pub(super) fn only_prints(&self, list: &List) -> bool {
        list.statements.iter().all(|one| one.rest.is_empty() && self.prints(&one.first))
    }

    /// Whether a pipeline only prints a message.
    pub(crate) fn prints(&self, pipeline: &Pipeline) -> bool {
        self.only_simple(pipeline).is_some_and(|(name, _)| PRINTERS.contains(&name))
    }
}
