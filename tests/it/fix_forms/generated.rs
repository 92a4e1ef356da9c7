//! Charts and kustomizations that produce an object.

use super::forms::windows;
use crate::support::{Files, values as parsed};

const CHART: &str = "apiVersion: v2\nname: a\nversion: 1.0.0\n";

fn chart(template: &str, helper: &str, values: &str) -> Files {
    let files = [
        ("Chart.yaml", CHART),
        ("templates/_a.tpl", helper),
        ("templates/object.yaml", template),
        ("values.yaml", values),
    ];
    let files = files.iter().filter(|(_, text)| !text.is_empty());
    files.map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

/// A text without actions.
fn plain(text: &str) -> Option<&str> {
    (!text.contains("{{")).then_some(text)
}

pub fn template(text: &str) -> Option<Files> {
    Some(chart(plain(text)?, "", ""))
}

pub fn windows_template(text: &str) -> Option<Files> {
    Some(chart(&windows(plain(text)?), "", ""))
}

pub fn condition(text: &str) -> Option<Files> {
    let text = plain(text)?;
    Some(chart(
        &format!("{{{{- if .Values.enabled }}}}\n{text}{{{{- end }}}}\n"),
        "",
        "enabled: true\n",
    ))
}

pub fn helper(text: &str) -> Option<Files> {
    let helper = format!("{{{{- define \"a\" -}}}}\n{}{{{{- end }}}}\n", plain(text)?);
    Some(chart("{{ include \"a\" . }}\n", &helper, ""))
}

pub fn helper_of_spec(text: &str) -> Option<Files> {
    let (before, spec, after) = block(plain(text)?, "spec:\n")?;
    let helper = format!("{{{{- define \"a\" }}}}\n{spec}{{{{- end }}}}\n");
    let include = "spec:\n  {{- include \"a\" . | nindent 2 }}\n";
    Some(chart(&format!("{before}{include}{after}"), &helper, ""))
}

pub fn spec_of_values(text: &str) -> Option<Files> {
    let (before, spec, after) = block(plain(text)?, "spec:\n")?;
    let print = "spec:\n  {{- toYaml .Values.spec | nindent 2 }}\n";
    Some(chart(&format!("{before}{print}{after}"), "", &format!("spec:\n{}", below(&spec))))
}

pub fn annotations_of_values(text: &str) -> Option<Files> {
    let (before, own, after) = block(plain(text)?, "  annotations:\n")?;
    let with = "  {{- with .Values.annotations }}\n  annotations:\n    {{- toYaml . | nindent 4 }}\n  {{- end }}\n";
    let values = format!("annotations:\n{}", below(&own));
    Some(chart(&format!("{before}{with}{after}"), "", &values))
}

/// Every word behind a colon comes from the values, with quotes from the template.
pub fn values(text: &str) -> Option<Files> {
    let (mut template, mut values) = (String::new(), String::new());
    for (number, line) in plain(text)?.lines().enumerate() {
        let pair = line.split_once(": ").filter(|(_, value)| !value.is_empty());
        let is_word = |value: &str| {
            let inner = value.trim_matches('"');
            !inner.is_empty()
                && !inner.contains([' ', '\'', '"', '{', '[', '|', '>', '&', '*', '!', '#', '\\'])
        };
        match pair.filter(|(_, value)| is_word(value)) {
            Some((key, value)) => {
                let quote = if value.starts_with('"') { " | quote" } else { "" };
                template += &format!("{key}: {{{{ .Values.v{number}{quote} }}}}\n");
                values += &format!("v{number}: {value}\n");
            }
            None => template += &format!("{line}\n"),
        }
    }
    Some(chart(&template, "", &values))
}

pub fn kustomization(text: &str) -> Option<Files> {
    owned(&[("kustomization.yaml", "resources: [object.yaml]\n"), ("object.yaml", text)])
}

pub fn base(text: &str) -> Option<Files> {
    owned(&[
        ("base/kustomization.yaml", "resources: [object.yaml]\n"),
        ("base/object.yaml", text),
        ("prod/kustomization.yaml", "resources: [../base]\n"),
    ])
}

pub fn patch(text: &str) -> Option<Files> {
    let [object] = &parsed(text)[..] else { return None };
    let base = serde_json::json!({
        "apiVersion": object["apiVersion"],
        "kind": object["kind"],
        "metadata": { "name": object["metadata"]["name"] },
    });
    owned(&[
        ("kustomization.yaml", "resources: [object.yaml]\npatches: [{path: patch.yaml}]\n"),
        ("object.yaml", &base.to_string()),
        ("patch.yaml", text),
    ])
}

fn owned(files: &[(&str, &str)]) -> Option<Files> {
    Some(files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect())
}

/// The texts before and behind a block, and the lines of the block without the indentation of the first.
fn block(text: &str, key: &str) -> Option<(String, String, String)> {
    let start = match text.starts_with(key) {
        true => 0,
        false => text.find(&format!("\n{key}"))? + 1,
    };
    let outer = key.len() - key.trim_start().len() + 2;
    let rest = &text[start + key.len()..];
    let is_inside =
        |line: &&str| line.trim().is_empty() || line.len() - line.trim_start().len() >= outer;
    let lines: Vec<_> = rest.split_inclusive('\n').take_while(is_inside).collect();
    let own: String = lines.iter().map(|line| line.get(outer..).unwrap_or("\n")).collect();
    let length: usize = lines.iter().map(|line| line.len()).sum();
    (!own.is_empty()).then(|| (text[..start].to_owned(), own, rest[length..].to_owned()))
}

/// The lines with an indentation of two more spaces.
fn below(text: &str) -> String {
    text.split_inclusive('\n').map(|line| format!("  {line}")).collect()
}
