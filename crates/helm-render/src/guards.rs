//! The Jobs that stand in a chart's templates, rendered or not, with the conditions around them.

use std::sync::Arc;

use super::chart::Chart;
use super::rendered::Rendered;
use go_template::provenance::Step;
use go_template::{Condition, RequiredValue, Requirement};
use yaml_spans::{Location, Span};

/// The text of values that are there for a condition to hold.
pub const PLACEHOLDER: &str = "placeholder";

/// A Job in literal text of a template.
#[derive(Clone, Debug)]
pub struct GuardedJob {
    /// The value of `kind`.
    pub at: Location,
    pub conditions: Vec<Condition>,
    /// The steps from the values of the root chart to those of the template's chart.
    prefix: Vec<Step>,
}

impl GuardedJob {
    /// The steps below the root chart's `Values` for a path of the template's data, when it is one.
    pub fn steps(&self, path: &[Arc<str>]) -> Option<Vec<Step>> {
        let (first, rest) = path.split_first()?;
        if &**first != "Values" || rest.is_empty() {
            return None;
        }
        let keys = rest.iter().cloned().map(Step::Key);
        let is_global = &*rest[0] == super::values::GLOBAL;
        let prefix = if is_global { &[] } else { &self.prefix[..] };
        Some(prefix.iter().cloned().chain(keys).collect())
    }
}

/// A condition wants a release that is upgraded, not installed.
pub fn wants_upgrade(requirement: &Requirement) -> bool {
    let path: Vec<_> = requirement.path.iter().map(|step| &**step).collect();
    match (&path[..], &requirement.value) {
        (["Release", "IsUpgrade"], wanted) => *wanted == RequiredValue::Truth,
        (["Release", "IsInstall"], wanted) => *wanted == RequiredValue::Falsehood,
        (["Release", "Revision"], RequiredValue::Number(revision)) => *revision > 1,
        _ => false,
    }
}

/// Every `kind: Job` and `kind: CronJob` that the executed templates of the last render hold.
pub fn jobs(chart: &Chart, rendered: &Rendered) -> Vec<GuardedJob> {
    let cache = chart.parsed.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let Some(parsed) = cache.as_ref() else { return Vec::new() };
    let mut jobs = Vec::new();
    for template in &rendered.templates {
        let base = template.name.rsplit('/').next().unwrap_or_default();
        let may = memchr::memmem::find(&template.file().data, b"Job").is_some();
        if base.starts_with('_') || !may {
            continue;
        }
        let holds = |text: &[u8]| kinds(text).next().is_some();
        for guarded in parsed.set.guarded(&template.name, &holds) {
            let source = template.source();
            let start = guarded.text.start as usize;
            let text = &template.file().data[start..guarded.text.end as usize];
            for kind in kinds(text) {
                let span = Span::new(start + kind.start, start + kind.end);
                let at = Location { source: source.clone(), span };
                let conditions = guarded.conditions.clone();
                jobs.push(GuardedJob { at, conditions, prefix: prefix(&template.name) });
            }
        }
    }
    jobs
}

/// The values of `kind` in lines that say that an object is a Job or CronJob.
fn kinds(text: &[u8]) -> impl Iterator<Item = std::ops::Range<usize>> {
    let lines = memchr::memmem::find_iter(text, b"kind:");
    lines.filter_map(move |at| {
        let alone = at == 0 || text[at - 1] == b'\n';
        let rest = &text[at + b"kind:".len()..];
        let line = &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())];
        let value = std::str::from_utf8(line).ok()?.split('#').next()?.trim();
        let name = value.trim_matches(['"', '\'']);
        let start = value.as_ptr() as usize - text.as_ptr() as usize;
        (alone && matches!(name, "Job" | "CronJob")).then_some(start..start + value.len())
    })
}

/// `shop/charts/db/templates/job.yaml`: the values of `db` are below `db`.
fn prefix(name: &str) -> Vec<Step> {
    let folders = name.split('/').skip(1).collect::<Vec<_>>();
    let pairs = folders.chunks(2).take_while(|pair| pair[0] == "charts" && pair.len() == 2);
    pairs.map(|pair| Step::Key(pair[1].into())).collect()
}

/// The value that a condition wants, of the type that is there now.
pub fn value(wanted: &RequiredValue, now: Option<&serde_json::Value>) -> serde_json::Value {
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
    use crate::{HelmVersion, functions::functions};
    use go_template::{TemplateSet, provenance::FileId};

    /// The requirements around `HERE`, as `path=value`.
    fn requirements(text: &str) -> Vec<String> {
        let mut set = TemplateSet::new("test");
        set.parse("t", text.as_bytes(), FileId(0), &functions(HelmVersion::V4))
            .expect("a template that parses");
        let is_here = |text: &[u8]| memchr::memmem::find(text, b"HERE").is_some();
        let found = set.guarded("t", &is_here);
        assert_eq!(found.len(), 1, "{text}");
        let all = found[0].conditions.iter().flat_map(|condition| &condition.requirements);
        all.map(|requirement| format!("{}={:?}", requirement.path.join("."), requirement.value))
            .collect()
    }

    #[test]
    fn conditions_tell_what_they_want() {
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
                vec!["Values.a=Text(\"not-x\")"],
            ),
            ("{{ if eq .Values.a \"x\" \"y\" }}HERE{{ end }}", vec!["Values.a=Text(\"x\")"]),
            ("{{ if has .Values.a (list \"x\" 1) }}HERE{{ end }}", vec!["Values.a=Text(\"x\")"]),
            ("{{ if not (has .Values.a (list 1 2)) }}HERE{{ end }}", vec![]),
            ("{{ if has \"x\" .Values.a }}HERE{{ end }}", vec![]),
            ("{{ if gt (int .Values.a) 1 }}HERE{{ end }}", vec!["Values.a=Number(2)"]),
            (
                "{{ with .Values.a }}{{ if .b }}HERE{{ end }}{{ end }}",
                vec!["Values.a=Truth", "Values.a.b=Truth"],
            ),
            ("{{ range .Values.a }}{{ if .b }}HERE{{ end }}{{ end }}", vec!["Values.a=Truth"]),
            ("{{ if .Values.a | default false }}HERE{{ end }}", vec!["Values.a=Truth"]),
            ("{{ if include \"x\" . }}HERE{{ end }}", vec![]),
        ] {
            assert_eq!(requirements(text), expected, "{text}");
        }
    }
}
