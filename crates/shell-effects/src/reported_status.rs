//! Statuses that a script reads only to print them:
//! `code=$(curl -w '%{http_code}' …); if [ "$code" != 201 ]; then echo "error $code"; fi`.

use crate::{
    ast::{Command, CommandKind, List, Pipeline, Statement},
    context::Context,
    effects::{fails_by_status, names_status},
    shell::Shell,
};

/// How many statements after a request are searched for what reads its status.
const WINDOW: usize = 20;

impl<'t> Shell<'t> {
    /// Whether a statement keeps the HTTP status of a request in a variable, and the statements after it only print it.
    pub(crate) fn reports_status(
        &self,
        statement: &Statement,
        rest: &[Statement],
        context: &Context,
    ) -> bool {
        let Some(name) = self.assigned(statement) else { return false };
        names_status(self.written(statement.span))
            && !self.is_ended_by_status(statement, context)
            && self.is_only_reported(name, rest)
    }

    /// Whether `set -e` ends the script at a bad status, in front of what would print it: `code=$(curl -sf …)`.
    fn is_ended_by_status(&self, statement: &Statement, context: &Context) -> bool {
        let words: Vec<_> = self.written(statement.span).split_whitespace().collect();
        let is_assignment = statement.first.commands.iter().all(|command| {
            matches!(&command.kind, CommandKind::Simple(simple) if simple.words.is_empty())
        });
        self.errexit && !context.ignores_errexit && is_assignment && fails_by_status(&words)
    }

    /// Whether the statements after an assignment do nothing about a failure that the variable tells, but print it.
    pub(crate) fn is_only_reported(&self, name: &'t str, rest: &[Statement]) -> bool {
        let mut names = vec![name];
        let mut end = None;
        for one in rest.iter().take(WINDOW) {
            if !names.iter().any(|name| self.mentions(one, name)) || self.only_says(&one.first) {
                continue;
            }
            if let Some(name) = self.assigned(one) {
                names.push(name);
            } else if self.is_harmless(one) {
                end = Some(one.span.range().end);
            } else {
                return false;
            }
        }
        end.is_some_and(|end| !names.iter().any(|name| self.uses.is_read_in(name, end..usize::MAX)))
    }

    /// The variable that a statement assigns, if it does nothing else.
    fn assigned(&self, statement: &Statement) -> Option<&'t str> {
        let [Command { kind: CommandKind::Simple(simple), .. }] =
            statement.first.commands.as_slice()
        else {
            return None;
        };
        let is_only = statement.rest.is_empty() && simple.words.is_empty();
        let name = match simple.assignments.as_slice() {
            [assignment] if is_only => Some(self.written(assignment.name)),
            _ => self.declared(simple).next().filter(|_| statement.rest.is_empty()),
        };
        name.filter(|name| !name.is_empty())
    }

    pub(crate) fn mentions(&self, statement: &Statement, name: &str) -> bool {
        let text = self.written(statement.span);
        let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
        text.match_indices(name).any(|(at, _)| {
            text[..at].ends_with(['$', '{']) && !text[at + name.len()..].starts_with(is_letter)
        })
    }

    /// Whether every branch of a statement only prints, and one says that something failed.
    fn is_harmless(&self, statement: &Statement) -> bool {
        let branches = match statement.first.commands.as_slice() {
            [Command { kind: CommandKind::If(clause), .. }] if statement.rest.is_empty() => {
                let bodies = clause.branches.iter().map(|(_, body)| body);
                bodies.chain(&clause.otherwise).collect::<Vec<_>>()
            }
            [Command { kind: CommandKind::Case(clause), .. }] if statement.rest.is_empty() => {
                clause.arms.iter().map(|(_, body)| body).collect()
            }
            _ => return false,
        };
        branches.iter().all(|list| self.only_says_all(list))
            && branches.iter().flat_map(|list| &list.statements).any(|one| self.says_error(one))
    }

    fn only_says_all(&self, list: &List) -> bool {
        list.statements.iter().all(|one| {
            let kept = self.kept_in(&one.first);
            let is_unread = kept.is_some_and(|name| !self.uses.is_read_in(name, 0..usize::MAX));
            one.rest.is_empty() && (is_unread || self.only_says(&one.first))
        })
    }

    /// Whether a pipeline only prints a message or an answer: `echo "$answer" | jq .`
    fn only_says(&self, pipeline: &Pipeline) -> bool {
        let Some((first, shown)) = pipeline.commands.split_first() else { return false };
        let CommandKind::Simple(simple) = &first.kind else { return false };
        let name = simple.words.first().map_or("", |word| self.written(word.span));
        let says = match self.functions.get(name).map(|one| &one.body.kind) {
            Some(CommandKind::Group(list)) => {
                list.statements.iter().all(|one| one.rest.is_empty() && self.prints(&one.first))
            }
            Some(_) => false,
            None => SAYS.contains(&name),
        };
        says && shown.iter().all(|command| self.only_shows(command))
    }
}

/// Programs that only print.
const SAYS: [&str; 9] =
    ["cat", "echo", "error", "info", "log", "logger", "printf", "sleep", "warn"];
