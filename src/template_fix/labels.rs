//! Moves labels that change with a release out of the pod template: replaces the helper with the one for selector
//! labels, or moves their lines to the labels of the Job.

use job_lifecycle::{Label, Object, release_changes::Difference};
use yaml_spans::{Edit, Entry, Node, Span};

use super::line::Line;
use crate::finding::RaisedFix;

/// The path of the pod labels.
const LABELS: [&str; 4] = ["spec", "template", "metadata", "labels"];

/// Names that charts use for the helper with the labels that never change.
const STABLE: [&str; 3] = ["selectorLabels", "matchLabels", "selectorlabels"];

/// The fixes; none if anything besides labels changes.
pub(super) fn candidates(object: &Object, differences: &[&Difference]) -> Vec<RaisedFix> {
    let prefix = format!("{}[", LABELS.join("."));
    let dotted = format!("{}.", LABELS.join("."));
    let is_label =
        |one: &&&Difference| one.path.starts_with(&prefix) || one.path.starts_with(&dotted);
    if differences.is_empty() || differences.iter().filter(is_label).count() < differences.len() {
        return Vec::new();
    }
    let moved = moved(object, differences);
    moved.into_iter().chain(selected(object, differences)).collect()
}

/// Replaces the helper in the one action that prints the labels.
fn selected(object: &Object, differences: &[&Difference]) -> Vec<RaisedFix> {
    let mut places = differences.iter().filter_map(|one| one.at.as_ref());
    let Some(first) = places.next().filter(|first| places.all(|other| other.span == first.span))
    else {
        return Vec::new();
    };
    let Label { source, span, .. } = first;
    let Some(name) = helper(source.slice(*span)) else { return Vec::new() };
    let start = span.start + name.start as u32;
    let old = Span { start, end: start + name.len() as u32 };
    let Some((chart, _)) = source.slice(old).rsplit_once('.') else { return Vec::new() };
    let Some(labels) = labels(object) else { return Vec::new() };
    let Some(line) = Line::of(object, labels).filter(|line| line.source.path == source.path) else {
        return Vec::new();
    };
    let fix = |stable: &&str| {
        let edit = Edit { span: old, text: format!("{chart}.{stable}") };
        line.fix("leave the labels that change out of the pod template", vec![edit])
    };
    STABLE.iter().map(fix).collect()
}

/// The name of the helper that an action includes; `None` if it includes several.
fn helper(action: &str) -> Option<std::ops::Range<usize>> {
    let start = action.find("include \"")? + "include \"".len();
    let end = start + action[start..].find('"')?;
    (!action[end..].contains("include \"")).then_some(start..end)
}

/// Moves the lines of the labels to the Job and removes parent keys that become empty.
fn moved(object: &Object, differences: &[&Difference]) -> Option<RaisedFix> {
    let template = object.root.at(&LABELS[..2])?;
    let own = template.entry("metadata")?;
    let labels = labels(object)?;
    let is_gone = |entry: &&Entry| {
        let path = [&LABELS.join("."), "[\"", &entry.key, "\"]"].concat();
        let dotted = format!("{}.{}", LABELS.join("."), entry.key);
        differences.iter().any(|one| one.path == path || one.path == dotted)
    };
    let gone: Vec<_> = labels.value.entries().iter().filter(is_gone).collect();
    if gone.len() < differences.len() {
        return None;
    }
    let lines: Option<Vec<_>> = gone.iter().map(|entry| Line::of(object, entry)).collect();
    let lines = lines?;
    if lines.iter().any(|line| !is_alone(line)) {
        return None;
    }
    let mut removed = lines.clone();
    if gone.len() == labels.value.entries().len() {
        removed.push(Line::of(object, labels)?.without_value()?);
        if own.value.entries().len() == 1 {
            removed.push(Line::of(object, own)?.without_value()?);
        }
    }
    let mut edits: Vec<_> =
        removed.iter().map(|line| Edit { span: line.whole(), text: String::new() }).collect();
    edits.extend(added(object, &gone, &lines)?);
    Some(lines.first()?.fix("move the labels that change from the pod template to the Job", edits))
}

fn labels(object: &Object) -> Option<&Entry> {
    object.root.at(&LABELS[..3])?.entry(LABELS[3])
}

/// True when the value and its actions end on the line.
fn is_alone(line: &Line) -> bool {
    let text = line.source.slice(line.span);
    let is_written = line.value().is_some_and(|value| !value.is_empty());
    is_written
        && text.matches("{{").count() == text.matches("}}").count()
        && !text.contains("{{-")
        && !text.contains("-}}")
}

/// Adds the labels that the Job does not have yet; `Some(None)` if it has all of them.
fn added(object: &Object, gone: &[&Entry], lines: &[Line]) -> Option<Option<Edit>> {
    let metadata = object.root.get("metadata")?;
    let own = metadata.entry("labels");
    let lacks = |entry: &Entry| own.is_none_or(|own| own.value.entry(&entry.key).is_none());
    let missing: Vec<_> =
        gone.iter().zip(lines).filter(|(entry, _)| lacks(entry)).map(|(_, line)| line).collect();
    if missing.is_empty() {
        return Some(None);
    }
    let written = |indent: &str| {
        let text = |line: &&Line| line.source.slice(line.span).trim().to_owned();
        let break_ = lines[0].source.line_break();
        missing.iter().map(|line| format!("{break_}{indent}{}", text(line))).collect::<String>()
    };
    let (after, text) = match own {
        Some(own) => {
            let line = Line::of(object, own)?.without_value()?;
            let indent = child_indent(object, &own.value, &line);
            let text = written(&indent);
            (line, text)
        }
        None => {
            let line = Line::of(object, metadata.entry("name")?)?;
            if Line::of(object, object.root.entry("metadata")?)?.block_has("labels:") {
                return None;
            }
            let indent = line.indent();
            let text = format!(
                "{}{indent}labels:{}",
                line.source.line_break(),
                written(&format!("{indent}  "))
            );
            (line, text)
        }
    };
    let end = after.span.end;
    Some(Some(Edit { span: Span { start: end, end }, text }))
}

fn child_indent(object: &Object, node: &Node, above: &Line) -> String {
    let first = node.entries().first().and_then(|first| Line::of(object, first));
    first.map_or_else(|| format!("{}  ", above.indent()), |line| line.indent().to_owned())
}
