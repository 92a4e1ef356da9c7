//! Commands behind which the script fails in any case: `migrate; echo failed; exit 1`. Nothing hides what they do.

use std::collections::HashSet;

use crate::{
    ast::{Command, CommandKind, List, Pipeline, Statement},
    context::Context,
    shell::Shell,
};

/// Functions that end with functions, and branches in branches, are followed up to this depth.
const MAX_DEPTH: u32 = 4;

/// How many statements behind a command are searched.
const WINDOW: usize = 100;

/// Builtins behind which the rest of a list may not run.
const LEAVES: [&str; 7] = ["break", "continue", "eval", "exec", "exit", "kill", "return"];

impl Shell<'_> {
    /// Whether the script ends with a failure once a statement has run, whatever comes of that: the list goes on with `rest`.
    pub(crate) fn certainly_fails_after(
        &self,
        statement: &Statement,
        rest: &[Statement],
        context: &Context,
    ) -> bool {
        if context.never_succeeds || !context.exit.is_noticed() {
            return context.never_succeeds;
        }
        let near = &rest[..rest.len().min(WINDOW)];
        let Some(end) = near.iter().position(|one| self.certainly_fails(one, 0)) else {
            return false;
        };
        let before = std::iter::once(statement).chain(&rest[..end]);
        let mut run = before.filter(|one| !is_definition(one));
        run.all(|one| !self.may_leave_otherwise(self.written(one.span)))
    }

    /// Whether a statement ends the script with a failure: `exit 1`, `fail "no"`, an `if` of which each branch does.
    fn certainly_fails(&self, statement: &Statement, depth: u32) -> bool {
        statement.rest.is_empty() && !statement.background && self.ends(&statement.first, depth)
    }

    fn ends(&self, pipeline: &Pipeline, depth: u32) -> bool {
        let [command] = pipeline.commands.as_slice() else { return false };
        if depth > MAX_DEPTH {
            return false;
        }
        match &command.kind {
            CommandKind::Group(list) => self.list_fails(list, depth),
            CommandKind::If(clause) => {
                let otherwise = clause.otherwise.as_ref();
                let mut bodies = clause.branches.iter().map(|(_, body)| body);
                otherwise.is_some_and(|list| self.list_fails(list, depth))
                    && bodies.all(|list| self.list_fails(list, depth))
            }
            _ => self.simple_ends(pipeline, depth),
        }
    }

    fn simple_ends(&self, pipeline: &Pipeline, depth: u32) -> bool {
        let Some((name, simple)) = self.only_simple(pipeline) else { return false };
        match (name, self.functions.get(name).map(|one| &one.body)) {
            ("exit", _) => {
                simple.words.get(1).is_some_and(|word| is_failure(self.written(word.span)))
            }
            (_, Some(Command { kind: CommandKind::Group(list), .. })) => {
                self.list_fails(list, depth)
            }
            _ => false,
        }
    }

    fn list_fails(&self, list: &List, depth: u32) -> bool {
        let Some((last, before)) = list.statements.split_last() else { return false };
        self.certainly_fails(last, depth + 1)
            && !before
                .iter()
                .filter(|one| !is_definition(one))
                .any(|one| self.may_leave_otherwise(self.written(one.span)))
    }

    /// Whether what a text runs, or a function that it names, may leave the list without a failure.
    fn may_leave_otherwise(&self, text: &str) -> bool {
        let mut texts = vec![text];
        let mut seen = HashSet::new();
        while let Some(text) = texts.pop() {
            let words: Vec<_> = text
                .split(|c: char| c.is_whitespace() || ";&|(){}".contains(c))
                .filter(|word| !word.is_empty())
                .collect();
            if words.iter().enumerate().any(|(at, word)| leaves(word, words.get(at + 1))) {
                return true;
            }
            let called = words.into_iter().filter_map(|word| self.functions.get_key_value(word));
            let new = called.filter(|(name, _)| seen.insert(*name));
            texts.extend(new.map(|(_, function)| self.written(function.body.span)));
        }
        false
    }
}

/// Whether a word may leave a list without a failure: `exit 1` does not.
fn leaves(word: &str, next: Option<&&str>) -> bool {
    LEAVES.contains(&word) && !(word == "exit" && next.is_some_and(|next| is_failure(next)))
}

/// Whether a status is that of a failure.
fn is_failure(status: &str) -> bool {
    status.parse().is_ok_and(|code: u8| code > 0)
}

fn is_definition(statement: &Statement) -> bool {
    matches!(statement.first.commands.as_slice(), [Command { kind: CommandKind::Function(_), .. }])
}
