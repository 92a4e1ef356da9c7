//! A file of a ConfigMap or Secret that a container executes, and that nobody may execute.

use shell_effects::{ElementSpan, ShellOperand, ast::Span, shell_operand};

use crate::{
    command::{Command, not_executable},
    finding::Finding,
    words::one_line,
    workload::Subject,
};

/// What begins a part of a script that may not run, or ends the script.
const CONTROL: [&str; 17] = [
    "!", "(", "[", "[[", "case", "exit", "for", "function", "if", "mount", "return", "select",
    "test", "trap", "until", "while", "{",
];

/// The finding about a program that is such a file: that of the container, or one that its script starts in any case. No
/// command gives it a mode: such a volume is mounted read-only.
pub(super) fn check(job: &Subject<'_>, command: &Command<'_>) -> Option<Finding> {
    command.container.get("command")?;
    let words: Vec<_> = command.scripts(false).collect();
    let argv: Vec<_> = words.iter().map(|(_, word)| *word).collect();
    let (at, programs) = match shell_operand(&argv) {
        Some(ShellOperand::Script(at)) => (at, programs(argv[at])),
        Some(ShellOperand::File(_)) => return None,
        None => (0, argv.first().copied().into_iter().collect()),
    };
    let (element, text) = words[at];
    if command.is_made_up(element) {
        return None;
    }
    let (program, kind) = programs.into_iter().find_map(|program| {
        not_executable(job, job.context, command.container, program).map(|kind| (program, kind))
    })?;
    let start = program.as_ptr() as usize - text.as_ptr() as usize;
    let span = Span::new(start, start + program.len());
    let word = one_line(program);
    let label = "its mode has no `x`: `Permission denied`";
    let finding = command.finding(ElementSpan { element, span }, label);
    let message = format!("{} cannot run `{word}`: a file of a {kind} has mode 0644", job.title());
    let help = format!(
        "Set `defaultMode: 0755` on the volume, or name the program that reads it: `sh {word}`"
    );
    Some(finding.message(message).help(help))
}

/// The programs of the first statements of a script, up to one that may not run.
fn programs(script: &str) -> Vec<&str> {
    let statements = script.split(['\n', ';']).flat_map(|line| line.split("&&")).map(str::trim);
    let mut found = Vec::new();
    for statement in statements.filter(|one| !one.is_empty() && !one.starts_with('#')) {
        let replaces = statement.strip_prefix("exec ");
        let first = replaces.unwrap_or(statement).split_whitespace().next().unwrap_or_default();
        // A string or a command goes on in the next line.
        let is_open = statement.ends_with('\\') || statement.matches(['"', '\'']).count() % 2 > 0;
        let is_part = is_open || first.ends_with("()") || statement.contains("<<");
        if CONTROL.contains(&first) || is_part {
            break;
        }
        found.push(first);
        if replaces.is_some() {
            break;
        }
    }
    found
}
