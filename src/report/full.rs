//! Findings for people: the relevant lines, the help, and the changes of fixes.

use std::{
    fmt::{self, Write},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, SourceCode, ThemeCharacters, ThemeStyles,
};
use yaml_spans::Source;

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
};

/// Maximum changed lines to preview a fix.
const PREVIEW: usize = 8;

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
    out
}

fn render(finding: &Diagnostic, style: &Style) -> String {
    let mut out = String::new();
    let name = format!("{}[{}]", finding.severity.name(), finding.rule.id);
    let name = style.paint(finding.severity.paint(), &name);
    let message = style.paint(Paint::Strong, &format!(": {}", one_line(&finding.message)));
    let _ = writeln!(out, "{}{message}", style.link(&finding.rule.url(), &name));
    for (source, marks) in marks(finding) {
        out.push_str(&snippet(source, &marks, finding.severity, style));
    }
    note(&mut out, style, "help", &finding.help);
    for (who, text) in finding.by_deployer() {
        note(&mut out, style, &who, &text);
    }
    for fix in &finding.fixes {
        preview(&mut out, style, fix);
    }
    out
}

/// The marks by source, the source of the primary mark first.
fn marks(finding: &Diagnostic) -> Vec<(&Arc<Source>, Vec<Mark<'_>>)> {
    let at = &finding.location;
    let primary = Mark { span: at.span, text: &finding.label, primary: true };
    let mut marks = vec![(&at.source, vec![primary])];
    for (at, text) in &finding.secondary {
        let mark = Mark { span: at.span, text, primary: false };
        let same = |other: &Arc<Source>| {
            Arc::ptr_eq(other, &at.source)
                || (other.path == at.source.path && other.text == at.source.text)
        };
        match marks.iter_mut().find(|(source, _)| same(source)) {
            Some((_, own)) => own.push(mark),
            None => marks.push((&at.source, vec![mark])),
        }
    }
    marks
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
        label_width: style.width().saturating_sub(gutter + 20).max(40),
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
