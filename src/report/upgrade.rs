//! The comparison of two versions: tables for people, data for JSON.

use std::fmt::Write;

use job_lifecycle::{Deployer, Event, Outcome};
use serde::Serialize;

use super::{Style, style::Paint, text::one_line};
use crate::results::{Change, Changed, Column, Comparison};

/// A table for a terminal: one line per workload, one column per deployer, reasons as footnotes.
pub(crate) fn table(comparison: &Comparison, style: &Style) -> String {
    let mut out = format!("{} → {}\n", one_line(&comparison.old), one_line(&comparison.new));
    if !style.unicode {
        out = out.replace('→', "->");
    }
    if comparison.jobs.is_empty() {
        return out + "  no Job, CronJob or hook in either\n\n";
    }
    let notes = Notes::of(comparison);
    for row in aligned(rows(comparison, &notes, style), style) {
        out += &row;
    }
    for (number, note) in notes.0.iter().enumerate() {
        let mark = super::forecast::mark(number + 1, style.unicode);
        let _ = writeln!(out, "{mark} {}", one_line(note));
    }
    out.push('\n');
    out
}

/// A row of the table: its title, and the text of each cell with whether the outcome is bad.
type Row = (String, Vec<(String, bool)>);

/// The heading, then a row for each workload.
fn rows(comparison: &Comparison, notes: &Notes, style: &Style) -> Vec<Row> {
    let deployers = deployers(comparison);
    let heads = deployers.iter().map(|deployer| (deployer.tool.name().to_owned(), false)).collect();
    let row = |job: &Changed| {
        let cells = deployers.iter().map(|deployer| match column(job, deployer) {
            Some(column) => (cell(job, column, notes, style), is_bad(job, column)),
            None => ("-".to_owned(), false),
        });
        let title = title(job, style);
        let (kind, title) = (one_line(&job.name.kind), one_line(&title));
        (format!("{kind} {title}{}", limit(job)), cells.collect())
    };
    std::iter::once((String::new(), heads)).chain(comparison.jobs.iter().map(row)).collect()
}

/// The rows as lines with aligned columns; bad outcomes are coloured.
fn aligned(rows: Vec<Row>, style: &Style) -> Vec<String> {
    let width = |texts: &mut dyn Iterator<Item = &str>| {
        texts.map(|text| text.chars().count()).max().unwrap_or_default()
    };
    let first = width(&mut rows.iter().map(|(title, _)| &**title));
    let columns = rows.first().map_or(0, |(_, cells)| cells.len());
    let widths: Vec<_> =
        (0..columns).map(|at| width(&mut rows.iter().map(|(_, cells)| &*cells[at].0))).collect();
    let line = |(title, cells): Row| {
        let mut line = format!("  {title:first$}");
        for ((text, is_bad), width) in cells.into_iter().zip(&widths) {
            let pad = " ".repeat(width - text.chars().count());
            let text = if is_bad { style.paint(Paint::Error, &text) } else { text };
            let _ = write!(line, "  {text}{pad}");
        }
        line.trim_end().to_owned() + "\n"
    };
    rows.into_iter().map(line).collect()
}

/// The same table for a pull request.
pub(crate) fn markdown(comparison: &Comparison) -> String {
    let notes = Notes::of(comparison);
    let style = Style { unicode: true, ..Style::default() };
    let deployers = deployers(comparison);
    let mut out = format!("`{}` → `{}`\n\n", one_line(&comparison.old), one_line(&comparison.new));
    if comparison.jobs.is_empty() {
        return out + "No Job, CronJob or hook in either.\n\n";
    }
    let heads: Vec<_> = deployers.iter().map(|deployer| deployer.tool.name()).collect();
    let _ = writeln!(out, "| | {} |\n|---|{}", heads.join(" | "), "---|".repeat(heads.len()));
    for job in &comparison.jobs {
        let cells = deployers.iter().map(|deployer| match column(job, deployer) {
            Some(column) if is_bad(job, column) => {
                format!("**{}**", cell(job, column, &notes, &style))
            }
            Some(column) => cell(job, column, &notes, &style),
            None => "-".to_owned(),
        });
        let cells: Vec<_> = cells.collect();
        let title = one_line(&title(job, &style)).replace('|', "\\|");
        let (kind, limit) = (one_line(&job.name.kind).replace('|', "\\|"), limit(job));
        let _ = writeln!(out, "| {kind} `{title}`{limit} | {} |", cells.join(" | "));
    }
    out.push('\n');
    for (number, note) in notes.0.iter().enumerate() {
        let _ = writeln!(out, "{} {}  ", super::forecast::mark(number + 1, true), one_line(note));
    }
    if !notes.0.is_empty() {
        out.push('\n');
    }
    out
}

