//! Folded blocks (`>`), which join their lines: what follows a comment, the `#!` line, or a command that nothing ends, is a part of
//! it.

use shell_effects::{self as script, ElementSpan, ShellOperand, is_shell, shell_operand};
use yaml_spans::{Node, Span, Style};

use super::only_speaks;
use crate::{command::Command, finding::Finding, words::one_line, workload::Subject};

/// The finding about a comment that takes up commands behind it, or a `#!` line that does.
pub(super) fn check(job: &Subject<'_>, command: &Command<'_>) -> Option<Finding> {
    of_interpreter(job, command)
        .or_else(|| of_block(job, command, swallowed, "it is a part of a comment"))
        .or_else(|| of_block(job, command, taken, "it is an argument of the line before"))
}

fn of_interpreter(job: &Subject<'_>, command: &Command<'_>) -> Option<Finding> {
    let (element, text) = command.scripts(true).find(|(_, text)| joined_shebang(text).is_some())?;
    let lost = joined_shebang(text)?;
    let start = lost.as_ptr() as usize - text.as_ptr() as usize;
    let span = script::ast::Span::new(start, start + lost.len());
    let message =
        format!("{} never runs `{}`: it is a part of its `#!` line", job.title(), one_line(lost));
    let label = "joined to the `#!` line, as in a folded block (`>`)";
    let finding = command.finding(ElementSpan { element, span }, label).message(message);
    Some(finding.help("Write the script as a literal block (`|`)"))
}

/// What follows the interpreter in the first line of a script, if that is no option of a shell: such a script is not run as it
/// was meant, whatever starts it.
pub(in crate::rules) fn joined_shebang(script: &str) -> Option<&str> {
    let line = script.strip_prefix("#!")?.lines().next()?.trim();
    let (interpreter, rest) = line.split_once(' ')?;
    let rest = rest.trim_start();
    let name = interpreter.rsplit('/').next()?;
    (is_shell(name) && !rest.is_empty() && !rest.starts_with('-')).then_some(rest)
}

/// Finds a line of a block that takes up another one, and that.
type Joins = fn(&str) -> Option<(&str, &str)>;

fn of_block(
    job: &Subject<'_>,
    command: &Command<'_>,
    joins: Joins,
    because: &str,
) -> Option<Finding> {
    let words: Vec<_> = command.scripts(false).collect();
    let argv: Vec<_> = words.iter().map(|(_, word)| *word).collect();
    let ShellOperand::Script(at) = shell_operand(&argv)? else { return None };
    let is_broken = command.analysis.errors.iter().any(|(place, _)| place.element == words[at].0);
    if is_broken || command.is_made_up(words[at].0) {
        return None;
    }
    let lists = ["command", "args"].into_iter().filter_map(|key| command.container.get(key));
    let mut items = lists.flat_map(Node::items);
    let script = items
        .find(|item| matches!(item.style, Style::Folded) && item.as_str() == Some(argv[at]))?;
    let (start, end) = (script.span.start as usize, script.span.end as usize);
    let text = job.source.text.get(start..end)?;
    let (line, lost) = joins(text)?;
    let offset = start + (line.as_ptr() as usize - text.as_ptr() as usize);
    let span =
        Span { start: u32::try_from(offset).ok()?, end: u32::try_from(offset + line.len()).ok()? };
    let message = format!("{} never runs `{lost}`: {because}", job.title());
    let finding = Finding::new(span, "the block is folded (`>`): the next line is joined to this")
        .message(message)
        .help("Write the script as a literal block (`|`)");
    Some(if only_speaks(lost) { finding.pedantic() } else { finding })
}

/// The lines of a folded block, `None` for those that are not joined to their neighbours: blank ones, and those that are
/// indented further.
fn joined_lines(block: &str) -> Vec<Option<&str>> {
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let lines = || block.lines().skip(1);
    let own = lines().find(|line| !line.trim().is_empty()).map(indent);
    let is_joined = |line: &&str| !line.trim().is_empty() && Some(indent(line)) == own;
    lines().map(|line| Some(line).filter(is_joined).map(str::trim)).collect()
}

