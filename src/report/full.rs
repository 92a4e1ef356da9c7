//! Findings for people: the relevant lines, the help, and the changes of fixes.

use std::{
    fmt::{self, Write},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, SourceCode, ThemeCharacters, ThemeStyles,
};
use yaml_spans::{Location, Source};

use super::{
    Style, concise,
    diff::{self, Change},
    excerpt::{CONTEXT, Cut, Excerpt, Mark, excerpts},
    style::Paint,
    text::{one_line, wrap},
    upgrade,
};
use crate::{
    diagnostic::{Diagnostic, Fix},
    discover::root::encoded,
    finding::{Applicability, Severity},
    report::RedactedReport,
    rules::SITE,
};

/// Maximum changed lines to preview a fix.
const PREVIEW: usize = 4;

/// Lines apart at which a label is still drawn in the excerpt of the primary one.
const NEAR: usize = 3;

/// The width of a log.
const LOG: usize = 140;

/// Maximum labels of other lines, and maximum names of other objects.
const OTHERS: usize = 4;
const NAMES: usize = 8;

pub(crate) fn print(report: &RedactedReport, style: &Style) -> String {
    let mut out = match &report.comparison {
        Some(comparison) => upgrade::table(comparison, style),
        None => String::new(),
    };
    for finding in &report.findings {
        // A panic while drawing must not hide the finding.
        match catch_unwind(AssertUnwindSafe(|| render(finding, style))) {
            Ok(text) => out.push_str(&text),
            Err(_) => out.push_str(&concise::line(finding)),
        }
        out.push('\n');
    }
    if !report.findings.is_empty() {
        out.push_str(&more(&report.findings, style));
    }
    out
}

/// Where the rules are explained: a command on a terminal, an address in a log.
fn more(findings: &[Diagnostic], style: &Style) -> String {
    let first = findings[0].rule;
    let rule = findings.iter().all(|finding| finding.rule == first).then_some(first);
    match (style.columns, rule) {
        (Some(_), rule) => {
            let rule = rule.map_or("RULE", |rule| rule.id);
            format!("For more about a finding, run `joblint explain {rule}`\n")
        }
        (None, Some(rule)) => format!("For more about this finding, see {}\n", rule.url()),
        (None, None) => format!("For more about a finding, see {SITE}/rules/RULE\n"),
    }
}

fn render(finding: &Diagnostic, style: &Style) -> String {
    let mut out = String::new();
    let name = format!("{}[{}]", finding.severity.name(), finding.rule.id);
    let name = style.paint(finding.severity.paint(), &name);
    let message = style.paint(Paint::Strong, &format!(": {}", one_line(&finding.message)));
    let _ = writeln!(out, "{}{message}", style.link(&finding.rule.url(), &name));
    let (shown, others) = marks(finding);
    out.push_str(&snippet(&finding.location.source, &shown, finding.severity, style));
    for (at, text) in others.iter().take(OTHERS) {
        other(&mut out, style, at, text);
    }
    if others.len() > OTHERS {
        note(&mut out, style, "and", &format!("{} more lines", others.len() - OTHERS));
    }
    if !finding.message.contains(&finding.note) && !finding.label.contains(&finding.note) {
        note(&mut out, style, "note", &finding.note);
    }
    note(&mut out, style, "help", &finding.help);
    if !finding.also.is_empty() {
        note(&mut out, style, "also", &also(finding));
    }
    for (who, text) in finding.by_deployer() {
        note(&mut out, style, &who, &text);
    }
    for fix in &finding.fixes {
        preview(&mut out, style, fix);
    }
    out
}

/// The marks to draw, those near the primary one in its file, and the other labels.
fn marks(finding: &Diagnostic) -> (Vec<Mark<'_>>, Vec<&(Location, String)>) {
    let at = &finding.location;
    // A label that only repeats the headline is left out, unless others continue it.
    let repeats = finding.secondary.is_empty() && finding.message.contains(&finding.label);
    let label = if repeats { "" } else { &finding.label };
    let line = |at: &Location| at.source.line_of(at.span.start);
    let near = |own: &Location| {
        let same = Arc::ptr_eq(&own.source, &at.source)
            || (own.source.path == at.source.path && own.source.text == at.source.text);
        same && line(own).abs_diff(line(at)) <= NEAR
    };
    let (near, others): (Vec<_>, Vec<_>) = finding.secondary.iter().partition(|(own, _)| near(own));
    let primary = Mark { span: at.span, text: label, primary: true };
    let near = near.into_iter().map(|(at, text)| Mark { span: at.span, text, primary: false });
    (std::iter::once(primary).chain(near).collect(), others)
}

/// A label elsewhere: its position, the line, and the text.
fn other(out: &mut String, style: &Style, at: &Location, text: &str) {
    let start = at.start();
    let path = one_line(&at.source.path);
    let name = format!("{path}:{}:{}", start.line, start.column);
    let name = if style.links { style.link(&file_url(&at.source.path), &name) } else { name };
    let room = style.width() / 2;
    let written = at.source.line_text(start.line).trim_start();
    let shown: String = written.chars().take(room).collect();
    let cut = if shown.len() < written.len() { ellipsis(style) } else { "" };
    let written = format!("{}{cut}", one_line(shown.trim_end()));
    let _ = writeln!(out, "  {name}: {}", style.paint(Paint::Dim, &written));
    if !text.is_empty() {
        let _ = writeln!(out, "    {}", one_line(text));
    }
}

