//! Objects in the literal text of templates, rendered or not, with the conditions around them.

use std::{ops::Range, sync::Arc};

use go_template::provenance::Step;
pub use go_template::{Condition, RequiredValue, Requirement};
use yaml_spans::{Location, Span};

use crate::{
    rendered::{Rendered, TemplateFile},
    values::GLOBAL,
};

/// The content of placeholder values that make a condition hold.
pub const PLACEHOLDER: &str = "placeholder";

/// An object in the literal text of a template, with the conditions it stands under.
#[derive(Clone, Debug)]
pub struct GuardedObject {
    /// The value of `kind`.
    pub at: Location,
    /// The name of the template that prints it, which may include a helper from another file.
    pub template: Arc<str>,
    /// The conditions around the object.
    pub conditions: Vec<Condition>,
    /// The path from the values of the root chart to those of the template's chart.
    prefix: Vec<Step>,
}

impl GuardedObject {
    /// The path below the root chart's `Values` for a path in the data of the object's template;
    /// `None` if that path does not lead below `Values`.
    pub fn steps(&self, path: &[Arc<str>]) -> Option<Vec<Step>> {
        let (first, rest) = path.split_first()?;
        if &**first != "Values" || rest.is_empty() {
            return None;
        }
        let keys = rest.iter().cloned().map(Step::Key);
        let is_global = &*rest[0] == GLOBAL;
        let prefix = if is_global { &[] } else { &self.prefix[..] };
        Some(prefix.iter().cloned().chain(keys).collect())
    }
}

/// Whether a condition holds for an upgrade of the release and not for its installation.
pub fn wants_upgrade(requirement: &Requirement) -> bool {
    let path: Vec<_> = requirement.path.iter().map(|step| &**step).collect();
    match (&path[..], &requirement.value) {
        (["Release", "IsUpgrade"], wanted) => *wanted == RequiredValue::Truth,
        (["Release", "IsInstall"], wanted) => *wanted == RequiredValue::Falsehood,
        (["Release", "Revision"], RequiredValue::Number(revision)) => *revision > 1,
        _ => false,
    }
}

/// The objects of the given kinds in the literal text of a render's templates, rendered or not.
///
/// An object is found by a line `kind: NAME` at the left margin, with or without quotes. A kind
/// that a template computes is not found.
pub fn guarded_objects(rendered: &Rendered, kinds: &[&str]) -> Vec<GuardedObject> {
    let mut objects = Vec::new();
    let holds = |template: &TemplateFile| may_hold(&template.file().data, kinds);
    // What a template defines may be included by any other.
    let defines =
        |template: &TemplateFile| memchr::memmem::find(&template.file().data, b"define").is_some();
    let is_anywhere = rendered.templates.iter().any(|one| holds(one) && defines(one));
    let printing = rendered.templates.iter().filter(|template| !template.is_partial());
    for template in printing.filter(|one| is_anywhere || holds(one)) {
        let holds = |text: &[u8]| find_kinds(text, kinds).next().is_some();
        for guarded in rendered.parsed.guarded(&template.name, &holds) {
            // The text may be that of a helper in another file.
            let Some(own) = rendered.templates.get(guarded.text.file.0 as usize) else { continue };
            let source = own.source();
            let start = guarded.text.start as usize;
            let text = &own.file().data[start..guarded.text.end as usize];
            for kind in find_kinds(text, kinds) {
                let span = Span::new(start + kind.start, start + kind.end);
                let at = Location { source: source.clone(), span };
                let conditions = guarded.conditions.clone();
                let (name, prefix) = (template.name.clone(), prefix(&template.name));
                objects.push(GuardedObject { at, template: name, conditions, prefix });
            }
        }
    }
    objects
}

/// Whether a part of a text can be a `kind` line that names one of the kinds.
fn may_hold(text: &[u8], kinds: &[&str]) -> bool {
    let names = |kind: &str| memchr::memmem::find(text, kind.as_bytes()).is_some();
    kinds.iter().any(|kind| names(kind)) && memchr::memmem::find(text, b"kind:").is_some()
}

/// The ranges of the values of `kind` lines that name one of the kinds.
fn find_kinds<'t>(text: &'t [u8], kinds: &'t [&str]) -> impl Iterator<Item = Range<usize>> + 't {
    let lines = memchr::memmem::find_iter(text, b"kind:");
    lines.filter_map(move |at| {
        let starts_line = at == 0 || text[at - 1] == b'\n';
        let rest = &text[at + b"kind:".len()..];
        let line = &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())];
        let value = std::str::from_utf8(line).ok()?.split('#').next()?.trim();
        let name = value.trim_matches(['"', '\'']);
        let start = value.as_ptr() as usize - text.as_ptr() as usize;
        (starts_line && kinds.contains(&name)).then_some(start..start + value.len())
    })
}

