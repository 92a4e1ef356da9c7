//! Footnotes: each reason once per workload, with the locations that cause it.

use job_lifecycle::Event;
use yaml_spans::Location;

use crate::forecast::{Block, Cell, Column};

/// A footnote of a block.
pub(crate) struct Note<'a> {
    pub(crate) reason: String,
    pub(crate) labels: &'a [(Location, String)],
}

/// The footnotes of a block, in the order in which its cells refer to them.
#[derive(Default)]
pub(crate) struct Notes<'a> {
    pub(crate) all: Vec<Note<'a>>,
}

impl<'a> Notes<'a> {
    pub(crate) fn of(block: &'a Block) -> Self {
        let mut notes = Notes::default();
        for event in Event::ALL {
            for cell in block.columns.iter().filter_map(|column| column.at(event)) {
                if wants_note(cell, event) && notes.number(cell).is_none() {
                    notes.all.push(Note { reason: sentence(cell), labels: &cell.labels });
                }
            }
        }
        notes
    }

    /// The number of a cell's footnote, from 1.
    pub(crate) fn number_at(&self, cell: &Cell, event: Event) -> Option<usize> {
        self.number(cell).filter(|_| wants_note(cell, event))
    }

    fn number(&self, cell: &Cell) -> Option<usize> {
        let sentence = sentence(cell);
        let places = |labels: &[(Location, String)]| -> Vec<_> {
            labels.iter().map(|(at, text)| (at.span, text.clone())).collect()
        };
        let same = |note: &Note<'_>| {
            note.reason == sentence && places(note.labels) == places(&cell.labels)
        };
        self.all.iter().position(same).map(|at| at + 1)
    }
}

/// True for bad outcomes, and for cells in which more than the shown outcome happens.
fn wants_note(cell: &Cell, event: Event) -> bool {
    cell.outcome.is_bad(event) || !cell.also.is_empty()
}

/// The reason and the other outcomes.
fn sentence(cell: &Cell) -> String {
    let also: Vec<_> = cell.also.iter().map(|also| also.name()).collect();
    let fallback = cell.outcome.about();
    let reason = if cell.reason.is_empty() { fallback } else { &cell.reason };
    match also.is_empty() {
        true => reason.to_owned(),
        false => format!("{reason} (also {})", also.join(", ")),
    }
}

/// The headings of columns: the tool, with a number if several columns have the same tool.
pub(crate) fn heads(columns: &[Column]) -> Vec<String> {
    let tool = |column: &Column| column.deployer.tool;
    let head = |(index, column): (usize, &Column)| {
        let name = tool(column).name();
        let before = columns[..index].iter().filter(|other| tool(other) == tool(column)).count();
        match columns.iter().filter(|other| tool(other) == tool(column)).count() {
            1 => name.to_owned(),
            _ => format!("{name}/{}", before + 1),
        }
    };
    columns.iter().enumerate().map(head).collect()
}

/// The events that apply to at least one column.
pub(crate) fn events(block: &Block) -> Vec<Event> {
    let happens = |event: &Event| block.columns.iter().any(|column| column.at(*event).is_some());
    Event::ALL.into_iter().filter(happens).collect()
}

/// The outcome of a cell in one word; upper case if it is bad.
pub(crate) fn word(cell: &Cell, event: Event) -> String {
    match cell.outcome.is_bad(event) {
        true => cell.outcome.name().to_uppercase(),
        false => cell.outcome.name().to_owned(),
    }
}

/// A footnote mark: `①` to `⑳`, then `(21)`; `[1]` without Unicode.
pub(crate) fn mark(number: usize, unicode: bool) -> String {
    match u32::try_from(number) {
        Ok(small @ 1..=20) if unicode => {
            char::from_u32(0x245F + small).map(String::from).unwrap_or_default()
        }
        _ if unicode => format!("({number})"),
        _ => format!("[{number}]"),
    }
}

/// `path:line:column`.
pub(crate) fn place(at: &Location) -> String {
    let start = at.start();
    format!("{}:{}:{}", at.source.path, start.line, start.column)
}
