//! Traps that end a script with 0 where a command fails: `trap 'echo failed; exit 0' ERR`.

use crate::{
    analysis::{HiddenBy, Propagation},
    ast::{Command, CommandKind, Pipeline},
    context::Context,
    shell::Shell,
    text::Text,
};

/// The condition of a trap that runs where a command fails; Debian's `sh` and that of busybox have none of this name.
const FAILS: &str = "ERR";

impl Shell<'_> {
    /// Applies `trap HANDLER CONDITION…`.
    pub(crate) fn set_trap(&mut self, words: &[Text], is_meant: bool) {
        let [handler, conditions @ ..] = words else { return };
        if self.supports_pipefail && conditions.iter().any(|word| word.value == FAILS) {
            self.succeeds_by_trap = !is_meant && self.handler_succeeds(&handler.value);
        }
    }

    /// How the failure of a pipeline propagates if a trap ends the script with 0.
    pub(crate) fn trapped(
        &self,
        propagation: Propagation,
        pipeline: &Pipeline,
        context: &Context,
    ) -> Propagation {
        let traps = self.succeeds_by_trap && !context.ignores_errexit && !pipeline.negated;
        match traps && propagation.is_noticed() {
            true => Propagation::Hidden(HiddenBy::Trap),
            false => propagation,
        }
    }

    /// Whether a handler ends the script with 0, itself or in the function that it calls last.
    fn handler_succeeds(&self, handler: &str) -> bool {
        let last = handler.trim_end_matches([';', ' ', '\n']).rsplit([';', '\n']).next();
        let last = last.unwrap_or_default().trim();
        let name = last.split_whitespace().next().unwrap_or_default();
        match self.functions.get(name).map(|one| &one.body) {
            Some(Command { kind: CommandKind::Group(list), .. }) => {
                let last = list.statements.last().map(|one| self.written(one.span));
                last == Some("exit 0")
            }
            _ => last == "exit 0",
        }
    }
}
