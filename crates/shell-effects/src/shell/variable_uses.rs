//! Where a script uses its variables, found in one pass over its text.

use std::collections::{HashMap, HashSet};

/// Text that makes a line a test of its variables.
const TESTS: [&str; 6] = ["[ ", "[[", "test ", "case ", "grep", "jq -e"];

/// Uses of variables by name.
#[derive(Debug, Default)]
pub(crate) struct VariableUses<'t> {
    /// The offset of the last use.
    last: HashMap<&'t str, usize>,
    tested: HashSet<&'t str>,
    /// The variables on which an exit status or an arithmetic test may depend.
    decides: HashSet<&'t str>,
    /// The words of lines that test something, with the offset of the last such line.
    words: HashMap<&'t str, usize>,
}

impl<'t> VariableUses<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let mut uses = Self::default();
        let mut start = 0;
        let mut assigned = Vec::new();
        for line in text.split_inclusive('\n') {
            let test = TESTS.iter().any(|test| line.contains(test));
            if test {
                let words = line.split(|c: char| c.is_whitespace() || NO_PATH.contains(c));
                uses.words.extend(words.map(|word| (word, start)));
            }
            let assignment = assigned_in(line);
            uses.decides.extend(deciding(line, assignment.map(|(_, name)| name)));
            for (at, _) in line.match_indices('$') {
                let name = line[at + 1..].trim_start_matches('{');
                let letters = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
                let name = &name[..name.find(letters).unwrap_or(name.len())];
                uses.last.insert(name, start + at);
                if test {
                    uses.tested.insert(name);
                }
                let target = assignment.filter(|(end, _)| *end < at);
                assigned.extend(target.map(|(_, target)| (target, name)));
            }
            start += line.len();
        }
        // `key=$(echo "$out" | jq .key)` before a test of `key` tests `out`.
        for (target, name) in assigned.into_iter().rev() {
            if uses.tested.contains(target) {
                uses.tested.insert(name);
            }
        }
        uses
    }

    /// Whether the variable is used at or after an offset.
    pub(crate) fn is_used_after(&self, name: &str, offset: usize) -> bool {
        self.last.get(name).is_some_and(|last| *last >= offset)
    }

    /// Whether a test uses the variable.
    pub(crate) fn is_tested(&self, name: &str) -> bool {
        self.tested.contains(name)
    }

    /// Whether an exit status or an arithmetic test may depend on the variable. What adds to it does not count.
    pub(crate) fn decides(&self, name: &str) -> bool {
        self.decides.contains(name)
    }

    /// Whether a test after an offset names the file.
    pub(crate) fn is_file_tested(&self, path: &str, offset: usize) -> bool {
        let names_a_file = path.len() > 1 && path != "/dev/null";
        names_a_file && self.words.get(path).is_some_and(|start| *start >= offset)
    }
}

/// What ends a path in a test.
const NO_PATH: &str = "\"'`()[];|&<>=,";

/// The variable that a line assigns, and where its name ends: `key=$(…`.
fn assigned_in(line: &str) -> Option<(usize, &str)> {
    let (name, _) = line.split_once('=')?;
    let end = name.len();
    let name = name.trim_start().rsplit(' ').next()?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (!name.is_empty() && name.chars().all(is_name)).then_some((end, name))
}

/// The words of a line that leaves the script or calculates, without the variable that the line itself changes.
fn deciding<'t>(line: &'t str, assigned: Option<&'t str>) -> impl Iterator<Item = &'t str> {
    let decides =
        ["exit ", "return ", "((", "let ", "expr "].iter().any(|word| line.contains(word));
    let words = line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let is_changed = move |name: &str| {
        let start = name.as_ptr() as usize - line.as_ptr() as usize;
        let (before, after) = (&line[..start], &line[start + name.len()..]);
        Some(name) == assigned || before.ends_with("++") || after.starts_with(['+', '='])
    };
    words.filter(move |name| decides && !name.is_empty() && !is_changed(name))
}
