//! States that a script reads before and after a command, and that it compares:
//! `before=$(redis-cli LASTSAVE); redis-cli BGSAVE; until [ "$(redis-cli LASTSAVE)" != "$before" ]; do …; done`.

use crate::{
    ast::{Command, CommandKind, Statement, only_statement},
    context::Context,
    shell::{Shell, gives_up},
};

/// How many statements before and after a command are searched.
const WINDOW: usize = 20;

/// Options whose value is what a client is asked to do.
const STATEMENTS: [&str; 6] = ["-c", "-e", "--command", "--eval", "--execute", "-Q"];

/// What a script read before a command.
struct Captured<'t> {
    variable: &'t str,
    query: Vec<&'t str>,
}

impl<'t> Shell<'t> {
    /// Whether the script fails unless a state has changed since before the statement: it asks for the state by the
    /// client, and at the server, of the statement.
    pub(crate) fn effect_is_awaited(
        &self,
        before: &[Statement],
        statement: &Statement,
        rest: &[Statement],
        context: &Context,
    ) -> bool {
        let [Command { kind: CommandKind::Simple(simple), span, .. }] =
            statement.first.commands.as_slice()
        else {
            return false;
        };
        let is_noticed = context.exit.is_noticed() && context.returned.is_noticed();
        if simple.words.is_empty() || !is_noticed {
            return false;
        }
        let own = words(self.written(*span));
        let earlier = before.iter().rev().take(WINDOW).filter_map(|one| self.captured(one));
        let captured: Vec<_> = earlier.filter(|one| is_at_same_server(&own, &one.query)).collect();
        let compares = |one: &Statement, state: &Captured<'_>| {
            let text = words(self.written(one.span)).join(" ");
            self.mentions(one, state.variable) && text.contains(&state.query.join(" "))
        };
        let later = rest.iter().take(WINDOW).enumerate();
        captured.iter().any(|state| {
            later.clone().any(|(index, one)| {
                compares(one, state) && self.insists_on(one, &rest[index + 1..])
            })
        })
    }

    /// What a statement reads, if it does nothing but keep that in a variable.
    fn captured(&self, statement: &Statement) -> Option<Captured<'t>> {
        let assignment = statement.assignment()?;
        let (query, _) = only_statement(&assignment.values)?;
        let variable = self.written(assignment.name);
        Some(Captured { variable, query: words(self.written(query.span)) })
    }

    /// Whether a statement that compares a state fails the script while that is the old one: by itself, after its last
    /// turn, or because the loop has no other end.
    fn insists_on(&self, statement: &Statement, rest: &[Statement]) -> bool {
        let text = self.written(statement.span);
        let is_endless = match statement.first.commands.as_slice() {
            [Command { kind: CommandKind::Loop(clause), .. }] => {
                let body = self.written(clause.body.span());
                !["break", "exit", "return"].iter().any(|word| body.contains(word))
            }
            _ => false,
        };
        is_endless || gives_up(text) || self.failure_at(rest).is_some()
    }
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

/// Whether two command lines have one program with the same options, and differ in what they ask it to do.
fn is_at_same_server(change: &[&str], query: &[&str]) -> bool {
    let common = change.iter().zip(query).take_while(|(one, other)| one == other).count();
    let is_option = |word: &&str| word.starts_with('-');
    let mut rest = change[common..].iter().chain(&query[common..]);
    let last = change[..common].last();
    let takes_value = last.is_some_and(|last| is_option(last) && !STATEMENTS.contains(last));
    common > 0 && query.len() > common && !takes_value && !rest.any(is_option)
}
