//! What `check`, `upgrade` and `merge` have in common: how a report is printed.

use std::path::PathBuf;

use super::{CheckArgs, Output};
use crate::report::Color;

/// How a report is printed.
pub(crate) struct Printed<'a> {
    /// The paths whose repositories no link may leave.
    pub(crate) paths: &'a [PathBuf],
    pub(crate) output: &'a [Output],
    pub(crate) statistics: bool,
    pub(crate) color: Color,
    pub(crate) quiet: bool,
    pub(crate) exit_zero: bool,
    /// Standard output belongs to a fixed text.
    pub(crate) to_standard_error: bool,
}

impl CheckArgs {
    /// How the report is printed.
    pub(crate) fn printed(&self) -> Printed<'_> {
        Printed {
            paths: &self.paths,
            output: &self.output,
            statistics: self.statistics,
            color: self.color,
            quiet: self.quiet,
            exit_zero: self.exit_zero,
            to_standard_error: self.edits()
                && self.paths.iter().any(|path| path.as_os_str() == "-"),
        }
    }
}
