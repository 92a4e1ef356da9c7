//! Statements that begin with an option, because the line before lacks its backslash.

use super::names;
use crate::{
    ast::{Command, CommandKind, Span, Statement},
    shell::Shell,
};

impl Shell<'_> {
    /// Whether something precedes the statement on its line.
    pub(super) fn shares_line(&self, statement: &Statement) -> bool {
        let before = &self.source.value[..statement.span.range().start];
        let line = before.rsplit('\n').next().unwrap_or_default();
        statement.rest.is_empty() && !line.trim().is_empty()
    }

    /// Whether a statement begins with an option: the end of the line before lacks a backslash. No program has such a
    /// name, so the statement always fails, and the line before is not the command that was meant.
    pub(super) fn is_cut_off(&self, statement: &Statement) -> bool {
        self.cut_off(statement).is_some()
    }

    /// The option that a statement begins with; see [`Self::is_cut_off`].
    pub(crate) fn cut_off(&self, statement: &Statement) -> Option<Span> {
        let first = statement.first.commands.first()?;
        let CommandKind::Simple(simple) = &first.kind else { return None };
        let word = simple.words.first()?.span;
        let text = self.written(word);
        let name = text.trim_start_matches('-');
        let dashes = text.len() - name.len();
        let is_option = name.starts_with(|c: char| c.is_ascii_alphabetic());
        (matches!(dashes, 1 | 2) && is_option).then_some(word)
    }

    /// Whether a statement is cut off, and fails as a whole: `kubectl apply -f -` refuses an empty input.
    pub(super) fn ends_cut_off(&self, statement: &Statement) -> bool {
        let refuses = |command: &Command| {
            let text = self.written(command.span);
            ["kubectl", "oc"].iter().any(|name| names(text, name)) && names(text, "-")
        };
        let commands = statement.first.commands.as_slice();
        self.is_cut_off(statement)
            && statement.rest.is_empty()
            && (commands.len() == 1 || self.pipefail || commands.last().is_some_and(refuses))
    }
}
