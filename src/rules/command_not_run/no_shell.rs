//! Words that only a shell understands, in a command that no shell reads.

use shell_effects::{ElementSpan, ast::Span, is_shell};

use super::whole;
use crate::{
    command::Command,
    finding::{Finding, Severity},
    workload::Subject,
};

/// What joins commands in a shell, or sends their output elsewhere.
const OPERATORS: [&str; 7] = ["&&", "||", "|", ">", ">>", "<", "2>&1"];

/// Programs that start a shell for the words behind them, or read names of variables.
const STARTERS: [&str; 7] = ["envsubst", "eval", "script", "ssh", "su", "watch", "xargs"];

/// Options whose value is a program in another language.
const CODE: [&str; 4] = ["-c", "-e", "-r", "--eval"];

/// The finding about the first word that reaches the program as it is written.
pub(super) fn check(job: &Subject<'_>, command: &Command<'_>) -> Option<Finding> {
    command.container.get("command")?;
    let words: Vec<_> = command.scripts(false).collect();
    let (_, program) = *words.first()?;
    let name = program.rsplit('/').next()?;
    let reads =
        |word: &str| is_shell(word.rsplit('/').next().unwrap_or(word)) || CODE.contains(&word);
    let may_start =
        STARTERS.contains(&name) || name.ends_with(".sh") || name.contains("entrypoint");
    if may_start || words.iter().any(|(index, word)| reads(word) || command.is_made_up(*index)) {
        return None;
    }
    let rest = &words[1..];
    if let Some((index, word)) = rest.iter().find(|(_, word)| OPERATORS.contains(word)) {
        let message =
            format!("{} passes `{word}` to `{name}`: no shell reads its command", job.title());
        let finding = command.finding(whole(*index, word), "an argument like any other");
        return Some(
            finding.message(message).help("Run the commands with `sh -ec`, as one string"),
        );
    }
    let (index, word, at, variable) = rest.iter().find_map(|(index, word)| {
        let (at, variable) = variable_of(command, word)?;
        Some((*index, *word, at, variable))
    })?;
    if job.context.substitutes() == Some(true) {
        return None;
    }
    let written = &word[at..];
    let message = format!(
        "{} passes `${variable}` to `{name}` as it is: no shell reads its command",
        job.title()
    );
    let length = if written.starts_with("${") { variable.len() + 3 } else { variable.len() + 1 };
    let span = Span::new(at, at + length);
    let finding =
        command.finding(ElementSpan { element: index, span }, "Kubernetes expands `$(NAME)` alone");
    let help =
        format!("Write `$({variable})`, which Kubernetes expands, or run the command with `sh -c`");
    Some(finding.message(message).help(help).severity(Severity::Warning))
}

/// Where a word names a variable that the container sets, as a shell does.
fn variable_of<'w>(command: &Command<'_>, word: &'w str) -> Option<(usize, &'w str)> {
    word.match_indices('$').find_map(|(at, _)| {
        let rest = &word[at + 1..];
        let (open, rest) = rest.strip_prefix('{').map_or((false, rest), |rest| (true, rest));
        let is_letter = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        let length = rest.find(|c| !is_letter(c)).unwrap_or(rest.len());
        let (name, after) = rest.split_at(length);
        let is_whole = after.starts_with('}') || !open;
        let is_plain = is_whole && !word[..at].ends_with(['$', '\\']);
        (is_plain && !name.is_empty() && command.sets(name)).then_some((at, name))
    })
}
