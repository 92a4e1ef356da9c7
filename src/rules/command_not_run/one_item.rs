//! Several words in one item of a command that no shell takes apart.

use shell_effects::is_shell;

use super::whole;
use crate::{command::Command, finding::Finding, words::one_line, workload::Subject};

/// Programs that take the file of a program as their first operand, with the ending of such files.
const INTERPRETERS: [(&str, &str); 7] = [
    ("node", ".js"),
    ("perl", ".pl"),
    ("php", ".php"),
    ("python", ".py"),
    ("python2", ".py"),
    ("python3", ".py"),
    ("ruby", ".rb"),
];

/// The finding about an item that is the name of a program or of its file, and holds their arguments as well.
pub(super) fn check(job: &Subject<'_>, command: &Command<'_>) -> Option<Finding> {
    command.container.get("command")?;
    let words: Vec<_> = command.scripts(false).take(2).collect();
    if words.iter().any(|(index, _)| command.is_made_up(*index)) {
        return None;
    }
    let (first, program) = *words.first()?;
    let (index, text, what) = match words.get(1) {
        _ if names_program(program) => (first, program, "program"),
        Some((index, text)) if names_file(program, text) => (*index, *text, "file"),
        _ => return None,
    };
    let word = one_line(text.trim());
    let message =
        format!("{} fails at every start: there is no {what} called `{word}`", job.title());
    let finding = command.finding(whole(index, text), format!("the name of one {what}"));
    Some(finding.message(message).help("Make each word an item of its own"))
}

/// Whether an item is a program with arguments, and not the path of one in a folder with a blank: `rails db:migrate`,
/// `/bin/sh -c`.
fn names_program(item: &str) -> bool {
    let mut words = item.split_whitespace();
    let (Some(program), Some(next)) = (words.next(), words.next()) else { return false };
    let name = program.rsplit('/').next().unwrap_or(program);
    !item.contains(['\\', '$', '\n'])
        && (!item.contains('/') || is_shell(name) || next.starts_with('-'))
}

/// Whether an item behind an interpreter is a file with arguments: `manage.py migrate`.
fn names_file(program: &str, item: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or(program);
    let ending = INTERPRETERS.iter().find(|(own, _)| *own == name).map(|(_, ending)| *ending);
    let mut words = item.split_whitespace();
    let file = words.next().unwrap_or_default();
    ending.is_some_and(|ending| file.ends_with(ending)) && words.next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_that_names_a_program_has_no_folder_with_a_blank() {
        for item in ["rails db:migrate", "/bin/sh -c", "./run.sh --all", "bash -c /app/run"] {
            assert!(names_program(item), "{item}");
        }
        for item in ["rails", "/opt/My App/run", r"C:\Program Files\app.exe", "$APP run", ""] {
            assert!(!names_program(item), "{item}");
        }
        assert!(names_file("python", "manage.py migrate") && !names_file("python", "manage.py"));
        assert!(!names_file("app", "manage.py migrate") && !names_file("python3", "-m app run"));
    }
}