/// The path to a chart's values, from the name of its template: `shop/charts/db/templates/job.yaml`
/// gives `db`.
fn prefix(name: &str) -> Vec<Step> {
    let folders = name.split('/').skip(1).collect::<Vec<_>>();
    let pairs = folders.chunks(2).take_while(|pair| pair[0] == "charts" && pair.len() == 2);
    pairs.map(|pair| Step::Key(pair[1].into())).collect()
}

/// A value that satisfies a condition, of the same type as the current value.
pub fn satisfying_value(
    wanted: &RequiredValue,
    now: Option<&serde_json::Value>,
) -> serde_json::Value {
    use serde_json::{Value, json};
    match (wanted, now) {
        (RequiredValue::Truth, Some(Value::String(_))) => json!(PLACEHOLDER),
        (RequiredValue::Truth, Some(Value::Array(_))) => json!([PLACEHOLDER]),
        (RequiredValue::Truth, Some(Value::Object(_))) => json!({PLACEHOLDER: PLACEHOLDER}),
        (RequiredValue::Truth, Some(Value::Number(_))) => json!(1),
        (RequiredValue::Truth, _) => json!(true),
        (RequiredValue::Falsehood, Some(Value::String(_))) => json!(""),
        (RequiredValue::Falsehood, Some(Value::Array(_))) => json!([]),
        (RequiredValue::Falsehood, Some(Value::Object(_))) => json!({}),
        (RequiredValue::Falsehood, Some(Value::Number(_))) => json!(0),
        (RequiredValue::Falsehood, _) => json!(false),
        (RequiredValue::Text(text), _) => json!(&**text),
        (RequiredValue::Number(number), _) => json!(number),
    }
}

#[cfg(test)]
mod tests {
    use go_template::{TemplateSet, provenance::FileId};

    use crate::{HelmVersion, functions::functions};

    /// The requirements of the conditions around `HERE`, as `path=value`.
    fn requirements(text: &str) -> Vec<String> {
        let mut set = TemplateSet::new("test");
        set.parse("t", text.as_bytes(), FileId(0), functions(HelmVersion::V4))
            .expect("a template that parses");
        let is_here = |text: &[u8]| memchr::memmem::find(text, b"HERE").is_some();
        let found = set.guarded("t", &is_here);
        assert_eq!(found.len(), 1, "{text}");
        let all = found[0].conditions.iter().flat_map(|condition| &condition.requirements);
        all.map(|requirement| format!("{}={:?}", requirement.path.join("."), requirement.value))
            .collect()
    }

