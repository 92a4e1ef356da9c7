use shell_effects::{self as script, ElementSpan, LostContinuation, ast};

use super::{Check, Rule};
use crate::{
    command::Command,
    finding::{Applicability, Finding},
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "lost-continuation",
    include_str!("../../rules/lost-continuation.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    for command in job.commands() {
        // In a script with syntax errors, what looks like a command may be text.
        if !command.analysis.unknown.is_empty() {
            continue;
        }
        let Some((first, others)) = command.analysis.lost_continuations.split_first() else {
            continue;
        };
        let finding = finding(command, first);
        found.push(others.iter().fold(finding, |finding, other| {
            command.label(finding, other.location, "this is cut off as well")
        }));
    }
}

fn finding(command: &Command<'_>, lost: &LostContinuation) -> Finding {
    let option = command.text(lost.location);
    let label = "the command before it ends with its line, so this is a command of its own";
    let message = format!(
        "{} runs `{option}` as a command, which always fails: the line before does not continue",
        command.title()
    );
    let finding = command.finding(lost.location, label).message(message);
    let between = command.text(between(lost));
    match command.text(lost.before) {
        before if before.ends_with('\\') => {
            finding.help("Remove the blanks behind the backslash of the line before")
        }
        _ if between.contains('#') => finding.help("Move the comment out of the command"),
        _ => {
            let end = ElementSpan { span: at(lost.before.span.end), ..lost.before };
            let edit = script::Edit { location: end, text: " \\".to_owned() };
            let title = "end the line before with a backslash";
            finding.fix_if(title, Applicability::Unsafe, command.edit(&edit))
        }
    }
}

/// The text from the command before to the option.
fn between(lost: &LostContinuation) -> ElementSpan {
    let span = ast::Span { start: lost.before.span.end, end: lost.location.span.start };
    ElementSpan { span, ..lost.before }
}

fn at(offset: u32) -> ast::Span {
    ast::Span { start: offset, end: offset }
}
