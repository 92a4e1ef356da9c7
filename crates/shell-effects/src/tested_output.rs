//! Files that a command writes and that the script looks for right behind it:
//! `fetch … /tmp/in/ || true; if [ -s /tmp/in/data ]; then …`.

use crate::{
    ast::{Command, CommandKind, Statement},
    shell::Shell,
};

/// Operators of `test` that look for a file.
const FILE_TESTS: [&str; 4] = ["-d", "-e", "-f", "-s"];

impl Shell<'_> {
    /// Whether the next statement tests whether a file is there that the statement names, or one in a folder that it
    /// names.
    pub(crate) fn output_is_looked_for(&self, statement: &Statement, next: &Statement) -> bool {
        let [.., Command { kind: CommandKind::Simple(simple), .. }] =
            statement.first.commands.as_slice()
        else {
            return false;
        };
        let tested = self.tested_paths(next);
        let mut named = simple.words.iter().skip(1).map(|word| plain(self.written(word.span)));
        named.any(|name| {
            let is_inside = |path: &&str| {
                path.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            name.contains('/') && name.len() > 1 && tested.iter().any(is_inside)
        })
    }

    /// The paths of which a statement first asks whether they are there.
    fn tested_paths(&self, statement: &Statement) -> Vec<&str> {
        let text = match statement.first.commands.as_slice() {
            [Command { kind: CommandKind::If(clause), .. }] => {
                clause.branches.first().map_or("", |(condition, _)| self.written(condition.span()))
            }
            [Command { kind: CommandKind::Simple(_) | CommandKind::Test(_), .. }] => {
                self.written(statement.first.span)
            }
            _ => "",
        };
        let words: Vec<_> = text.split_whitespace().collect();
        let tests = words.windows(2).filter(|pair| FILE_TESTS.contains(&pair[0]));
        let is_test = text.starts_with(['[', '!']) || text.starts_with("test ");
        tests.filter(|_| is_test).map(|pair| plain(pair[1])).collect()
    }
}

/// A path without quotes and the slash at its end.
fn plain(word: &str) -> &str {
    word.trim_matches(['"', '\'']).trim_end_matches('/')
}
