use job_lifecycle::kubernetes::schema::{FieldType, Mismatch, ValueType, WrongType};
use yaml_spans::{Node, Origin, Source, Style, Value, Written};

use super::{Check, Rule, rejected::short_path};
use crate::{
    finding::{Applicability, Finding},
    fix,
    words::joined,
    workload::Subject,
};

pub(crate) static RULE: Rule =
    Rule::new("wrong-type", include_str!("../../rules/wrong-type.yaml"), Check::Workload(check));

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let mut groups: Vec<Vec<(&WrongType<'_>, Finding)>> = Vec::new();
    for mismatch in job.mismatches() {
        let Mismatch::WrongType(wrong) = mismatch else { continue };
        let finding = finding(job.source, wrong);
        let is_alike = |(other, own): &(&WrongType<'_>, Finding)| {
            own.help == finding.help
                && other.expected == wrong.expected
                && place(&other.path) == place(&wrong.path)
        };
        match groups.iter_mut().find(|group| is_alike(&group[0])) {
            Some(group) => group.push((wrong, finding)),
            None => groups.push(vec![(wrong, finding)]),
        }
    }
    found.extend(groups.into_iter().filter_map(|group| joint(&job.title(), group)));
}

/// Where a field is, alike for all entries of a list: `spec.template.spec.containers[].env[]`. Whoever forgets the quotes
/// of one entry forgets those of the others.
fn place(path: &str) -> String {
    let last = if path.ends_with(']') { '[' } else { '.' };
    let parent = path.rfind(last).map_or("", |end| &path[..end]);
    parent.chars().filter(|one| !one.is_ascii_digit()).collect()
}

/// One finding about the values of one place, with all their fixes.
fn joint(title: &str, group: Vec<(&WrongType<'_>, Finding)>) -> Option<Finding> {
    let field = |(wrong, _): &(&WrongType<'_>, Finding)| format!("`{}`", short_path(&wrong.path));
    let fields: Vec<_> = group.iter().map(field).collect();
    let takes = takes(group.first()?.0.expected);
    let verb = if fields.len() == 1 { "takes" } else { "take" };
    let message = format!("API server will reject {title}: {} {verb} {takes}", joined(&fields));
    let findings = group.into_iter().map(|(_, finding)| finding);
    let joint = findings.reduce(|mut first, other| {
        for (own, more) in first.fixes.iter_mut().zip(other.fixes) {
            own.edits.extend(more.edits);
        }
        first.label(other.span, other.label)
    });
    joint.map(|finding| finding.message(message))
}

fn finding(source: &Source, wrong: &WrongType<'_>) -> Finding {
    let (node, path) = (wrong.node, &wrong.path);
    let label =
        format!("{}, and `{path}` takes {}", description(source, wrong), takes(wrong.expected));
    let finding = Finding::new(node.span, label);
    if !source.can_be_edited() {
        return finding;
    }
    match (wrong.expected, &node.value) {
        // Quotes in a file of values are not printed.
        (FieldType::One(ValueType::String), _) if is_printed(source, node) => {
            finding.help("pipe it through `quote` in the template")
        }
        (FieldType::One(ValueType::String), _) if is_plain(source, node) => finding
            .help("put it in quotes")
            .fix("put it in quotes", Applicability::Safe, fix::quote(source, node)),
        (FieldType::One(kind), Value::Str(text)) if is_quoted(node) && means(text, kind) => finding
            .help("remove the quotes")
            .fix("remove the quotes", Applicability::Safe, fix::replace(node, text)),
        _ => finding,
    }
}

/// Describes the value. Numbers and strings are not repeated: they may be secrets.
fn description(source: &Source, wrong: &WrongType<'_>) -> String {
    let node = wrong.node;
    let integer = matches!(wrong.expected, FieldType::One(ValueType::Int32 | ValueType::Int64));
    match &node.value {
        Value::Bool(flag) => {
            let written = source.slice(node.span);
            match written {
                "true" | "false" => format!("`{written}` is a boolean"),
                _ => format!("`{written}` is the boolean `{flag}` in YAML"),
            }
        }
        Value::Int(_) | Value::Uint(_) if integer => "too large a number".into(),
        Value::Float(_) if integer => "not a whole number".into(),
        Value::Int(_) | Value::Uint(_) | Value::Float(_) => "a number".into(),
        Value::Str(_) if wrong.expected == FieldType::One(ValueType::Quantity) => {
            "not a quantity".into()
        }
        Value::Str(_) => "a string".into(),
        Value::Seq(_) => "a list".into(),
        Value::Map(_) => "a mapping".into(),
        Value::Null => "nothing".into(),
    }
}

fn takes(shape: FieldType) -> &'static str {
    match shape {
        FieldType::List(_) => "a list",
        FieldType::Map(_) | FieldType::One(ValueType::Struct(_)) => "a mapping",
        FieldType::One(ValueType::Bool) => "`true` or `false`",
        FieldType::One(ValueType::Int32) => "a 32-bit integer",
        FieldType::One(ValueType::Int64) => "an integer",
        FieldType::One(ValueType::IntOrString) => "an integer or a string",
        FieldType::One(ValueType::Quantity) => "a quantity such as `500m` or `1Gi`",
        FieldType::One(ValueType::String | ValueType::Any) => "a string",
    }
}

/// True for a plain scalar that an action of a template prints as it is, without a function: `{{ .Values.image.tag }}`.
fn is_printed(source: &Source, node: &Node) -> bool {
    let is_reference = |origin: &dyn Origin| {
        let Written { at, .. } = origin.written(node.span);
        let text = at.source.slice(at.span).trim_matches(['{', '}', '-', ' ']);
        text.starts_with(['.', '$']) && !text.contains([' ', '|', '('])
    };
    let origin = source.origin.as_deref();
    is_plain(source, node)
        && origin.is_some_and(|own| own.literal(node.span).is_none() && is_reference(own))
}

/// True for a plain scalar without an alias, a tag or an anchor.
fn is_plain(source: &Source, node: &Node) -> bool {
    let scalar = !matches!(node.value, Value::Seq(_) | Value::Map(_));
    scalar && node.style == Style::Plain && !source.slice(node.span).starts_with(['*', '!', '&'])
}

fn is_quoted(node: &Node) -> bool {
    matches!(node.style, Style::SingleQuoted | Style::DoubleQuoted)
}

/// True when the text without quotes is of the type that the field takes.
fn means(text: &str, kind: ValueType) -> bool {
    match kind {
        ValueType::Int32 => text.parse::<i32>().is_ok_and(|number| number.to_string() == text),
        ValueType::Int64 => text.parse::<i64>().is_ok_and(|number| number.to_string() == text),
        ValueType::Bool => matches!(text, "true" | "false"),
        _ => false,
    }
}
