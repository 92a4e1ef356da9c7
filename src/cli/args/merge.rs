//! The flags of `joblint merge`.

use std::path::PathBuf;

use super::{Output, Printed, check::output};
use crate::{finding::Severity, report::Color};

/// The arguments of `joblint merge`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct MergeArgs {
    /// The results: what `joblint check --shard` wrote as `json` or `sarif`, of all shards
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Exit with 1 on findings of this severity or higher [default: that of the shards]
    #[arg(long, value_name = "SEVERITY")]
    pub(crate) fail_on: Option<Severity>,
    /// Exit with 0 even if findings are left; incomplete checks still exit with 2
    #[arg(long)]
    pub(crate) exit_zero: bool,

    /// The output format, optionally with a file to write to; repeatable [default: full]
    #[arg(long, value_name = "FORMAT[=PATH]", value_parser = output(), hide_possible_values = true, help_heading = "Output")]
    pub(crate) output: Vec<Output>,
    /// Count findings by rule instead of printing them
    #[arg(long, help_heading = "Output")]
    pub(crate) statistics: bool,
    /// When to use colours and links
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    pub(crate) color: Color,
    /// Print findings only
    #[arg(long, short, help_heading = "Output")]
    pub(crate) quiet: bool,
}

impl MergeArgs {
    /// How a check prints the same.
    pub(crate) fn printed(&self) -> Printed<'_> {
        Printed {
            paths: &self.files,
            output: &self.output,
            statistics: self.statistics,
            color: self.color,
            quiet: self.quiet,
            exit_zero: self.exit_zero,
            to_standard_error: false,
        }
    }
}
