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
pub use redacted::RedactedReport;
pub use style::{Color, Style};
pub use summary::{statistics, summary};

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
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// The look of text for people.
    pub style: Style,
    /// The exit code of the run.
    pub exit_code: u8,
}

/// The report as text. It ends with a line break unless it is empty.
pub fn print(report: &RedactedReport, format: Format, options: &Options) -> String {
    match format {
        Format::Full => full::print(report, &options.style),
        Format::Concise => concise::print(report),
        Format::Json => json::print(report),
        Format::Sarif => sarif::print(report, options),
        Format::Github => github::print(report),
        Format::Gitlab => gitlab::print(report),
        Format::Junit => junit::print(report),
        Format::Markdown => markdown::print(report),
    }
}
