//! Answers that are good where they are empty: `bad=$(kubectl get … | jq …); if [ -n "$bad" ]; then exit 1; fi`. A query that
//! fails in front of a pipe gives one, too.

use crate::{
    ast::{Command, CommandKind, Connector, List, Statement, only_statement},
    context::Context,
    shell::{Shell, gives_up},
};

/// How many statements are searched for the one that tests the answer.
const WINDOW: usize = 20;

/// Programs that fail where they find nothing, which `set -e` notices.
const SEARCHES: [&str; 3] = ["egrep", "fgrep", "grep"];

impl Shell<'_> {
    /// Whether a statement keeps what a pipeline prints, and the script fails only if that is not empty.
    pub(crate) fn empty_is_good(
        &self,
        statement: &Statement,
        rest: &[Statement],
        context: &Context,
    ) -> bool {
        let Some(name) = self.kept_pipeline(statement) else { return false };
        let forms = [format!("${name}"), format!("${{{name}}}")];
        let reads = |one: &&Statement| {
            let text = self.written(one.span);
            forms.iter().any(|form| text.contains(form.as_str()))
        };
        let Some(at) = rest.iter().take(WINDOW).position(|one| reads(&one)) else { return false };
        let decides = at + 1 == rest.len() && context.is_last && context.exit.is_noticed();
        self.fails_if_full(&rest[at], decides)
    }

    /// The variable of `name=$(query | filter)`.
    fn kept_pipeline(&self, statement: &Statement) -> Option<&str> {
        let assignment = statement.assignment()?;
        let (own, _) = only_statement(&assignment.values)?;
        let last = own.first.commands.last()?;
        let program = self.written(last.span).split_whitespace().next().unwrap_or_default();
        let is_handled = !own.rest.is_empty() || !statement.rest.is_empty();
        let is_noticed = SEARCHES.contains(&program) && !is_handled;
        (own.first.commands.len() > 1 && !is_noticed).then(|| self.written(assignment.name))
    }

    /// Whether a test of a variable lets the script fail if that is not empty, and only then. `decides` if the status of
    /// the test is that of the script.
    fn fails_if_full(&self, test: &Statement, decides: bool) -> bool {
        let fails =
            |list: Option<&List>| list.is_some_and(|list| gives_up(self.written(list.span())));
        if let [Command { kind: CommandKind::If(clause), .. }] = test.first.commands.as_slice() {
            let [(condition, body)] = clause.branches.as_slice() else { return false };
            let otherwise = clause.otherwise.as_ref();
            return match holds_if_empty(self.written(condition.span())) {
                Some(true) => fails(otherwise) && !fails(Some(body)),
                Some(false) => fails(Some(body)) && !fails(otherwise),
                None => false,
            };
        }
        let [(connector, then)] = test.rest.as_slice() else { return false };
        let ends = gives_up(self.written(then.span));
        match (holds_if_empty(self.written(test.first.span)), connector) {
            (Some(true), Connector::And) => decides && !ends,
            (Some(true), Connector::Or) | (Some(false), Connector::And) => ends,
            _ => false,
        }
    }
}

/// Whether a test of one variable holds if that is empty; `None` for other tests.
fn holds_if_empty(test: &str) -> Option<bool> {
    let inner = test.trim().trim_start_matches(['[', ' ']).trim_end_matches([']', ' ', ';']);
    let (operator, value) = inner.split_once(' ').unwrap_or(("-n", inner));
    let is_one = !value.trim().contains([' ', '|', '&']) && value.trim().starts_with(['"', '$']);
    match operator {
        _ if !is_one || !test.trim().starts_with('[') => None,
        "-z" => Some(true),
        "-n" => Some(false),
        _ => None,
    }
}
