//! The forms in which a document can be written.

use yaml_spans as yaml;

use super::{emit, generated};
use crate::support::{Files, objects, values};

/// A form of files.
pub struct Form {
    pub name: &'static str,
    write: Write,
    /// Whether a file has the form still, from its text before and after a fix.
    pub is_kept: fn(&str, &str) -> bool,
}

/// How files get a form; `None` if it cannot express them.
enum Write {
    /// Each YAML file.
    Each(fn(&str) -> String),
    /// The only file.
    One(fn(&str) -> Option<String>),
    /// The only file, with the tree of values that it holds.
    Tree(emit::Form),
    /// The files that produce the only file.
    Produce(fn(&str) -> Option<Files>),
}

use Write::{Each, One, Produce, Tree};

impl Form {
    /// The files in this form. `None` if it cannot express them.
    pub fn of(&self, files: &Files) -> Option<Files> {
        let only = || (files.len() == 1).then(|| &*files[0].1);
        let alone = |text: String| vec![(files[0].0.clone(), text)];
        let written = match self.write {
            Each(write) => files.iter().map(|(path, text)| (path.clone(), write(text))).collect(),
            One(write) => alone(write(only()?)?),
            Tree(form) => match &yaml::parse(only()?)[..] {
                [Ok(document)] => alone(emit::written(only()?, document, form)?),
                _ => return None,
            },
            Produce(write) => write(only()?)?,
        };
        let is_same = objects(&written)? == objects(files)?;
        (is_same || matches!(self.write, One(_))).then_some(written)
    }
}

const fn form(name: &'static str, write: Write, is_kept: fn(&str, &str) -> bool) -> Form {
    Form { name, write, is_kept }
}

pub const FORMS: &[Form] = &[
    form("as on the page", Each(str::to_owned), ends_line),
    form("CRLF", Each(windows), is_windows),
    form("no last line break", Each(|text| text.trim_end().to_owned()), ends_no_line),
    form("byte order mark", Each(|text| format!("\u{feff}{text}")), |_, after| {
        after.starts_with('\u{feff}')
    }),
    form("comments", Each(commented), has_comments),
    form("tabs", Each(tabbed), any),
    form("several documents", One(among_others), |_, after| {
        let other = format!("---\n{OTHER}");
        after.starts_with(&other) && after.ends_with(&other)
    }),
    form("a list", One(listed), ends_line),
    form("JSON on a line", Tree(emit::Form::JsonCompact), |_, after| {
        is_json("", after) && after.lines().count() == 1 && !after.contains("\": ")
    }),
    form("JSON over lines", Tree(emit::Form::JsonPretty), is_json),
    form("braces", Tree(emit::Form::Flow), |_, after| after.lines().count() == 1),
    form("braces over lines", Tree(emit::Form::FlowLines), ends_line),
    form("double quotes", Tree(emit::Form::DoubleQuoted), ends_line),
    form("single quotes", Tree(emit::Form::SingleQuoted), ends_line),
    form("folded scripts", Tree(emit::Form::Folded), ends_line),
    form("indentation indicators", Tree(emit::Form::Indicator), ends_line),
    form("quotes over lines", Tree(emit::Form::QuotedLines), ends_line),
    form("anchors", Tree(emit::Form::Anchored), ends_line),
    form("merge keys", Tree(emit::Form::Merged), ends_line),
    form("template", Produce(generated::template), ends_line),
    form("template with CRLF", Produce(generated::windows_template), is_windows),
    form("template with a condition", Produce(generated::condition), ends_line),
    form("helper", Produce(generated::helper), ends_line),
    form("helper with the spec", Produce(generated::helper_of_spec), ends_line),
    form("toYaml of the spec", Produce(generated::spec_of_values), ends_line),
    form("with and toYaml of annotations", Produce(generated::annotations_of_values), ends_line),
    form("values", Produce(generated::values), ends_line),
    form("kustomization", Produce(generated::kustomization), ends_line),
    form("base", Produce(generated::base), ends_line),
    form("patch", Produce(generated::patch), ends_line),
];

/// Would be a key of a mapping if it were no comment.
const COMMENT: &str = "# wäre: {b";

const OTHER: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: größe\ndata:\n  a: b\n";

fn any(_: &str, _: &str) -> bool {
    true
}

fn ends_line(before: &str, after: &str) -> bool {
    before.ends_with('\n') == after.ends_with('\n')
}

fn ends_no_line(_: &str, after: &str) -> bool {
    !after.ends_with('\n')
}

fn is_windows(before: &str, after: &str) -> bool {
    !before.contains('\r') || after.matches('\n').count() == after.matches("\r\n").count()
}

fn is_json(_: &str, after: &str) -> bool {
    serde_json::from_str::<serde_json::Value>(after).is_ok()
}

/// Lines that a fix adds have no comment.
fn has_comments(before: &str, after: &str) -> bool {
    let bare = |text: &str| text.lines().filter(|line| !line.contains(COMMENT)).count();
    bare(after) <= bare(before) + 3
}

pub fn windows(text: &str) -> String {
    text.replace('\n', "\r\n")
}

fn among_others(text: &str) -> Option<String> {
    (!text.starts_with("---")).then(|| format!("---\n{OTHER}---\n{text}---\n{OTHER}"))
}

fn listed(text: &str) -> Option<String> {
    let item = text.replace('\n', "\n    ");
    let is_one = yaml::parse(text).len() == 1 && !text.starts_with(['-', '#']);
    is_one.then(|| format!("apiVersion: v1\nkind: List\nitems:\n  - {}\n", item.trim_end()))
}

/// Adds a comment above each line and at its end, where that changes no value.
fn commented(text: &str) -> String {
    let above = |line: &str| {
        let indent = line.len() - line.trim_start().len();
        format!("{}{COMMENT}\n{line}", " ".repeat(indent))
    };
    let beside = |line: &str| format!("{line} {COMMENT}");
    each_line(&each_line(text, &beside), &above)
}

/// Writes tabs behind colons and at the ends of lines, where that changes no value.
fn tabbed(text: &str) -> String {
    each_line(&each_line(text, &|line| line.replacen(": ", ":\t", 1)), &|line| format!("{line}\t"))
}

/// Changes the lines that can be changed without another value.
fn each_line(text: &str, change: &dyn Fn(&str) -> String) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let before = values(text);
    for at in 0..lines.len() {
        let changed = change(&lines[at]);
        let old = std::mem::replace(&mut lines[at], changed);
        if values(&(lines.join("\n") + "\n")) != before {
            lines[at] = old;
        }
    }
    lines.join("\n") + "\n"
}
