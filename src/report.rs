//! Prints findings for people and machines: one module per format.

mod concise;
mod deployers;
mod diff;
mod excerpt;
mod forecast;
mod full;
mod github;
mod gitlab;
mod json;
mod junit;
mod markdown;
mod redacted;
mod sarif;
mod style;
mod summary;
mod text;
mod upgrade;

pub use forecast::{ForecastFormat, print as print_forecast};
pub(crate) use forecast::{block_markdown as forecast_markdown, word as forecast_word};
pub use redacted::RedactedReport;
pub use style::{Color, Style};
pub(crate) use summary::skipped;
pub use summary::summary;
pub(crate) use text::{one_line, safe, titled};

use crate::finding::Severity;

/// An output format of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Format {
    /// The lines each finding is about, with labels, help and fixes.
    Full,
    /// One line per finding: `path:line:col: severity[rule] message`.
    Concise,
    /// Everything, for scripts and editors.
    Json,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// Workflow commands of GitHub Actions.
    Github,
    /// GitLab's Code Quality report.
    Gitlab,
    /// JUnit XML.
    Junit,
    /// A comment for a pull request.
    Markdown,
}

/// What formats need besides the findings.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The look of text for people.
    pub style: Style,
    /// The exit code of the run.
    pub exit_code: u8,
    /// The lowest severity that fails the run.
    pub fail_on: Severity,
}

impl Default for Options {
    fn default() -> Self {
        Self { style: Style::default(), exit_code: 0, fail_on: Severity::Warning }
    }
}

/// The report as text. It ends with a line break unless it is empty. No line of it is a workflow command, except
/// those of [`Format::Github`].
pub fn print(report: &RedactedReport, format: Format, options: &Options) -> String {
    use text::{MARKUP, PLAIN, without_commands};
    match format {
        Format::Full => without_commands(full::print(report, &options.style), PLAIN),
        Format::Concise => without_commands(concise::print(report), PLAIN),
        Format::Json => text::json(json::print(report)),
        Format::Sarif => text::json(sarif::print(report, options)),
        Format::Github => github::print(report),
        Format::Gitlab => text::json(gitlab::print(report)),
        Format::Junit => without_commands(junit::print(report, options), MARKUP),
        Format::Markdown => without_commands(markdown::print(report), PLAIN),
    }
}

/// The number of findings of each rule: as JSON in the JSON format, as a table in every other.
pub fn statistics(report: &RedactedReport, format: Format, style: &Style) -> String {
    match format {
        Format::Json => text::json(json::statistics(report)),
        _ => summary::statistics(report, style),
    }
}
