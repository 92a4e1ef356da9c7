//! Programs that give the object that they read another name: `kubectl get … | yq '.metadata.name = "copy"' | …`.

use super::Shell;
use crate::{
    ast::{Command, CommandKind},
    command_line::program_name,
};

/// Programs whose expressions assign fields.
const EDITORS: [&str; 2] = ["jq", "yq"];

/// The field that is the name of an object.
const NAME: &str = ".metadata.name";

impl Shell<'_> {
    /// The name that a command gives the object.
    pub(crate) fn renamed_by(&self, command: &Command) -> Option<String> {
        let CommandKind::Simple(simple) = &command.kind else { return None };
        let (first, words) = simple.words.split_first()?;
        let is_editor = EDITORS.contains(&program_name(self.written(first.span)));
        let mut words = words.iter().filter(|_| is_editor);
        words.find_map(|word| assigned_name(self.written(word.span)))
    }
}

/// The text that an expression assigns to the name.
fn assigned_name(expression: &str) -> Option<String> {
    let after = &expression[expression.find(NAME)? + NAME.len()..];
    let value = after.trim_start().trim_start_matches('|').strip_prefix('=')?.trim_start();
    let value = value.trim_start_matches('\\').strip_prefix('"')?;
    let name = value.split(['"', '\\']).next()?;
    (!name.is_empty()).then(|| name.to_owned())
}
