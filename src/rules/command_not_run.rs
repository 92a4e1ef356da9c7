use shell_effects::{ElementSpan, ast::Span};
use yaml_spans::{Node, Source, Style};

use super::{Check, Rule};
use crate::{
    command::Command,
    finding::{Finding, Severity},
    words::one_line,
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "command-not-run",
    include_str!("../../rules/command-not-run.yaml"),
    Check::Workload(check),
);

const SHELLS: [&str; 6] = ["sh", "bash", "dash", "ash", "ksh", "zsh"];

/// What people write for `$0`, the first argument behind the script of `-c`.
const NAMELESS: [&str; 3] = ["--", "-", "_"];

/// The longest script, in characters, that a headline repeats.
const LONGEST: usize = 40;

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    for command in job.commands() {
        let lists = ["command", "args"].into_iter().filter_map(|key| command.container.get(key));
        let printed = lists.filter_map(|list| printed_as_word(job, list));
        let earlier = found.len();
        found.extend(printed);
        if found.len() == earlier {
            found.extend(by_shell(job, command));
        }
    }
}

/// The finding about a list that a template prints as Go does: `[rails db:migrate]` is one word.
fn printed_as_word(job: &Subject<'_>, list: &Node) -> Option<Finding> {
    let [only] = list.items() else { return None };
    let name = printed_list(job.source, list, only)?;
    let word = one_line(only.as_str()?);
    let message = format!(
        "{} fails at every start: the template prints the list `{name}` as one word",
        job.title()
    );
    let finding = Finding::new(only.span, format!("the name of one program: `{word}`"));
    Some(
        finding
            .message(message)
            .help(format!("Print it with `toJson`: `{{{{ toJson .{name} }}}}`")),
    )
}

/// The name of the list of two or more items that an action prints between brackets of its own.
fn printed_list(source: &Source, list: &Node, only: &Node) -> Option<String> {
    let origin = source.origin.as_ref().filter(|_| list.style == Style::Flow)?;
    let bracket = yaml_spans::Span { end: list.span.start + 1, ..list.span };
    if only.style != Style::Plain || origin.literal(bracket).is_some() {
        return None;
    }
    let inputs = origin.inputs(only.span);
    let second = inputs.iter().find_map(|input| input.strip_suffix("[1]"))?;
    inputs.iter().any(|input| input.strip_suffix("[0]") == Some(second)).then(|| second.to_owned())
}

/// The finding about a shell that takes a command for a file, or arguments behind its script for nothing.
fn by_shell(job: &Subject<'_>, command: &Command<'_>) -> Option<Finding> {
    command.container.get("command")?;
    let words: Vec<_> = command.scripts(false).collect();
    let (shell, rest) = words.split_first()?;
    let program = shell.1.rsplit('/').next().unwrap_or_default();
    if !SHELLS.contains(&program) || words.iter().any(|(index, _)| command.is_made_up(*index)) {
        return None;
    }
    let (takes_script, operands) = operands(rest)?;
    match operands {
        [] => None,
        [script, others @ ..] if takes_script => ignored(command, *script, others),
        [(index, text), ..] if is_command(text) => {
            let word = one_line(text);
            let message = format!(
                "{} fails at every start: `{program}` without `-c` looks for a file called `{word}`",
                job.title()
            );
            let finding = command.finding(whole(*index, text), "a command, and no file");
            Some(finding.message(message).help("Put `-c` before the command"))
        }
        _ => None,
    }
}

/// Whether the options of a shell make the first operand a script, and the operands; `None` if it reads its input.
fn operands<'w, 't>(words: &'w [(usize, &'t str)]) -> Option<(bool, &'w [(usize, &'t str)])> {
    let (mut takes_script, mut at) = (false, 0);
    while let Some((_, word)) = words.get(at) {
        let Some(letters) = word.strip_prefix(['-', '+']).filter(|letters| !letters.is_empty())
        else {
            break;
        };
        at += 1;
        if word.starts_with("--") {
            if letters == "-" {
                break;
            }
            continue;
        }
        takes_script |= word.starts_with('-') && letters.contains('c');
        if letters.contains('s') {
            return None;
        }
        // The name of an option: `-o pipefail`.
        at += letters.chars().filter(|letter| matches!(letter, 'o' | 'O')).count();
    }
    Some((takes_script, words.get(at..).unwrap_or_default()))
}

/// Whether a word can only be meant as a command: a file may have a variable in its path.
fn is_command(text: &str) -> bool {
    let text = text.trim();
    text.contains(char::is_whitespace) && !text.contains("$(")
}

/// The finding about arguments behind the script of a shell that does not look at them.
fn ignored(
    command: &Command<'_>,
    (_, script): (usize, &str),
    others: &[(usize, &str)],
) -> Option<Finding> {
    let (index, first) = *others.first()?;
    let is_name = |word: &str| NAMELESS.contains(&word) || SHELLS.contains(&word);
    let is_one_word = !script.trim().contains(char::is_whitespace);
    let is_meant =
        others.iter().any(|(_, word)| word.trim().contains(char::is_whitespace)) || is_one_word;
    if is_name(first) || !is_meant || reads_arguments(script) {
        return None;
    }
    let run = match script.trim() {
        short if short.chars().count() <= LONGEST && !short.contains('\n') => format!("`{short}`"),
        _ => "the first string behind `-c`".to_owned(),
    };
    let message =
        format!("{} runs only {run}: the shell takes what follows for arguments", command.title());
    let label = "the script does not look at this";
    let finding = command.finding(whole(index, first), label).severity(Severity::Warning);
    Some(finding.message(message).help("Write the whole command as one string after `-c`"))
}

/// Whether a script may read the arguments of the shell.
fn reads_arguments(script: &str) -> bool {
    let mut after = script.split('$').skip(1).map(|rest| rest.trim_start_matches('{'));
    after
        .any(|rest| rest.starts_with(|first: char| first.is_ascii_digit() || "@*#".contains(first)))
        || ["shift", "getopts", "for "].iter().any(|word| script.contains(word))
}

fn whole(element: usize, text: &str) -> ElementSpan {
    ElementSpan { element, span: Span::new(0, text.len()) }
}
