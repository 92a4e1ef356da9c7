//! Loops that wait, and which of them have a limit.

mod pages;
mod turn;

pub(crate) use pages::works_off;
pub(crate) use turn::decides_in_body;

use crate::{
    ast::{Command, CommandKind, List, Loop, Statement, Word},
    shell::Shell,
};

/// Comparisons of a counter or clock with a limit.
const ORDER: [&str; 4] = ["-lt", "-le", "-gt", "-ge"];

/// Whether the loop waits: it sleeps, does nothing, or never ends.
pub(crate) fn is_wait(shell: &Shell<'_>, clause: &Loop) -> bool {
    let condition = text_of(shell, &clause.condition);
    let body = text_of(shell, &clause.body);
    let reads = condition.split_whitespace().any(|word| word == "read" || word == "getopts");
    let sleeps = format!("{condition} {body}").contains("sleep");
    let idle = only_idles(shell, &clause.body);
    let spins = || is_always(condition, clause.until) && !pages::turns(shell, clause);
    !reads && (sleeps || idle || spins())
}

/// Whether the loop keeps the container alive and waits for nothing: `while true; do sleep 1000; done`.
pub(crate) fn idles_forever(shell: &Shell<'_>, clause: &Loop) -> bool {
    let joined = clause.body.statements.iter().any(|statement| !statement.rest.is_empty());
    is_always(text_of(shell, &clause.condition), clause.until)
        && only_idles(shell, &clause.body)
        && !joined
}

/// Whether every statement only passes time.
pub(crate) fn only_idles(shell: &Shell<'_>, body: &List) -> bool {
    body.statements.iter().all(|statement| is_idle(shell, statement))
}

/// The one statement that is the condition of a loop, and the words of its test: `[ … ]`, `test …` or `[[ … ]]`.
fn tested<'l>(shell: &Shell<'_>, clause: &'l Loop) -> Option<(&'l Statement, &'l [Word])> {
    let [statement] = clause.condition.statements.as_slice() else { return None };
    let [command] = statement.first.commands.as_slice() else { return None };
    let words = match &command.kind {
        CommandKind::Simple(simple) => {
            let (name, words) = simple.words.split_first()?;
            matches!(shell.written(name.span), "[" | "test").then_some(words)?
        }
        CommandKind::Test(words) => words,
        _ => return None,
    };
    Some((statement, words))
}

/// Whether the condition tests a literal that never lets the loop run: `while [ -z "\$(query)" ]`.
pub(crate) fn never_runs(shell: &Shell<'_>, clause: &Loop) -> bool {
    let Some((statement, words)) = tested(shell, clause) else { return false };
    let (operator, value) = match words {
        [operator, value] => (operator, value),
        [operator, value, end] if shell.written(end.span) == "]" => (operator, value),
        _ => return false,
    };
    let Some(value) = value.literal(&shell.source.value) else { return false };
    let holds = match shell.written(operator.span) {
        "-z" => value.is_empty(),
        "-n" => !value.is_empty(),
        _ => return false,
    };
    statement.rest.is_empty() && (holds != statement.first.negated) == clause.until
}

/// Whether a counter or the clock ends the loop, too.
pub(crate) fn has_limit(shell: &Shell<'_>, command: &Command, clause: &Loop) -> bool {
    let text = shell.written(command.span);
    [&clause.condition, &clause.body].iter().any(|list| counts(shell, text_of(shell, list), text))
}

/// Whether only success ends the loop.
pub(crate) fn is_unbounded(shell: &Shell<'_>, command: &Command, clause: &Loop) -> bool {
    let text = shell.written(command.span);
    let condition = text_of(shell, &clause.condition);
    if counts(shell, condition, text) || asks_counter(shell, condition) {
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
    if is_always(condition, clause.until) && skips_limit(shell, &clause.body, text) {
        return true;
    }
    let mut words = body.split(|c: char| !c.is_ascii_alphanumeric());
    let leaves =
        words.any(|word| matches!(word, "break" | "exit" | "return" | "false" | "die" | "fail"));
    !(leaves && counts(shell, body, text))
}

/// Whether a branch starts the next turn of a loop before the count or the clock is looked at, after a pause:
/// `if ! ready; then sleep 5; continue; fi; if [ $SECONDS -gt 60 ]; then exit 1; fi`.
fn skips_limit(shell: &Shell<'_>, body: &List, whole: &str) -> bool {
    let limits = |one: &Statement| counts(shell, shell.written(one.span), whole);
    let Some(limit) = body.statements.iter().position(limits) else { return false };
    let restarts = |list: &List| {
        let last = list.statements.last().filter(|last| last.rest.is_empty());
        let is_restart = last.is_some_and(|last| shell.written(last.span) == "continue");
        is_restart && text_of(shell, list).contains("sleep")
    };
    body.statements[..limit].iter().any(|one| match one.first.commands.as_slice() {
        [Command { kind: CommandKind::If(clause), .. }] => {
            clause.branches.iter().any(|(_, list)| restarts(list))
                || clause.otherwise.as_ref().is_some_and(restarts)
        }
        _ => false,
    })
}

fn text_of<'t>(shell: &Shell<'t>, list: &List) -> &'t str {
    shell.written(list.span())
}

