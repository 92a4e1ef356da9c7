//! One self-contained page: no network, light and dark colour schemes, wide and narrow screens.

use std::fmt::Write;

use job_lifecycle::{Event, Outcome};
use yaml_spans::Location;

use super::{
    about,
    notes::{Note, Notes, events, heads, place},
};
use crate::{
    forecast::{Block, Cell, Column, Outlook},
    report::text::visible,
    words::count,
};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Lines of source shown around a label.
const CONTEXT: usize = 2;
/// Maximum characters of a line of source.
const MAX_WIDTH: usize = 400;

pub(crate) fn print(outlook: &Outlook) -> String {
    let mut out = String::from(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>joblint forecast</title>\n",
    );
    let _ = write!(
        out,
        "<style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n<h1>What happens on the next deploy</h1>\n"
    );
    let _ =
        writeln!(out, "<p>{} forecast by joblint.</p>", count(outlook.blocks.len(), "workload"));
    filter(&mut out, outlook);
    out.push_str("</header>\n<main>\n");
    for (index, block) in outlook.blocks.iter().enumerate() {
        section(&mut out, block, index);
    }
    out.push_str("<p id=\"none\" hidden>No workload has such an outcome.</p>\n</main>\n");
    let _ = write!(out, "<script>\n{SCRIPT}</script>\n</body>\n</html>\n");
    out
}

/// A checkbox for each outcome that occurs.
fn filter(out: &mut String, outlook: &Outlook) {
    let cells = || {
        let columns = outlook.blocks.iter().flat_map(|block| &block.columns);
        columns.flat_map(|column| &column.events).map(|(_, cell)| cell)
    };
    out.push_str("<fieldset id=\"filter\">\n<legend>Show only</legend>\n");
    for outcome in Outcome::ALL {
        let number = cells().filter(|cell| cell.outcome == outcome).count();
        if number > 0 {
            let (name, about) = (outcome.name(), outcome.about());
            let _ = writeln!(
                out,
                "<label title=\"{about}\"><input type=\"checkbox\" value=\"{name}\"> {name} <small>{number}</small></label>"
            );
        }
    }
    out.push_str("</fieldset>\n");
}

fn section(out: &mut String, block: &Block, index: usize) {
    let notes = Notes::of(block);
    let at = block.place();
    let _ = writeln!(
        out,
        "<section>\n<h2>{} {} <small>{}</small></h2>\n<div class=\"scroll\">\n<table>\n<thead><tr><th></th>",
        escaped(&block.name.kind),
        escaped(&block.title),
        escaped(&at)
    );
    for (head, column) in heads(&block.columns).iter().zip(&block.columns) {
        let _ = writeln!(out, "<th scope=\"col\">{head}{}</th>", options(column));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for event in events(block) {
        let (name, about) = (event.name(), about(event));
        let _ = writeln!(out, "<tr><th scope=\"row\">{name} <small>{about}</small></th>");
        for (head, column) in heads(&block.columns).iter().zip(&block.columns) {
            cell(out, column.at(event), event, &notes, index, head);
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table>\n</div>\n");
    if !notes.all.is_empty() {
        out.push_str("<ol>\n");
        let mut shown = Vec::new();
        for (number, note) in notes.all.iter().enumerate() {
            footnote(out, note, (index, number + 1), &mut shown);
        }
        out.push_str("</ol>\n");
    }
    out.push_str("</section>\n");
}

fn options(column: &Column) -> String {
    let mut all: Vec<_> =
        column.deployer.options().iter().map(|(name, value)| format!("{name}={value}")).collect();
    if column.deployer.assumed {
        all.push("assumed".to_owned());
    }
    let line = |text: String| format!("<small>{}</small>", escaped(&text));
    all.into_iter().map(line).collect()
}

fn cell(
    out: &mut String,
    cell: Option<&Cell>,
    event: Event,
    notes: &Notes<'_>,
    index: usize,
    head: &str,
) {
    let Some(cell) = cell else {
        let _ = writeln!(out, "<td class=\"none\" data-head=\"{head}\">–</td>");
        return;
    };
    let name = cell.outcome.name();
    let class = match cell.outcome {
        _ if cell.outcome.is_bad(event) => "bad",
        outcome if outcome.starts() => "runs",
        _ => "quiet",
    };
    let mark = notes.number_at(cell, event).map(|number| {
        format!(" <a href=\"#n{index}-{number}\" aria-label=\"footnote {number}\">{number}</a>")
    });
    let title = if cell.reason.is_empty() { cell.outcome.about() } else { &cell.reason };
    let _ = writeln!(
        out,
        "<td class=\"{class}\" data-outcome=\"{name}\" data-head=\"{head}\" title=\"{}\">{name}{}</td>",
        escaped(title),
        mark.unwrap_or_default()
    );
}

/// A footnote. Source that an earlier footnote shows is not repeated.
fn footnote<'a>(
    out: &mut String,
    note: &Note<'a>,
    (index, number): (usize, usize),
    shown: &mut Vec<&'a Location>,
) {
    let _ = writeln!(out, "<li id=\"n{index}-{number}\"><p>{}</p>", words(&note.reason));
    for (at, text) in note.labels {
        let (place, text) = (escaped(&place(at)), words(text));
        let _ = write!(out, "<figure><figcaption><code>{place}</code> {text}</figcaption>");
        if !shown.iter().any(|other| other.sort_key() == at.sort_key()) {
            let _ = write!(out, "<pre><code>{}</code></pre>", excerpt(at));
            shown.push(at);
        }
        out.push_str("</figure>\n");
    }
    out.push_str("</li>\n");
}

/// The lines around a location, with the location highlighted.
fn excerpt(at: &Location) -> String {
    let (start, end) = (at.start(), at.end());
    let last = end.line.min(start.line + 8);
    let from = start.line.saturating_sub(CONTEXT).max(1);
    let to = (last + CONTEXT).min(at.source.line_count());
    let mut out = String::new();
    for line in from..=to {
        let text: Vec<char> = at.source.line_text(line).chars().take(MAX_WIDTH).collect();
        let part = |from: usize, to: usize| -> String {
            let part: String = text
                .get(from.min(text.len())..to.min(text.len()))
                .unwrap_or_default()
                .iter()
                .collect();
            escaped(&part)
        };
        let indent = text.iter().take_while(|c| c.is_whitespace()).count();
        let begin = if line == start.line { start.column - 1 } else { indent };
        let stop = if line == end.line { end.column - 1 } else { text.len() };
        let marked = (start.line..=last).contains(&line) && begin < stop;
        let _ = match marked {
            true => writeln!(
                out,
                "<i>{line:>4}</i> {}<mark>{}</mark>{}",
                part(0, begin),
                part(begin, stop),
                part(stop, text.len())
            ),
            false => writeln!(out, "<i>{line:>4}</i> {}", part(0, text.len())),
        };
    }
    out
}

/// Escaped text; text between backticks becomes code.
fn words(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let part = |(index, part): (usize, &str)| match index % 2 {
        0 => escaped(part),
        _ => format!("<code>{}</code>", escaped(part)),
    };
    parts.map(part).collect()
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push(' '),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.extend(visible(c)),
        }
    }
    out
}
