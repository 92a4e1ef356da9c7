//! Loops that read page after page: `while :; do list=$(query --from "$next"); next=$(rest "$list"); [ "$next" ] || break; done`,
//! and those that work through what is left: `while :; do ids=$(query); [ "$ids" ] || break; for id in $ids; do …; done; done`,
//! `while :; do [ "$(count)" -gt 0 ] || break; delete --limit 100; done`.

use crate::{
    analysis::is_inside,
    ast::{CommandKind, ForHead, List, Loop, PartKind, Statement, Word},
    shell::Shell,
    text::ElementSpan,
    wait,
};

/// Programs that only compare.
const TESTS: [&str; 3] = ["[", "[[", "test"];

/// Whether each turn of a loop asks for something else: what a command of the turn gives decides whether there is another
/// turn, and that asks with it, or this turn works through it.
pub(super) fn turns(shell: &Shell<'_>, clause: &Loop) -> bool {
    let statements = &clause.body.statements;
    let reads = |one: &Statement, name: &str| reads(shell.written(one.span), name);
    statements.iter().enumerate().any(|(index, one)| {
        let Some(name) = assigned(shell, one) else { return false };
        let asks = statements[..=index].iter().any(|other| {
            acts(shell, other) && reads(other, name)
                || in_branches(other).any(|inner| {
                    reads(inner, name)
                        && assigned(shell, inner).is_some_and(|page| reads(one, page))
                })
        });
        let works = || statements[index..].iter().any(|one| works_through(shell, one, name));
        let decides = |one: &Statement| leaves(shell, one) && reads(one, name);
        statements[index..].iter().any(decides) && (asks || works())
    })
}

/// Whether a loop changes something on each turn, without a pause, and asks something else whether there is another turn.
/// The changes are at `changed`.
pub(crate) fn works_off(
    shell: &Shell<'_>,
    clause: &Loop,
    mut changed: impl Iterator<Item = ElementSpan>,
) -> bool {
    let statements = &clause.body.statements;
    let own = |one: &Statement| shell.location(one.span);
    let leaving = statements.iter().filter(|one| leaves(shell, one)).map(own);
    let leaving: Vec<_> = leaving.collect();
    let pauses = shell.written(clause.body.span()).contains("sleep");
    !leaving.is_empty()
        && !pauses
        && changed.any(|at| !leaving.iter().any(|statement| is_inside(at, *statement)))
}

/// Whether a statement does something with each item of a variable, whatever is next to it: `for id in $ids; do …; done`,
/// `echo "$ids" | while read id; do …; done`, `echo "$ids" | xargs …`.
fn works_through(shell: &Shell<'_>, statement: &Statement, name: &str) -> bool {
    let does_something = |body: &List| !wait::only_idles(shell, body);
    let inner = in_branches(statement).any(|inner| works_through(shell, inner, name));
    let mut given = false;
    inner
        || statement.first.commands.iter().any(|command| {
            let of_words = |one: &Word| reads(shell.written(one.span), name);
            let is_work = match &command.kind {
                CommandKind::For(clause) => {
                    matches!(&clause.head, ForHead::Words(words) if words.iter().any(of_words))
                        && does_something(&clause.body)
                }
                CommandKind::Loop(clause) => given && does_something(&clause.body),
                CommandKind::Simple(simple) => {
                    let is_xargs = |word: &Word| shell.written(word.span) == "xargs";
                    given && simple.words.first().is_some_and(is_xargs)
                }
                _ => false,
            };
            given |= reads(shell.written(command.span), name);
            is_work
        })
}

/// The statements in the branches of a condition.
fn in_branches(statement: &Statement) -> impl Iterator<Item = &Statement> {
    let conditions = statement.first.commands.iter().filter_map(|command| match &command.kind {
        CommandKind::If(clause) => Some(clause),
        _ => None,
    });
    conditions.flat_map(|clause| {
        let bodies = clause.branches.iter().map(|(_, body)| body).chain(&clause.otherwise);
        bodies.flat_map(|body| &body.statements)
    })
}

/// Whether a text expands a variable.
fn reads(text: &str, name: &str) -> bool {
    text.split('$').skip(1).any(|rest| {
        let rest = rest.trim_start_matches('{').strip_prefix(name);
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
    })
}

/// The variable to which a statement assigns the output of a command.
fn assigned<'t>(shell: &Shell<'t>, statement: &Statement) -> Option<&'t str> {
    let [command] = statement.first.commands.as_slice() else { return None };
    let CommandKind::Simple(simple) = &command.kind else { return None };
    let [assignment] = simple.assignments.as_slice() else { return None };
    let mut parts = assignment.values.iter().flat_map(|word| &word.parts);
    let is_output = parts.any(|part| matches!(part.kind, PartKind::Command(_)));
    (simple.words.is_empty() && is_output).then(|| shell.written(assignment.name))
}

/// Whether a statement only runs programs, and does more than print or compare.
fn acts(shell: &Shell<'_>, statement: &Statement) -> bool {
    let runs = |kind: &CommandKind| match kind {
        CommandKind::Simple(simple) => {
            let name = simple.words.first().map(|word| shell.written(word.span));
            name.is_none_or(|name| !TESTS.contains(&name))
        }
        _ => false,
    };
    statement.first.commands.iter().all(|command| runs(&command.kind))
        && !leaves(shell, statement)
        && (assigned(shell, statement).is_some() || !wait::is_idle(shell, statement))
}

/// Whether a statement may end the loop.
fn leaves(shell: &Shell<'_>, statement: &Statement) -> bool {
    let mut words = shell.written(statement.span).split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| matches!(word, "break" | "exit" | "return"))
}