/// Whether a condition always holds.
pub(crate) fn is_always(condition: &str, until: bool) -> bool {
    let text = condition.trim_matches([' ', '[', ']', '(', ')']);
    if until { text == "false" } else { matches!(text, "true" | ":" | "1") }
}

/// Whether a statement only passes time: `:`, `true`, `echo …`, `sleep …`.
pub(crate) fn is_idle(shell: &Shell<'_>, statement: &Statement) -> bool {
    let commands = statement.first.commands.iter();
    commands.into_iter().all(|command| match &command.kind {
        CommandKind::Simple(simple) => simple.words.first().is_none_or(|word| {
            matches!(shell.written(word.span), ":" | "true" | "echo" | "printf" | "sleep" | "date")
        }),
        _ => false,
    })
}

/// Whether `test` compares numbers, one of which changes in the loop.
pub(crate) fn counts(shell: &Shell<'_>, test: &str, whole: &str) -> bool {
    let ordered = test.split_whitespace().any(|word| ORDER.contains(&word));
    let arithmetic = test.contains("((") && test.contains(['<', '>']);
    if !ordered && !arithmetic && !test.contains("-eq") && !test.contains("==") {
        return false;
    }
    let names = test.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    names.filter(|name| !name.is_empty()).any(|name| {
        is_clock(shell, name)
            || changes(name, whole)
            || shell.functions.get(name).is_some_and(|f| reads_clock(shell.written(f.body.span)))
    }) || (ordered || arithmetic) && reads_clock(test)
}

/// Whether a condition calls a function of the script that counts, and answers once it has counted enough.
fn asks_counter(shell: &Shell<'_>, condition: &str) -> bool {
    let mut names = condition.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    names.any(|name| {
        shell.functions.get(name).is_some_and(|function| {
            let body = shell.written(function.body.span);
            body.contains("return") && counts(shell, body, body)
        })
    })
}

/// Whether the shell counts up the variable by itself. In dash and in the `sh` of busybox, `SECONDS` is one like any other.
fn is_clock(shell: &Shell<'_>, name: &str) -> bool {
    name == "EPOCHSECONDS" || name == "SECONDS" && !shell.is_plain_sh()
}

/// Whether the text runs `date` with the format `+%s`, after whatever options.
fn reads_clock(text: &str) -> bool {
    text.match_indices("date ").any(|(at, _)| {
        let rest = &text[at..];
        let end = rest.find([')', '`', '\n', ';']).unwrap_or(rest.len());
        let whole = !text[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        whole && rest[..end].contains("+%s")
    })
}

/// Whether the text increments or decrements the variable, adds to its text, or assigns the clock to it.
fn changes(name: &str, text: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = &text[..at];
        let after = &text[at + name.len()..];
        let whole = !before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        whole && (is_change(before, after) || is_sum(name, before, after) || grows(name, after))
    })
}

fn is_change(before: &str, after: &str) -> bool {
    let assigned = ["=$((", "=$[", "=$(expr", "=`expr", "=\"$((", "=$(( "];
    let value = after.strip_prefix('=').unwrap_or_default().trim_start_matches('"');
    if value.starts_with(['$', '`']) && reads_clock(value.lines().next().unwrap_or_default()) {
        return true;
    }
    let counted = ["++", "--", "+=", "-="];
    assigned.iter().any(|start| after.starts_with(start))
        || counted.iter().any(|start| after.starts_with(start))
        || before.ends_with("++")
        || before.ends_with("((--")
        || before.ends_with("let ")
        || before.ends_with("let \"")
}

/// Whether an assignment puts something behind what the variable holds: `name="${name}$(next)"`.
fn grows(name: &str, after: &str) -> bool {
    let value = after.strip_prefix('=').unwrap_or_default().trim_start_matches('"');
    let own = [format!("${{{name}}}"), format!("${name}")];
    let rest = own.iter().find_map(|own| value.strip_prefix(own.as_str()));
    rest.is_some_and(|rest| !rest.starts_with(['"', ' ', ';', '\n']) && !rest.is_empty())
}

/// Whether an arithmetic expression adds to the variable or subtracts from it: `((name = name + 1`.
fn is_sum(name: &str, before: &str, after: &str) -> bool {
    let value = after.trim_start().strip_prefix('=').map(str::trim_start).unwrap_or_default();
    let value = value.trim_start_matches('$').strip_prefix(name).map(str::trim_start);
    let sum = value.is_some_and(|rest| rest.starts_with(['+', '-']));
    sum && before.trim_end().ends_with("((")
}
