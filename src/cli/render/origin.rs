//! The source of each rendered line, as comments or as JSON.

use std::{fmt::Write, ops::Range};

use go_template::provenance::{InputSet, Span};
use helm_render::{Printed, Rendered};
use serde::Serialize;
use yaml_spans::{Location, Source};

/// The manifests, with the source position and the inputs as a comment on each line.
pub(super) fn human(rendered: &Rendered, printed: &Printed) -> String {
    let mut text = String::new();
    for range in lines(&printed.text) {
        let line = printed.text[range.clone()].trim_end_matches('\n');
        let spans = spans(rendered, printed, range.start..range.start + line.len());
        text.push_str(line);
        if let Some((_, span)) = spans.iter().find(|(_, span)| !span.range.is_empty())
            && !line.trim().is_empty()
        {
            text.push_str("  # ");
            text.push_str(&position(&rendered.locate(span.chain[0])));
            for input in inputs(rendered, spans.iter().map(|(_, span)| span)) {
                write!(text, " {input}").expect("writing to a String");
            }
        }
        text.push('\n');
    }
    text
}

/// A range of a rendered line with its source. Lines and columns count from 1.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Origin {
    line: usize,
    column: usize,
    end_column: usize,
    path: String,
    source_line: usize,
    source_column: usize,
    inputs: Vec<String>,
}

/// A JSON list of ranges; no range spans more than one line.
pub(super) fn json(rendered: &Rendered, printed: &Printed) -> String {
    let source = Source::read_only("", printed.text.clone());
    let mut origins = Vec::new();
    for (number, range) in lines(&printed.text).enumerate() {
        for (start, span) in spans(rendered, printed, range.clone()) {
            if span.range.is_empty() {
                continue;
            }
            let end = (start + span.range.len()).min(range.end);
            let at = rendered.locate(span.chain[0]);
            let position = at.start();
            origins.push(Origin {
                line: number + 1,
                column: source.position(start as u32).column,
                end_column: source.position(end as u32).column,
                path: at.source.path.clone(),
                source_line: position.line,
                source_column: position.column,
                inputs: inputs(rendered, [&span]),
            });
        }
    }
    let text = serde_json::to_string_pretty(&origins).expect("texts and numbers become JSON");
    text + "\n"
}

fn lines(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let range = start..start + line.len();
        start = range.end;
        range
    })
}

/// The template spans that produced a range of the text, each with its start offset in the text.
fn spans(rendered: &Rendered, printed: &Printed, range: Range<usize>) -> Vec<(usize, Span)> {
    let first = printed.parts.partition_point(|part| part.range.end <= range.start);
    let mut spans = Vec::new();
    for part in &printed.parts[first..] {
        let (start, end) = (part.range.start.max(range.start), part.range.end.min(range.end));
        if start >= end {
            break;
        }
        let from = part.offset + (start - part.range.start);
        let document = &rendered.documents[part.document];
        let base = document.range.start + from;
        for span in rendered.trace(document, from..from + (end - start)) {
            spans.push((start + span.range.start.saturating_sub(base), span));
        }
    }
    spans
}

/// The distinct inputs of the spans: those that appear in the text and those that control it.
fn inputs<'s>(rendered: &Rendered, spans: impl IntoIterator<Item = &'s Span>) -> Vec<String> {
    let inputs = &rendered.provenance.inputs;
    let mut names: Vec<String> = Vec::new();
    let mut add = |set: InputSet| {
        for input in inputs.members(set) {
            let name = inputs.path(input);
            if !names.contains(&name) {
                names.push(name);
            }
        }
    };
    for span in spans {
        add(span.data);
        add(span.control);
    }
    names
}

/// `path:line:column`.
fn position(location: &Location) -> String {
    let start = location.start();
    format!("{}:{}:{}", location.source.path, start.line, start.column)
}
