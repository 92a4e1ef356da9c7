//! Where a script leaves a list of statements early: the script, a function, a loop or one turn of it.

use crate::{
    ast::{Command, CommandKind, Connector, List, Pipeline, Statement},
    shell::Shell,
};

/// How many statements of a branch are searched for one that leaves.
const WINDOW: usize = 100;

/// How many conditions around an `exit` are followed.
const MAX_NESTING: u32 = 3;

impl Shell<'_> {
    /// Whether nothing after the statement runs.
    pub(crate) fn leaves(&self, statement: &Statement) -> bool {
        let only = statement.rest.is_empty().then(|| self.only_simple(&statement.first)).flatten();
        only.is_some_and(|(name, simple)| {
            matches!(name, "exit" | "return") || (name == "exec" && simple.words.len() > 1)
        })
    }

    /// Whether the pipeline ends the script, function or loop iteration without a failure.
    pub(crate) fn leaves_successfully(&self, pipeline: &Pipeline) -> bool {
        match pipeline.commands.as_slice() {
            [Command { kind: CommandKind::Group(list), .. }] => self.list_leaves(list),
            _ => self.only_simple(pipeline).is_some_and(|(name, simple)| match name {
                "exit" | "return" | "continue" | "break" => {
                    let status = simple.words.get(1).map(|word| self.written(word.span));
                    status.is_none_or(|status| status == "0")
                }
                "exec" => simple.words.len() > 1,
                _ => false,
            }),
        }
    }

    /// Whether the last statement of the list leaves successfully.
    pub(crate) fn list_leaves(&self, list: &List) -> bool {
        let last = list.statements.last().filter(|last| last.rest.is_empty());
        last.is_some_and(|last| self.leaves_successfully(&last.first))
    }

    /// Whether the list ends the script or function, not just a loop iteration, without a failure.
    pub(crate) fn list_exits(&self, list: &List) -> bool {
        self.list_leaves(list) && matches!(self.last_name(list), Some("exit" | "return"))
    }

    /// Whether the list ends a loop, or what is around it, without a failure.
    pub(crate) fn list_ends_loop(&self, list: &List) -> bool {
        self.list_leaves(list) && self.last_name(list).is_some_and(|name| name != "continue")
    }

    /// The program or builtin that the last statement of the list begins with.
    fn last_name(&self, list: &List) -> Option<&str> {
        self.only_simple(&list.statements.last()?.first).map(|(name, _)| name)
    }

    /// Whether the list leaves without a failure, always or under further conditions: `if exists; then if complete; then
    /// exit 0; fi; fi` leaves what follows to be done where the thing is missing or incomplete. `in_loop` if only what
    /// ends the script or function counts.
    pub(crate) fn may_leave(&self, list: &List, in_loop: bool, depth: u32) -> bool {
        let leaves = if in_loop { self.list_exits(list) } else { self.list_leaves(list) };
        let nested = |statement: &Statement| match statement.first.commands.as_slice() {
            [Command { kind: CommandKind::If(clause), .. }] => {
                let mut bodies = clause.branches.iter().map(|(_, body)| body);
                bodies.any(|body| self.may_leave(body, in_loop, depth + 1))
            }
            // `is_complete && exit 0`
            _ => statement.rest.last().is_some_and(|(connector, last)| {
                *connector == Connector::And && self.leaves_successfully(last) && !in_loop
            }),
        };
        leaves || depth < MAX_NESTING && list.statements.iter().take(WINDOW).any(nested)
    }
}
