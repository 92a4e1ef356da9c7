//! The branches of an `if` that looks whether a command has failed.

use crate::{
    ast::{Command, CommandKind, If, List, Span, Statement},
    shell::Shell,
};

/// Tests of `$?` that hold for a command that has succeeded, and for one that has failed.
const ZERO: [&str; 3] = ["-eq 0", "= 0", "== 0"];
const FAILED: [&str; 4] = ["-ne 0", "!= 0", "-gt 0", "> 0"];

/// How many statements are searched for one that reads a kept status.
const WINDOW: usize = 20;

/// The branches of an `if` that reads `$?`.
pub(crate) struct StatusBranches<'c> {
    /// What runs after a failure.
    pub(crate) failed: Option<&'c List>,
    /// What runs otherwise.
    pub(crate) succeeded: Option<&'c List>,
}

impl Shell<'_> {
    /// The branches of a statement that reads the status of the command before it, if it has one test.
    pub(crate) fn branches_of_status<'c>(&self, next: &'c Statement) -> Option<StatusBranches<'c>> {
        let [Command { kind: CommandKind::If(clause), .. }] = next.first.commands.as_slice() else {
            return None;
        };
        let [(condition, body)] = clause.branches.as_slice() else { return None };
        // `[ "$?" == "0" ]`
        let condition = self.written(condition.span()).replace(['"', '\''], "");
        let holds = |tests: &[&str]| tests.iter().any(|test| condition.contains(test));
        let otherwise = clause.otherwise.as_ref();
        match (holds(&FAILED), holds(&ZERO)) {
            (true, _) => Some(StatusBranches { failed: Some(body), succeeded: otherwise }),
            (false, true) => Some(StatusBranches { failed: otherwise, succeeded: Some(body) }),
            (false, false) => None,
        }
    }

    /// The `if` behind a command that reads its status, also from a variable: `status=$?; …; if [ $status -ne 0 ]`.
    pub(crate) fn decided_by_status(&self, rest: &[Statement]) -> Option<Span> {
        let next = rest.first()?;
        let kept = self.written(next.span).strip_suffix("=$?").map(|name| format!("${name}"));
        let reads = |one: &&Statement| match &kept {
            Some(name) => self.written(one.span).contains(name),
            None => self.asks_for_status(one),
        };
        let decisions = rest.iter().take(WINDOW).skip(usize::from(kept.is_some()));
        let one = decisions.filter(reads).find(|one| self.branches_of_status(one).is_some())?;
        (kept.is_some() || one.span == next.span).then_some(one.span)
    }

    /// What a statement does not run after the command before it has failed.
    pub(crate) fn skipped_by_status(&self, next: &Statement) -> Option<Span> {
        let reads = self.asks_for_status(next);
        let branches = reads.then(|| self.branches_of_status(next)).flatten()?;
        branches.succeeded.map(List::span)
    }

    /// What does not run after the condition of a branch has failed.
    pub(crate) fn skipped_by_condition(&self, clause: &If, index: usize) -> Option<Span> {
        let (condition, body) = &clause.branches[index];
        let [statement] = condition.statements.as_slice() else { return None };
        match statement.first.negated {
            true => clause.otherwise.as_ref().map(List::span),
            false => Some(body.span()),
        }
    }
}
