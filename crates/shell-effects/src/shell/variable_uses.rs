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
}

impl<'t> VariableUses<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let mut uses = Self::default();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let test = line.contains('$') && TESTS.iter().any(|test| line.contains(test));
            for (at, _) in line.match_indices('$') {
                let name = line[at + 1..].trim_start_matches('{');
                let letters = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
                let name = &name[..name.find(letters).unwrap_or(name.len())];
                uses.last.insert(name, start + at);
                if test {
                    uses.tested.insert(name);
                }
            }
            start += line.len();
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
}
