//! Prints forecasts for people and machines: one module per format.

mod html;
mod json;
mod markdown;
mod notes;
mod table;

use job_lifecycle::Event;

use super::text;
use crate::{
    forecast::{Block, Outlook},
    report::Style,
};

pub(super) use notes::mark;
pub(crate) use notes::word;

/// An output format of forecasts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ForecastFormat {
    /// One block per workload: deployers as columns, events as rows.
    #[default]
    Table,
    /// Everything, for scripts.
    Json,
    /// For a README or a pull request.
    Markdown,
    /// One self-contained page.
    Html,
}

/// The forecasts as text.
pub fn print(outlook: &Outlook, format: ForecastFormat, style: &Style) -> String {
    use text::{MARKUP, PLAIN, without_commands};
    match format {
        ForecastFormat::Table => without_commands(table::print(outlook, style), PLAIN),
        ForecastFormat::Json => text::json(json::print(outlook)),
        ForecastFormat::Markdown => without_commands(markdown::print(outlook), PLAIN),
        ForecastFormat::Html => without_commands(html::print(outlook), MARKUP),
    }
}

/// The forecast of one workload as Markdown.
pub(crate) fn block_markdown(block: &Block) -> String {
    text::without_commands(markdown::block_text(block), text::PLAIN)
}

/// An event in words.
fn about(event: Event) -> &'static str {
    match event {
        Event::Install => "the first deploy",
        Event::Redeploy => "the same sources again",
        Event::Upgrade => "a new version",
        Event::Forced => "a new version, with force",
        Event::WhileRunning => "a new version while the last run is active",
        Event::AfterFailure => "a new version after the last run failed",
        Event::AfterTtl => "the TTL has removed the Job",
        Event::SelfHeal => "the drift of another object is corrected",
        Event::Rollback => "back to the version before",
        Event::Removed => "the manifest is taken out",
        Event::Uninstall => "everything is deleted",
    }
}
