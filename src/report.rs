//! Findings printed for people and machines: one file per format.

mod concise;

use crate::check::Report;

/// A way to print a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Format {
    /// One line per finding: `path:line:col: severity[rule] message`.
    Concise,
}

/// The report as text, ending in a line break unless empty.
pub fn print(report: &Report, format: Format) -> String {
    match format {
        Format::Concise => concise::print(report),
    }
}
