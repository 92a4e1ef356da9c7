//! A table for a terminal.

use job_lifecycle::Event;

use super::notes::{Notes, events, heads, mark, place, word};
use crate::{
    forecast::{Block, Column, Outlook},
    report::{
        Style,
        style::Paint,
        text::{one_line, wrap},
    },
};

const GAP: usize = 2;

pub(crate) fn print(outlook: &Outlook, style: &Style) -> String {
    let blocks: Vec<_> = outlook.blocks.iter().map(|block| block_text(block, style)).collect();
    blocks.join("\n")
}

fn block_text(block: &Block, style: &Style) -> String {
    let notes = Notes::of(block);
    let title = format!("{} {}", one_line(&block.name.kind), one_line(&block.title));
    let mut out = format!("{}  {}\n", style.paint(Paint::Strong, &title), one_line(&block.place()));
    out += &options_of_deployers(block);
    let (events, heads) = (events(block), heads(&block.columns));
    let first = events.iter().map(|event| event.name().len()).max().unwrap_or_default() + GAP;
    for band in bands(block, &events, &heads, &notes, style, first) {
        out += &" ".repeat(first + GAP);
        let last = band.len() - 1;
        for (index, (column, width)) in band.iter().enumerate() {
            let head = &heads[*column];
            out += &if index == last { head.clone() } else { format!("{head:width$}") };
        }
        out.push('\n');
        for event in &events {
            out += &row(block, *event, &band, &notes, style, first);
        }
    }
    for (index, note) in notes.all.iter().enumerate() {
        let mark = mark(index + 1, style.unicode);
        let indent = mark.chars().count() + 1;
        for (line, words) in
            wrap(&one_line(&note.reason), style.width() - indent).iter().enumerate()
        {
            let lead = if line == 0 { format!("{mark} ") } else { " ".repeat(indent) };
            out += &format!("{lead}{words}\n");
        }
        for (at, text) in note.labels {
            let place = self::place(at);
            let place = style.paint(Paint::Dim, &one_line(&place));
            out += &format!("{}{place}  {}\n", " ".repeat(indent), one_line(text));
        }
    }
    out
}

/// The deployers that have options, one per line.
fn options_of_deployers(block: &Block) -> String {
    let mut out = String::new();
    let with_options = block.columns.iter().zip(heads(&block.columns));
    for (column, head) in with_options.filter(|(column, _)| !column.deployer.options().is_empty()) {
        out += &format!("{}{head}: {}\n", " ".repeat(GAP), options(column));
    }
    out
}

fn options(column: &Column) -> String {
    let each: Vec<_> =
        column.deployer.options().iter().map(|(name, value)| format!("{name}={value}")).collect();
    each.join(", ")
}

/// Columns that fit the width of the terminal together: index and width of each.
type Band = Vec<(usize, usize)>;

fn bands(
    block: &Block,
    events: &[Event],
    heads: &[String],
    notes: &Notes<'_>,
    style: &Style,
    first: usize,
) -> Vec<Band> {
    let mut bands: Vec<Band> = Vec::new();
    let mut used = usize::MAX;
    for (index, column) in block.columns.iter().enumerate() {
        let cells = events.iter().map(|event| shown(column, *event, notes, style).chars().count());
        let width = cells.chain([heads[index].len()]).max().unwrap_or_default() + GAP;
        if used.saturating_add(width) > style.width() + GAP {
            bands.push(Vec::new());
            used = first + GAP;
        }
        used += width;
        if let Some(band) = bands.last_mut() {
            band.push((index, width));
        }
    }
    bands
}

fn row(
    block: &Block,
    event: Event,
    band: &Band,
    notes: &Notes<'_>,
    style: &Style,
    first: usize,
) -> String {
    let mut out = format!("{}{:first$}", " ".repeat(GAP), event.name());
    for (index, width) in band {
        let column = &block.columns[*index];
        let text = shown(column, event, notes, style);
        let pad = " ".repeat(width - text.chars().count());
        let bad = column.at(event).is_some_and(|cell| cell.outcome.is_bad(event));
        out += &if bad { style.paint(Paint::Error, &text) } else { text };
        out += &pad;
    }
    out.trim_end().to_owned() + "\n"
}

/// The outcome and the footnote mark of a cell.
fn shown(column: &Column, event: Event, notes: &Notes<'_>, style: &Style) -> String {
    let Some(cell) = column.at(event) else { return "-".to_owned() };
    match notes.number_at(cell, event) {
        Some(number) => format!("{} {}", word(cell, event), mark(number, style.unicode)),
        None => word(cell, event),
    }
}
