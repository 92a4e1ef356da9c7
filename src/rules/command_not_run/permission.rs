//! A file of a ConfigMap or Secret that a container executes, and that nobody may execute.

use shell_effects::{ElementSpan, ShellOperand, ast::Span, shell_operand};

use crate::{
    command::{Command, not_executable},
    finding::Finding,
    words::one_line,
    workload::Subject,
};

/// What may stand before the command that a script is for. `chmod` changes nothing in such a volume, which is mounted
/// read-only.
const PREPARING: [&str; 6] = ["cd", "chmod", "echo", "export", "set", "umask"];

/// The finding about a program that is such a file: that of the container, or the first that its script starts.
pub(super) fn check(job: &Subject<'_>, command: &Command<'_>) -> Option<Finding> {
    command.container.get("command")?;
    let words: Vec<_> = command.scripts(false).collect();
    let argv: Vec<_> = words.iter().map(|(_, word)| *word).collect();
    let (at, program) = match shell_operand(&argv) {
        Some(ShellOperand::Script(at)) => (at, first_program(argv[at])?),
        Some(ShellOperand::File(_)) => return None,
        None => (0, *argv.first()?),
    };
    let (element, text) = words[at];
    if command.is_made_up(element) {
        return None;
    }
    let kind = not_executable(job, command.container, program)?;
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

/// The program of the first statement of a script that does more than to prepare.
fn first_program(script: &str) -> Option<&str> {
    let statements = script.split(['\n', ';']).flat_map(|line| line.split("&&")).map(str::trim);
    let mut statements = statements.filter(|one| !one.is_empty() && !one.starts_with('#'));
    let does = |one: &&str| one.split(' ').next().is_some_and(|word| !PREPARING.contains(&word));
    let first = statements.find(does)?;
    first.strip_prefix("exec ").unwrap_or(first).split_whitespace().next()
}
