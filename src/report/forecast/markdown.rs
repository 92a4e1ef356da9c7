//! Markdown for a README or a pull request.

use job_lifecycle::Event;

use super::{
    about,
    notes::{Notes, events, heads, mark, place, word},
};
use crate::{
    forecast::{Block, Column, Outlook},
    report::text::one_line,
};

pub(crate) fn print(outlook: &Outlook) -> String {
    let blocks: Vec<_> = outlook.blocks.iter().map(block_text).collect();
    blocks.join("\n")
}

pub(super) fn block_text(block: &Block) -> String {
    let notes = Notes::of(block);
    let (title, at) = (escaped(&block.title), code(&block.place()));
    let mut out = format!("### {} {title}\n\n{at}\n\n", escaped(&block.name.kind));
    let heads: Vec<_> =
        heads(&block.columns)
            .into_iter()
            .zip(&block.columns)
            .map(|(head, column)| {
                if column.deployer.options().is_empty() {
                    head
                } else {
                    column.deployer.to_string()
                }
            })
            .collect();
    out += &format!("| event | {} |\n|---|{}\n", heads.join(" | "), "---|".repeat(heads.len()));
    for event in events(block) {
        let cells: Vec<_> =
            block.columns.iter().map(|column| cell(column, event, &notes)).collect();
        out += &format!("| **{}**, {} | {} |\n", event.name(), about(event), cells.join(" | "));
    }
    for (index, note) in notes.all.iter().enumerate() {
        out += &format!("\n{} {}\n", mark(index + 1, true), escaped(&note.reason));
        for (at, text) in note.labels {
            out += &format!("- {} {}\n", code(&place(at)), escaped(text));
        }
    }
    out
}

fn cell(column: &Column, event: Event, notes: &Notes<'_>) -> String {
    let Some(cell) = column.at(event) else { return "–".to_owned() };
    let word = word(cell, event);
    let word = if cell.outcome.is_bad(event) { format!("**{word}**") } else { word };
    let mark = notes.number_at(cell, event).map(|number| format!(" {}", mark(number, true)));
    word + &mark.unwrap_or_default()
}

fn code(text: &str) -> String {
    format!("`{}`", one_line(text).replace('`', "'"))
}

/// Escapes the text of manifests, so that it cannot become a table, a link or HTML; text between backticks stays
/// code.
fn escaped(text: &str) -> String {
    let mut in_code = false;
    let mut out = String::new();
    for c in one_line(text).chars() {
        in_code ^= c == '`';
        match c {
            '|' => out.push_str("\\|"),
            '*' | '_' | '[' | ']' | '<' | '>' | '\\' if !in_code => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}