/// The other objects of a finding, with the lines of those that are elsewhere.
fn also(finding: &Diagnostic) -> String {
    let names: Vec<_> = finding.others().take(NAMES).collect();
    match finding.also.len() - names.len() {
        0 => names.join(", "),
        rest => format!("{} and {rest} more, which `--output json` names", names.join(", ")),
    }
}

/// The lines of one source with their labels.
fn snippet(source: &Source, marks: &[Mark<'_>], severity: Severity, style: &Style) -> String {
    let path = one_line(&source.path);
    let name = match style.links {
        true => style.link(&file_url(&source.path), &path),
        false => path.into_owned(),
    };
    if source.text.is_empty() {
        let texts = marks.iter().map(|mark| format!("  {name}: {}\n", one_line(mark.text)));
        return texts.collect();
    }
    let gutter = source.line_count().to_string().len() + 5;
    let cut = Cut {
        width: style.columns.map_or(320, |columns| columns.saturating_sub(gutter).clamp(40, 320)),
        room: style.columns.unwrap_or(LOG).saturating_sub(gutter),
        ellipsis: ellipsis(style),
    };
    excerpts(source, &name, marks, cut)
        .into_iter()
        .map(|excerpt| draw(excerpt, severity, style))
        .collect()
}

fn draw(excerpt: Excerpt, severity: Severity, style: &Style) -> String {
    let mut drawn = String::new();
    let handler = GraphicalReportHandler::new_themed(theme(&excerpt.labels, severity, style))
        .with_wrap_lines(false)
        .with_context_lines(CONTEXT)
        .with_urls(false);
    let _ = handler.render_report(&mut drawn, &Drawing(excerpt));
    // miette starts with an empty line for the message, which is already printed.
    drawn.strip_prefix('\n').unwrap_or(&drawn).to_owned()
}

fn theme(labels: &[LabeledSpan], severity: Severity, style: &Style) -> GraphicalTheme {
    let characters = match style.unicode {
        true => ThemeCharacters::unicode(),
        false => ThemeCharacters::ascii(),
    };
    let mut styles = if style.color { ThemeStyles::ansi() } else { ThemeStyles::none() };
    let primary = match severity {
        Severity::Error => styles.error,
        Severity::Warning => styles.warning,
        Severity::Info => styles.advice,
    };
    let of_label = |label: &LabeledSpan| if label.primary() { primary } else { styles.help };
    styles.highlights = labels.iter().map(of_label).collect();
    // Bold and underlined links would distract from the message.
    styles.link = styles.help;
    GraphicalTheme { characters, styles }
}

/// `  help: …`, wrapped and indented.
fn note(out: &mut String, style: &Style, name: &str, text: &str) {
    let indent = name.chars().count() + 4;
    let lines = wrap(&one_line(text), style.width().saturating_sub(indent).max(30));
    for (index, line) in lines.iter().enumerate() {
        let _ = match index {
            0 => writeln!(out, "  {} {line}", style.paint(Paint::Help, &format!("{name}:"))),
            _ => writeln!(out, "{:indent$}{line}", ""),
        };
    }
}

/// The title of a fix, and the changed lines if they are few.
fn preview(out: &mut String, style: &Style, fix: &Fix) {
    let name = match fix.applicability {
        Applicability::Safe => "fix",
        Applicability::Unsafe => "fix (unsafe)",
        Applicability::Display => "fix (by hand)",
    };
    note(out, style, name, &fix.title);
    for change in diff::preview(fix, PREVIEW).unwrap_or_default() {
        let (number, sign, text, paint) = match &change {
            Change::Removed(number, text) => (number, '-', text, Paint::Removed),
            Change::Added(number, text) => (number, '+', text, Paint::Added),
        };
        let room = style.columns.map_or(320, |columns| columns.saturating_sub(10).max(30));
        let mut shown: String = text.chars().flat_map(super::text::visible).take(room).collect();
        if text.chars().nth(room).is_some() {
            shown.push_str(ellipsis(style));
        }
        let number = style.paint(Paint::Dim, &format!("{number:>6}"));
        let _ = writeln!(out, "{number} {}", style.paint(paint, &format!("{sign} {shown}")));
    }
}

fn ellipsis(style: &Style) -> &'static str {
    if style.unicode { "…" } else { "..." }
}

fn file_url(path: &str) -> String {
    let file = path.split("!/").next().unwrap_or(path);
    let absolute = std::path::absolute(file).map(|path| path.to_string_lossy().replace('\\', "/"));
    let absolute = absolute.unwrap_or_default();
    let slash = if absolute.starts_with('/') { "" } else { "/" };
    format!("file://{slash}{}", encoded(&absolute))
}

/// An excerpt as a miette diagnostic without a message.
struct Drawing(Excerpt);

impl miette::Diagnostic for Drawing {
    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.0)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.0.labels.iter().cloned()))
    }
}

impl std::error::Error for Drawing {}

impl fmt::Display for Drawing {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

impl fmt::Debug for Drawing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Drawing")
    }
}
