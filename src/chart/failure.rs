//! A chart that cannot be loaded or rendered as a problem: where, why, and whose fault it is.

use std::{path::Path, sync::Arc};

use helm_render::{Error, Reason};
use yaml_spans::{Location, Source, Span};

use super::{limits, unrendered};
use crate::unit::{Failure, Loaded, Problem};

/// A result that holds only a failure of the whole chart.
pub(super) fn failed(path: &Path, shown: &str, error: &Error) -> Loaded {
    let here = || {
        let is_folder = path.is_dir() && !shown.ends_with("Chart.yaml");
        let file = if is_folder { format!("{shown}/Chart.yaml") } else { shown.to_owned() };
        let source = Arc::new(Source::read_only(file.trim_start_matches('/'), String::new()));
        Location { source, span: Span::default() }
    };
    let Location { source, span } = error.at.clone().unwrap_or_else(here);
    let failure = match error.reason {
        Reason::Chart => Failure::Unreadable,
        Reason::Limit(_) => Failure::TooLarge,
        _ if lacks_values(error) => Failure::LacksValues,
        _ => Failure::Unrenderable,
    };
    let reason = match error.reason {
        Reason::Limit(limit) => limits::not_rendered(limit),
        _ if error.is_too_deep() => limits::TOO_DEEP.to_owned(),
        _ => unrendered::core(error),
    };
    let span = first_line(&source, span);
    // What a limit cut off is unknown.
    let misses_work = matches!(error.reason, Reason::Limit(_)) || error.is_too_deep();
    let name = path.file_name().map(|name| format!("chart `{}`", name.to_string_lossy()));
    let name = name.unwrap_or_else(|| "this chart".to_owned());
    let fails = matches!(failure, Failure::Unrenderable | Failure::LacksValues);
    let headline = fails.then(|| format!("cannot render {name}: {reason}"));
    let help = matches!(error.reason, Reason::Limit(_))
        .then(|| "Check the chart alone, or with the values that you deploy".to_owned());
    let problem = Problem {
        misses_work,
        headline,
        help,
        ..Problem::new(failure, Location { source, span }, reason)
    };
    Loaded { problems: vec![problem], ..Loaded::default() }
}

/// Returns whether a chart fails because nobody set a value that it needs. Whoever deploys it sets that.
fn lacks_values(error: &Error) -> bool {
    const OF_NIL: [&str; 3] =
        ["nil pointer evaluating", "index of untyped nil", "can't iterate over nil"];
    match error.reason {
        Reason::Required | Reason::Fail | Reason::Unset => true,
        Reason::Execution => OF_NIL.iter().any(|text| error.message.contains(text)),
        _ => false,
    }
}

/// Cuts a span at the end of its first line.
pub(super) fn first_line(source: &Source, span: Span) -> Span {
    let line = source.line_span(source.line_of(span.start));
    Span { start: span.start, end: span.end.min(line.end).max(span.start) }
}
