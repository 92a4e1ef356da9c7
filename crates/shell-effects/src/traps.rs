//! Traps that end a script where a command fails, with 0 or otherwise: `trap 'echo failed; exit 0' ERR`.

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
            let last = self.last_of_handler(&handler.value);
            let (exits, succeeds) = (last.starts_with("exit "), last == "exit 0");
            self.succeeds_by_trap = succeeds && !is_meant;
            // It runs where `set -e` would end the script.
            self.errexit |= exits && !succeeds;
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

    /// The last command of a handler, or of the function that it calls last.
    fn last_of_handler<'h>(&'h self, handler: &'h str) -> &'h str {
        let last = handler.trim_end_matches([';', ' ', '\n']).rsplit([';', '\n']).next();
        let last = last.unwrap_or_default().trim();
        let name = last.split_whitespace().next().unwrap_or_default();
        match self.functions.get(name).map(|one| &one.body) {
            Some(Command { kind: CommandKind::Group(list), .. }) => {
                list.statements.last().map_or("", |one| self.written(one.span))
            }
            _ => last,
        }
    }
}
