//! Which commands in the background the script waits for. The others end with the container.

use crate::{
    ast::{Command, CommandKind, Statement},
    shell::Shell,
};

/// What may precede a command on its line.
const STARTS: [&str; 10] = [";", "&", "|", "(", "{", "then", "do", "else", "!", "`"];

impl<'t> Shell<'t> {
    /// Whether the script waits for a background command that is followed by `rest`: with a bare `wait`, or with one for
    /// its process.
    pub(crate) fn waits_for(&self, statement: &Statement, rest: &[Statement]) -> bool {
        let own = rest.first().and_then(|next| self.keeps_process(next));
        let end = statement.span.range().end;
        waits(&self.source.value, end).any(|(at, operands)| {
            let is_later = |one: &Statement| one.background && one.span.range().start < at;
            match operands {
                "" => true,
                _ if operands.contains("$!") => !rest.iter().any(is_later),
                _ => match variable(operands) {
                    Some(name) => own == Some(name) || !self.is_process(name),
                    None => true,
                },
            }
        })
    }

    /// The variable in which a statement keeps the process of the command before it: `pid=$!`.
    fn keeps_process(&self, statement: &Statement) -> Option<&'t str> {
        let [Command { kind: CommandKind::Simple(simple), .. }] =
            statement.first.commands.as_slice()
        else {
            return None;
        };
        let mut kept = simple.assignments.iter();
        let kept = kept.find(|one| self.written(one.span).contains("$!"));
        kept.map(|one| self.written(one.name))
    }

    /// Whether the variable holds the process of some command, and nothing else.
    fn is_process(&self, name: &str) -> bool {
        let assigned: Vec<_> = ["=", "+="].iter().map(|by| format!("{name}{by}")).collect();
        let mut values = assigned.iter().flat_map(|start| {
            let text = self.source.value.as_str();
            text.match_indices(start.as_str()).map(move |(at, _)| &text[at + start.len()..])
        });
        values.next().is_some_and(|first| {
            let is_process = |value: &str| value.trim_start_matches('"').starts_with("$!");
            is_process(first) && values.all(is_process)
        })
    }
}

/// The `wait`s of a script after an offset, with their operands.
fn waits(text: &str, from: usize) -> impl Iterator<Item = (usize, &str)> {
    text[from..].match_indices("wait").filter_map(move |(at, wait)| {
        let (before, after) = (&text[..from + at], &text[from + at + wait.len()..]);
        let line = before.rsplit('\n').next().unwrap_or_default().trim_start();
        let is_command = line.is_empty() || {
            let ends = STARTS.iter().any(|start| line.trim_end().ends_with(start));
            ends && line.ends_with([' ', ';', '&', '|', '(', '`'])
        };
        let is_whole = after.starts_with([' ', ';', '\n', ')', '|', '&', '`']) || after.is_empty();
        let operands = after.split([';', '\n', ')', '|', '&', '#', '`']).next()?.trim();
        (is_command && is_whole).then_some((from + at, operands))
    })
}

/// The variable that is the only operand.
fn variable(operands: &str) -> Option<&str> {
    let name = operands.trim_matches('"').strip_prefix('$')?;
    let name = name.strip_prefix('{').and_then(|name| name.strip_suffix('}')).unwrap_or(name);
    name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_').then_some(name)
}