/// A workload in JSON.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Job<'a> {
    kind: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    generate_name: Option<&'a str>,
    /// Its name in the old version, if it differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    old_name: Option<&'a str>,
    change: &'static str,
    /// Only in the first upgrade after the installation.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    first_upgrade: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fields: Vec<Field<'a>>,
    deployers: Vec<Under<'a>>,
}

#[derive(Serialize)]
struct Field<'a> {
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    old: Option<&'a serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new: Option<&'a serde_json::Value>,
}

#[derive(Serialize)]
struct Under<'a> {
    deployer: &'static str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    assumed: bool,
    outcome: Outcome,
    #[serde(skip_serializing_if = "<[Outcome]>::is_empty")]
    also: &'a [Outcome],
    #[serde(skip_serializing_if = "str::is_empty")]
    reason: &'a str,
}

/// All workloads.
pub(crate) fn jobs(comparison: &Comparison) -> Vec<Job<'_>> {
    comparison.jobs.iter().map(Job::new).collect()
}

impl<'a> Job<'a> {
    fn new(job: &'a Changed) -> Self {
        let under = |column: &'a Column| Under {
            deployer: column.deployer.tool.name(),
            assumed: column.deployer.assumed,
            outcome: column.outcome,
            also: &column.also,
            reason: &column.reason,
        };
        let fields = job.fields.iter().map(|field| Field {
            path: &field.path,
            old: field.old.as_ref(),
            new: field.new.as_ref(),
        });
        Self {
            kind: &job.name.kind,
            namespace: job.name.namespace.as_deref(),
            name: job.name.name.as_deref(),
            generate_name: job.name.generate_name.as_deref(),
            old_name: job.was.as_deref(),
            change: job.change.name(),
            first_upgrade: job.is_first,
            fields: fields.collect(),
            deployers: job.columns.iter().map(under).collect(),
        }
    }
}

/// The name, preceded by a different old name.
fn title(job: &Changed, style: &Style) -> String {
    match &job.was {
        Some(was) => format!("{was} {} {}", if style.unicode { "→" } else { "->" }, job.title),
        None => job.title.clone(),
    }
}

/// What follows the name of a workload that only the first upgrade after the installation meets.
fn limit(job: &Changed) -> &'static str {
    if job.is_first { " (first upgrade)" } else { "" }
}

/// The distinct deployers of the comparison.
fn deployers(comparison: &Comparison) -> Vec<&Deployer> {
    let mut all: Vec<&Deployer> = Vec::new();
    for column in comparison.jobs.iter().flat_map(|job| &job.columns) {
        if !all.iter().any(|own| **own == column.deployer) {
            all.push(&column.deployer);
        }
    }
    all
}

fn column<'a>(job: &'a Changed, deployer: &Deployer) -> Option<&'a Column> {
    job.columns.iter().find(|column| column.deployer == *deployer)
}

/// True for undesirable outcomes.
fn is_bad(job: &Changed, column: &Column) -> bool {
    let event = if job.change == Change::Removed { Event::Removed } else { Event::Upgrade };
    column.outcome.is_bad(event) || column.also.iter().any(|also| also.is_bad(Event::Removed))
}

/// The text of a cell: the outcome, the fate of the old object, and the footnote mark.
fn cell(job: &Changed, column: &Column, notes: &Notes, style: &Style) -> String {
    let outcome = match column.outcome {
        outcome if outcome.is_bad(Event::Upgrade) => outcome.name().to_uppercase(),
        outcome => outcome.name().to_owned(),
    };
    let hook = if column.hook && job.change != Change::Removed { " (hook)" } else { "" };
    let mut text = format!("{outcome}{hook}");
    if let Some(also) = column.also.first() {
        let _ = write!(text, ", old one {also}");
    }
    if let Some(number) = notes.number(&column.reason) {
        let _ = write!(text, " {}", super::forecast::mark(number, style.unicode));
    }
    text
}

/// The distinct reasons, as footnotes.
struct Notes(Vec<String>);

impl Notes {
    fn of(comparison: &Comparison) -> Self {
        let mut all: Vec<String> = Vec::new();
        for column in comparison.jobs.iter().flat_map(|job| &job.columns) {
            if !column.reason.is_empty() && !all.contains(&column.reason) {
                all.push(column.reason.clone());
            }
        }
        Self(all)
    }

    fn number(&self, reason: &str) -> Option<usize> {
        self.0.iter().position(|own| own == reason).map(|at| at + 1)
    }
}
