pub(super) mod folded;
mod no_shell;
mod one_item;
mod permission;

use shell_effects::{ElementSpan, ShellOperand, ast::Span, is_shell, shell_operand};
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
            let own = one_item::check(job, command)
                .or_else(|| by_shell(job, command))
                .or_else(|| folded::check(job, command))
                .or_else(|| no_shell::check(job, command))
                .or_else(|| permission::check(job, command));
            found.extend(own);
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
    let argv: Vec<_> = words.iter().map(|(_, word)| *word).collect();
    let operand = shell_operand(&argv)?;
    if words.iter().any(|(index, _)| command.is_made_up(*index)) {
        return None;
    }
    match operand {
        ShellOperand::Script(at) => ignored(job, command, argv[at], &words[at + 1..]),
        ShellOperand::File(at) if is_command(argv[at]) => {
            let (index, text) = words[at];
            let (shell, word) = (argv[0].rsplit('/').next()?, one_line(text));
            let message = format!(
                "{} fails at every start: `{shell}` without `-c` looks for a file called `{word}`",
                job.title()
            );
            let finding = command.finding(whole(index, text), "a command, and no file");
            Some(finding.message(message).help("Put `-c` before the command"))
        }
        ShellOperand::File(_) => None,
    }
}

/// Whether a word can only be meant as a command: a file may have a variable in its path.
fn is_command(text: &str) -> bool {
    let text = text.trim();
    text.contains(char::is_whitespace) && !text.contains("$(")
}

/// The finding about arguments behind the script of a shell that does not look at them.
fn ignored(
    job: &Subject<'_>,
    command: &Command<'_>,
    script: &str,
    others: &[(usize, &str)],
) -> Option<Finding> {
    let (index, first) = *others.first()?;
    let is_name = NAMELESS.contains(&first) || !first.contains('/') && is_shell(first);
    let is_one_word = !script.trim().contains(char::is_whitespace);
    let is_meant =
        others.iter().any(|(_, word)| word.trim().contains(char::is_whitespace)) || is_one_word;
    if is_name || !is_meant || reads_arguments(script) {
        return None;
    }
    let run = match script.trim() {
        short if short.chars().count() <= LONGEST && !short.contains('\n') => format!("`{short}`"),
        _ => "the first string behind `-c`".to_owned(),
    };
    let message = format!(
        "{} runs only {run}: the shell takes what follows for arguments",
        of_container(job, command)
    );
    let label = "the script does not look at this";
    let finding = command.finding(whole(index, first), label).severity(Severity::Warning);
    let finding = finding.message(message).help("Write the whole command as one string after `-c`");
    let words: Vec<_> = others.iter().map(|(_, word)| *word).collect();
    let lost = if is_one_word { format!("{script} {}", words.join(" ")) } else { words.join(";") };
    Some(if only_speaks(&lost) { finding.pedantic() } else { finding })
}

/// The Job, or one of several containers of it.
fn of_container(job: &Subject<'_>, command: &Command<'_>) -> String {
    let name = command.container.get("name").and_then(Node::as_str);
    match name.filter(|_| job.all_containers().count() > 1) {
        Some(name) => format!("container `{name}` of {}", job.title()),
        None => job.title(),
    }
}

/// Whether nobody misses what a script does not run: it would say something.
fn only_speaks(lost: &str) -> bool {
    const SPEAKS: [&str; 5] = ["echo", "printf", "true", ":", ""];
    let mut commands = lost.split([';', '&', '|', '\n']).map(str::trim);
    commands.all(|one| {
        let program = one.split_whitespace().next().unwrap_or_default();
        one == "exit 0" || SPEAKS.contains(&program) && !one.contains(['>', '`', '$'])
    })
}

/// Whether a script may read the arguments of the shell.
fn reads_arguments(script: &str) -> bool {
    let script = &without_awk(script);
    let mut after = script.split('$').skip(1).map(|rest| rest.trim_start_matches('{'));
    after
        .any(|rest| rest.starts_with(|first: char| first.is_ascii_digit() || "@*#".contains(first)))
        || ["shift", "getopts"].iter().any(|word| script.contains(word))
        || script.split(['\n', ';']).any(loops_over_arguments)
}

/// A script without the programs for `awk` between single quotes: `awk '{print $1}'` reads a field of its own.
fn without_awk(script: &str) -> String {
    let mut kept = String::new();
    let mut rest = script;
    while let Some((before, after)) = rest.split_once("awk ") {
        let options = after.split(['\'', '\n', ';', '|', '&', '"']).next().unwrap_or_default();
        kept.push_str(before);
        kept.push_str(options);
        let literal =
            after[options.len()..].strip_prefix('\'').and_then(|rest| rest.split_once('\''));
        rest = literal.map_or(&after[options.len()..], |(_, rest)| rest);
    }
    kept + rest
}

/// Whether a statement is a loop over the arguments: `for name; do`
fn loops_over_arguments(statement: &str) -> bool {
    let rest = statement.trim_start().strip_prefix("for ");
    rest.is_some_and(|rest| !rest.split_whitespace().any(|word| word == "in"))
}

fn whole(element: usize, text: &str) -> ElementSpan {
    ElementSpan { element, span: Span::new(0, text.len()) }
}

#[cfg(test)]
mod tests {
    use super::reads_arguments;

    #[test]
    fn a_field_of_awk_is_no_argument() {
        for (script, reads) in [
            ("kubectl get pods | awk '{print $1}'", false),
            ("echo \"it's $1\"", true),
            ("echo \\'$1\\'", true),
            ("# don't run twice\nmigrate \"$1\"", true),
            ("trap 'cleanup \"$1\"' EXIT", true),
            ("gawk -F, -v a=\"$1\" '{print $2}'", true),
            ("gawk -F, '{print $2}' \"$1\"", true),
            ("echo '$1' \"$2\"", true),
            ("migrate \"$@\"", true),
            ("awk '{print $1}' | while read a; do echo $a; done", false),
        ] {
            assert_eq!(reads_arguments(script), reads, "{script}");
        }
    }
}
