//! Warnings: messages by which a script says that a command failed, and that it goes on without.

use crate::{
    ast::{Connector, If, List, Pipeline, Span, Statement},
    shell::Shell,
};

/// How a message says so, in lower case.
const WARNS: &str = "warn";

impl Shell<'_> {
    /// Whether what follows a command of a statement warns: `deploy || echo "WARN: not deployed"`.
    pub(crate) fn warns(&self, rest: &[(Connector, Pipeline)]) -> bool {
        rest.iter().any(|(_, pipeline)| self.says_warning(pipeline.span))
    }

    /// Whether the branch for the failure of a condition warns.
    pub(crate) fn warns_after_condition(&self, clause: &If, index: usize) -> bool {
        let (condition, body) = &clause.branches[index];
        let negated = condition.statements.iter().any(|one| one.first.negated);
        let failed = if negated { Some(body) } else { clause.otherwise.as_ref() };
        failed.map(List::span).is_some_and(|span| self.says_warning(span))
    }

    /// Whether the next statement reads the status of a command, and warns if it failed.
    pub(crate) fn warns_about_status(&self, rest: &[Statement]) -> bool {
        let next = rest.first().filter(|next| self.asks_for_status(next));
        let failed = next.and_then(|next| self.branches_of_status(next)?.failed);
        failed.map(List::span).is_some_and(|span| self.says_warning(span))
    }

    fn says_warning(&self, span: Span) -> bool {
        self.written(span).to_lowercase().contains(WARNS)
    }
}