    #[test]
    fn conditions_yield_the_requirements_that_satisfy_them() {
        for (text, expected) in [
            ("HERE", vec![]),
            ("{{ if .Values.a.b }}HERE{{ end }}", vec!["Values.a.b=Truth"]),
            ("{{ if .Values.a }}x{{ else }}HERE{{ end }}", vec!["Values.a=Falsehood"]),
            (
                "{{ if and .Values.a (not $.Values.b) }}HERE{{ end }}",
                vec!["Values.a=Truth", "Values.b=Falsehood"],
            ),
            ("{{ if or (include \"x\" .) .Values.b }}HERE{{ end }}", vec!["Values.b=Truth"]),
            ("{{ if eq .Values.a \"job\" }}HERE{{ end }}", vec!["Values.a=Text(\"job\")"]),
            (
                "{{ if ne (.Values.a | toString) \"x\" }}HERE{{ end }}",
                vec!["Values.a=Text(\"placeholder-not-x\")"],
            ),
            ("{{ if eq .Values.a \"x\" \"y\" }}HERE{{ end }}", vec!["Values.a=Text(\"x\")"]),
            ("{{ if has .Values.a (list \"x\" 1) }}HERE{{ end }}", vec!["Values.a=Text(\"x\")"]),
            ("{{ if not (has .Values.a (list 1 2)) }}HERE{{ end }}", vec![]),
            ("{{ if has \"x\" .Values.a }}HERE{{ end }}", vec![]),
            ("{{ if gt (int .Values.a) 1 }}HERE{{ end }}", vec!["Values.a=Number(2)"]),
            ("{{ if gt (len .Values.a) 0 }}HERE{{ end }}", vec!["Values.a=Truth"]),
            ("{{ if ne (.Values.a | len) 0 }}HERE{{ end }}", vec!["Values.a=Truth"]),
            ("{{ if eq (len .Values.a) 0 }}HERE{{ end }}", vec!["Values.a=Falsehood"]),
            ("{{ if gt (len .Values.a) 1 }}HERE{{ end }}", vec![]),
            (
                "{{ with .Values.a }}{{ if .b }}HERE{{ end }}{{ end }}",
                vec!["Values.a=Truth", "Values.a.b=Truth"],
            ),
            ("{{ range .Values.a }}{{ if .b }}HERE{{ end }}{{ end }}", vec!["Values.a=Truth"]),
            (
                "{{ define \"x\" }} {{ default \"none\" .Values.a.b | lower }}{{ end }}\
                 {{ if eq (include \"x\" .) \"y\" }}HERE{{ end }}",
                vec!["Values.a.b=Text(\"y\")"],
            ),
            (
                "{{ define \"x\" }}{{ if and .a (not .b) }} true {{ end }}{{ end }}\
                 {{ if eq (include \"x\" .Values) \"true\" }}HERE{{ end }}",
                vec!["Values.a=Truth", "Values.b=Falsehood"],
            ),
            (
                "{{ define \"x\" }}{{ if .Values.a }}on{{ else }}off{{ end }}{{ end }}\
                 {{ if ne \"on\" (include \"x\" . | trim) }}HERE{{ end }}",
                vec!["Values.a=Falsehood"],
            ),
            (
                "{{ define \"x\" }}{{ if .Values.a }}1{{ end }}{{ end }}\
                 {{ if include \"x\" . }}HERE{{ end }}",
                vec!["Values.a=Truth"],
            ),
            (
                "{{ define \"x\" }}{{ include \"x\" . }}{{ end }}\
                 {{ if include \"x\" . }}HERE{{ end }}",
                vec![],
            ),
            ("{{ if .Values.a | default false }}HERE{{ end }}", vec!["Values.a=Truth"]),
            ("{{ if (index .Values \"a-b\" \"c\").d }}HERE{{ end }}", vec!["Values.a-b.c.d=Truth"]),
            (
                "{{ if not (get (index .Values.a \"b\") \"c\") }}HERE{{ end }}",
                vec!["Values.a.b.c=Falsehood"],
            ),
            ("{{ if eq (get .Values \"a\") \"x\" }}HERE{{ end }}", vec!["Values.a=Text(\"x\")"]),
            ("{{ if dig \"a\" \"b\" false .Values }}HERE{{ end }}", vec!["Values.a.b=Truth"]),
            ("{{ if hasKey .Values.a \"b\" }}HERE{{ end }}", vec!["Values.a.b=Truth"]),
            ("{{ if index .Values.a 0 }}HERE{{ end }}", vec![]),
            ("{{ if not (hasKey .Values.a \"b\") }}HERE{{ end }}", vec![]),
            ("{{ if include \"x\" . }}HERE{{ end }}", vec![]),
            ("{{ if not .Values.a }}{{ fail \"x\" }}{{ end }}HERE", vec!["Values.a=Truth"]),
            (
                "HERE{{ if eq .Values.a \"x\" }}{{ \"no\" | fail }}{{ end }}",
                vec!["Values.a=Text(\"placeholder-not-x\")"],
            ),
            (
                "{{ if .Values.a }}{{ else }}{{ fail \"x\" }}{{ end }}{{ if .Values.b }}HERE{{ end }}",
                vec!["Values.a=Truth", "Values.b=Truth"],
            ),
            ("{{ $a := .Values.a }}{{ if not $a }}HERE{{ end }}", vec!["Values.a=Falsehood"]),
            ("{{ $a := .Values }}{{ if $a.b }}HERE{{ end }}", vec!["Values.b=Truth"]),
            (
                "{{ with .Values.a }}{{ $b := .b }}{{ if $b }}HERE{{ end }}{{ end }}",
                vec!["Values.a=Truth", "Values.a.b=Truth"],
            ),
            ("{{ $a := .Values.a }}{{ $a = 1 }}{{ if $a }}HERE{{ end }}", vec![]),
            (
                "{{ $a := .Values.a }}{{ if .b }}{{ $a = 1 }}{{ end }}{{ if $a }}HERE{{ end }}",
                vec![],
            ),
            ("{{ $a := .Values.a | len }}{{ if $a }}HERE{{ end }}", vec![]),
            ("{{ if and .Values.a .Values.b }}{{ fail \"x\" }}{{ end }}HERE", vec![]),
            ("{{ if .Values.a }}{{ if .Values.b }}{{ fail \"x\" }}{{ end }}{{ end }}HERE", vec![]),
        ] {
            assert_eq!(requirements(text), expected, "{text}");
        }
    }
}
