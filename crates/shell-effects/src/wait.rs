//! Loops that wait: which of them end by themselves.

use super::{
    ast::{Command, CommandKind, List, Loop, Span, Statement},
    shell::Shell,
};

/// Comparisons that a counter or a clock ends.
const ORDER: [&str; 4] = ["-lt", "-le", "-gt", "-ge"];

/// Whether the loop waits for something: it sleeps, does nothing, or goes on for ever.
pub(super) fn is_wait(shell: &Shell<'_>, clause: &Loop) -> bool {
    let condition = text_of(shell, &clause.condition);
    let body = text_of(shell, &clause.body);
    let reads = condition.split_whitespace().any(|word| word == "read" || word == "getopts");
    let sleeps = format!("{condition} {body}").contains("sleep");
    let idle = clause.body.statements.iter().all(|statement| is_idle(shell, statement));
    !reads && (sleeps || idle || is_always(condition, clause.until))
}

/// Whether nothing but success ends the loop.
pub(super) fn is_unbounded(shell: &Shell<'_>, command: &Command, clause: &Loop) -> bool {
    let text = shell.written(command.span);
    let condition = text_of(shell, &clause.condition);
    if counts(condition, text) {
        return false;
    }
    let leaves = |statement: &Statement| {
        let word = shell.written(statement.first.span).split_whitespace().next();
        statement.rest.is_empty() && matches!(word, Some("break" | "exit" | "return"))
    };
    let body = text_of(shell, &clause.body);
    if clause.body.statements.iter().any(leaves) && !body.contains("continue") {
        return false;
    }
    let mut words = body.split(|c: char| !c.is_ascii_alphanumeric());
    let leaves =
        words.any(|word| matches!(word, "break" | "exit" | "return" | "false" | "die" | "fail"));
    !(leaves && counts(body, text))
}

fn text_of<'t>(shell: &Shell<'t>, list: &List) -> &'t str {
    shell.written(span_of(list))
}

/// From the first statement to the last.
pub(super) fn span_of(list: &List) -> Span {
    let start = list.statements.first().map_or(0, |first| first.span.start);
    Span { start, end: list.statements.last().map_or(0, |last| last.span.end) }
}

fn is_always(condition: &str, until: bool) -> bool {
    let text = condition.trim_matches([' ', '[', ']', '(', ')']);
    if until { text == "false" } else { matches!(text, "true" | ":" | "1") }
}

/// `:`, `true`, `echo …`: a body that only passes the time.
fn is_idle(shell: &Shell<'_>, statement: &Statement) -> bool {
    let commands = statement.first.commands.iter();
    commands.into_iter().all(|command| match &command.kind {
        CommandKind::Simple(simple) => simple.words.first().is_none_or(|word| {
            matches!(shell.written(word.span), ":" | "true" | "echo" | "printf" | "sleep" | "date")
        }),
        _ => false,
    })
}

/// Whether `test` compares numbers of which one changes in the loop.
fn counts(test: &str, whole: &str) -> bool {
    let ordered = test.split_whitespace().any(|word| ORDER.contains(&word));
    let arithmetic = test.contains("((") && test.contains(['<', '>']);
    if !ordered && !arithmetic && !test.contains("-eq") && !test.contains("==") {
        return false;
    }
    let names = test.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    names.filter(|name| !name.is_empty()).any(|name| name == "SECONDS" || changes(name, whole))
        || (ordered || arithmetic) && test.contains("date +%s")
}

/// Whether the text counts the variable up or down, or reads the clock into it.
fn changes(name: &str, text: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = &text[..at];
        let after = &text[at + name.len()..];
        let whole = !before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        whole && (is_change(before, after) || is_sum(name, before, after))
    })
}

fn is_change(before: &str, after: &str) -> bool {
    let assigned = ["=$((", "=$[", "=$(expr", "=`expr", "=$(date +%s", "=\"$((", "=$(( "];
    let counted = ["++", "--", "+=", "-="];
    assigned.iter().any(|start| after.starts_with(start))
        || counted.iter().any(|start| after.starts_with(start))
        || before.ends_with("++")
        || before.ends_with("((--")
        || before.ends_with("let ")
        || before.ends_with("let \"")
}

/// `((name = name + 1`: assigned a sum of itself where that is arithmetic.
fn is_sum(name: &str, before: &str, after: &str) -> bool {
    let value = after.trim_start().strip_prefix('=').map(str::trim_start).unwrap_or_default();
    let value = value.trim_start_matches('$').strip_prefix(name).map(str::trim_start);
    let sum = value.is_some_and(|rest| rest.starts_with(['+', '-']));
    sum && before.trim_end().ends_with("((")
}
