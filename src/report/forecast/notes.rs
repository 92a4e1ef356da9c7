//! Footnotes: each reason once per workload, with the places it comes from.

use job_lifecycle::Event;
use yaml_spans::Location;

use crate::forecast::{Block, Cell, Column};

/// A footnote of a block.
pub struct Note<'a> {
    pub reason: String,
    pub labels: &'a [(Location, String)],
}

/// The footnotes of a block, in the order in which its cells refer to them.
#[derive(Default)]
pub struct Notes<'a> {
    pub all: Vec<Note<'a>>,
}

impl<'a> Notes<'a> {
    pub fn of(block: &'a Block) -> Self {
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

    /// The footnote of a cell, from 1.
    pub fn number_at(&self, cell: &Cell, event: Event) -> Option<usize> {
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

/// Bad cells, and those where more happens than the word says.
fn wants_note(cell: &Cell, event: Event) -> bool {
    cell.outcome.is_bad(event) || !cell.also.is_empty()
}

/// The reason, and what else happens.
fn sentence(cell: &Cell) -> String {
    let also: Vec<_> = cell.also.iter().map(|also| also.name()).collect();
    let fallback = cell.outcome.about();
    let reason = if cell.reason.is_empty() { fallback } else { &cell.reason };
    match also.is_empty() {
        true => reason.to_owned(),
        false => format!("{reason} (also {})", also.join(", ")),
    }
}

/// The heads of a block's columns: the tool, with a number where it stands there twice.
pub fn heads(columns: &[Column]) -> Vec<String> {
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

/// The events that can happen to at least one column.
pub fn events(block: &Block) -> Vec<Event> {
    let happens = |event: &Event| block.columns.iter().any(|column| column.at(*event).is_some());
    Event::ALL.into_iter().filter(happens).collect()
}

/// The word in a cell: upper case where it is bad.
pub fn word(cell: &Cell, event: Event) -> String {
    match cell.outcome.is_bad(event) {
        true => cell.outcome.name().to_uppercase(),
        false => cell.outcome.name().to_owned(),
    }
}

/// `①` to `⑳`, then `(21)`; `[1]` where a terminal shows no more than ASCII.
pub fn mark(number: usize, unicode: bool) -> String {
    match u32::try_from(number) {
        Ok(small @ 1..=20) if unicode => {
            char::from_u32(0x245F + small).map(String::from).unwrap_or_default()
        }
        _ if unicode => format!("({number})"),
        _ => format!("[{number}]"),
    }
}

/// `path:line:column`.
pub fn place(at: &Location) -> String {
    let start = at.start();
    format!("{}:{}:{}", at.source.path, start.line, start.column)
}