/// The first comment of a folded block whose next line is joined to it, and that line.
fn swallowed(block: &str) -> Option<(&str, &str)> {
    let lines = joined_lines(block);
    let first = lines.iter().position(|line| line.is_some_and(|line| line.starts_with('#')))?;
    let behind = lines[first + 1..].iter().map_while(|line| *line);
    let lost = behind.into_iter().find(|line| !line.starts_with('#'))?;
    Some((lines[first]?, lost))
}

/// Builtins that take whatever follows for their arguments, and do nothing with a command.
const TAKES: [&str; 3] = ["cd", "export", "set"];

/// What joins a line to the next one by intent, or ends it.
const JOINTS: [&str; 6] = ["&", "(", ";", "\\", "{", "|"];

/// The first line of a folded block that takes up the next one, though it is a whole command: `set -e`.
fn taken(block: &str) -> Option<(&str, &str)> {
    let lines = joined_lines(block);
    let is_command = |line: &str| {
        let word = line.split_whitespace().next().unwrap_or_default();
        line.starts_with(|c: char| c.is_ascii_alphabetic()) && !word.contains('=')
    };
    lines.windows(2).find_map(|pair| {
        let (line, next) = (pair[0]?, pair[1]?);
        let takes = TAKES.contains(&line.split_whitespace().next()?);
        let is_whole = !JOINTS.iter().any(|joint| line.contains(joint)) && is_balanced(line);
        (takes && is_whole && is_command(next)).then_some((line, next))
    })
}

fn is_balanced(line: &str) -> bool {
    ['"', '\'', '`'].iter().all(|quote| line.matches(*quote).count() % 2 == 0)
}

#[cfg(test)]
mod tests {
    use super::{joined_shebang, swallowed, taken};

    #[test]
    fn a_whole_command_takes_up_the_next_line() {
        let lost = |block| taken(block).map(|(_, lost)| lost);
        assert_eq!(lost(">\n  set -e\n  pg_dump shop\n"), Some("pg_dump shop"));
        assert_eq!(lost(">\n  cd /app\n  python migrate.py\n"), Some("python migrate.py"));
        for block in [
            ">\n  set -e;\n  pg_dump shop\n",
            ">\n  cd /app &&\n  python migrate.py\n",
            ">\n  set -e\n\n  pg_dump shop\n",
            ">\n  export A=b\n  C=d\n",
            ">\n  pg_dump\n  shop\n",
        ] {
            assert_eq!(lost(block), None, "{block}");
        }
    }

    #[test]
    fn a_line_with_an_interpreter_takes_up_the_next_one() {
        assert_eq!(joined_shebang("#!/bin/bash export A=b\ndate"), Some("export A=b"));
        for script in [
            "#!/bin/bash\ndate",
            "#!/bin/sh -e\n",
            "#!/usr/bin/env bash\n",
            "# /bin/sh date",
            "date",
        ] {
            assert_eq!(joined_shebang(script), None, "{script}");
        }
    }

    #[test]
    fn a_comment_takes_up_the_lines_that_are_joined_to_it() {
        let lost = |block| swallowed(block).map(|(_, lost)| lost);
        assert_eq!(lost(">\n  mc mb a;\n  # public\n  # too\n  mc set a;\n"), Some("mc set a;"));
        for block in [
            ">\n  mc mb a;\n  # the end\n",
            ">\n  mc mb a;\n  # one\n\n  mc set a;\n",
            ">\n  mc mb a;\n    # one\n    mc set a;\n",
            ">\n  mc mb a#b;\n  mc set a;\n",
        ] {
            assert_eq!(lost(block), None, "{block}");
        }
    }
}
