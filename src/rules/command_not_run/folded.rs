//! Comments in a folded block (`>`), which joins its lines: what follows such a comment, or the `#!` line, is a part of it.

use shell_effects::{self as script, ElementSpan, ShellOperand, is_shell, shell_operand};
use yaml_spans::{Node, Span, Style};

use super::only_speaks;
use crate::{command::Command, finding::Finding, words::one_line, workload::Subject};

/// The finding about a comment that takes up commands behind it, or a `#!` line that does.
pub(super) fn check(job: &Subject<'_>, command: &Command<'_>) -> Option<Finding> {
    of_interpreter(job, command).or_else(|| of_comment(job, command))
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

fn of_comment(job: &Subject<'_>, command: &Command<'_>) -> Option<Finding> {
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
    let (comment, lost) = swallowed(text)?;
    let offset = start + (comment.as_ptr() as usize - text.as_ptr() as usize);
    let span = Span {
        start: u32::try_from(offset).ok()?,
        end: u32::try_from(offset + comment.len()).ok()?,
    };
    let message = format!("{} never runs `{lost}`: it is a part of a comment", job.title());
    let finding =
        Finding::new(span, "the block is folded (`>`): the lines behind this are in the comment")
            .message(message)
            .help("Write the script as a literal block (`|`), or remove the comment");
    Some(if only_speaks(lost) { finding.pedantic() } else { finding })
}

/// The first comment of a folded block whose next line is joined to it, and that line.
fn swallowed(block: &str) -> Option<(&str, &str)> {
    let lines: Vec<_> = block.lines().skip(1).collect();
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let own = lines.iter().find(|line| !line.trim().is_empty()).map(|line| indent(line))?;
    // Blank lines and those that are indented further are not joined.
    let is_joined = |line: &str| !line.trim().is_empty() && indent(line) == own;
    let first = lines.iter().position(|line| is_joined(line) && line.trim().starts_with('#'))?;
    let behind = lines[first + 1..].iter().take_while(|line| is_joined(line));
    let lost = behind.map(|line| line.trim()).find(|line| !line.starts_with('#'))?;
    Some((lines[first].trim(), lost))
}

#[cfg(test)]
mod tests {
    use super::{joined_shebang, swallowed};

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
