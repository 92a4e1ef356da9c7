//! Substitutes generator parameters into the template of an ApplicationSet.

use std::sync::Arc;

use go_template::{
    Data, Executor, Key, List, MissingKey, Options, TemplateSet, Value,
    provenance::{FileId, Provenance},
};
use helm_render::{
    Budget, HelmVersion,
    functions::{self, Host},
};
use serde_json::Value as Json;
use yaml_spans::{self as yaml, Entry, Map, Node};

use super::generators::{GeneratorError, Parameters};
use crate::words::UNKNOWN;

/// One set of parameters to substitute, as `{{name}}` or as Go templates.
pub(crate) struct Substitution<'a> {
    parameters: &'a Parameters,
    go: bool,
    /// Some parameters are unknown: a template that needs them stays as written.
    is_partial: bool,
    budget: &'a Budget,
}

impl<'a> Substitution<'a> {
    pub(crate) fn new(
        parameters: &'a Parameters,
        go: bool,
        is_partial: bool,
        budget: &'a Budget,
    ) -> Self {
        Self { parameters, go, is_partial, budget }
    }

    /// Returns the tree with its strings substituted; spans are unchanged.
    ///
    /// # Errors
    /// A Go template fails.
    pub(crate) fn fill(&self, node: &Node) -> Result<Node, GeneratorError> {
        let value = match &node.value {
            yaml::Value::Str(text) if text.contains("{{") => {
                yaml::Value::Str(Arc::from(&*self.text(text)?))
            }
            yaml::Value::Seq(items) => yaml::Value::Seq(
                items.iter().map(|item| self.fill(item)).collect::<Result<_, _>>()?,
            ),
            yaml::Value::Map(map) => {
                let entry = |entry: &Entry| {
                    let key = match entry.key.contains("{{") {
                        true => Arc::from(&*self.text(&entry.key)?),
                        false => entry.key.clone(),
                    };
                    Ok(Entry { key, value: self.fill(&entry.value)?, ..entry.clone() })
                };
                let mut filled = Map::default();
                filled.entries =
                    map.entries.iter().map(entry).collect::<Result<_, GeneratorError>>()?;
                yaml::Value::Map(Arc::new(filled))
            }
            other => other.clone(),
        };
        Ok(Node { value, ..node.clone() })
    }

    fn text(&self, text: &str) -> Result<String, GeneratorError> {
        if !self.go {
            return Ok(self.plain(text));
        }
        match self.go_template(text) {
            Err(GeneratorError::Template(_)) if self.is_partial => Ok(text.to_owned()),
            filled => filled,
        }
    }

    /// Placeholders that name no parameter stay unchanged.
    fn plain(&self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("{{") {
            let Some((name, behind)) = after.split_once("}}") else { break };
            out.push_str(before);
            match self.named(name.trim()) {
                Some(value) => out.push_str(&value),
                None => out.push_str(&format!("{{{{{name}}}}}")),
            }
            rest = behind;
        }
        out + rest
    }

    /// `path` is the path itself; `path.basename` and `path[0]` are its parts.
    fn named(&self, name: &str) -> Option<String> {
        let mut steps = name.split('.');
        let first = steps.next()?;
        let (first, index) = match first.split_once('[') {
            Some((first, index)) => (first, Some(index.trim_end_matches(']'))),
            None => (first, None),
        };
        let node = self.parameters.get(first)?;
        let node = match index {
            Some(index) => node.get("segments")?.get(index.parse::<usize>().ok()?)?,
            None => steps.try_fold(node, |node, step| node.get(step))?,
        };
        let node = node.get("path").filter(|_| node.get("segments").is_some()).unwrap_or(node);
        Some(match node {
            Json::String(text) => text.clone(),
            other => other.to_string(),
        })
    }

    fn go_template(&self, text: &str) -> Result<String, GeneratorError> {
        let functions = functions::functions(HelmVersion::V4);
        let mut set = TemplateSet::new("");
        set.parse("", text.as_bytes(), FileId(0), functions)
            .map_err(|error| GeneratorError::Template(error.to_string()))?;
        let budget = self.budget.clone();
        let missing_key = if self.is_partial { MissingKey::Error } else { MissingKey::default() };
        let options = Options { provenance: false, budget, missing_key, ..Options::default() };
        let mut executor =
            Executor::new(&set, functions, options, Provenance::default(), Host::default());
        let data: Value =
            self.parameters.iter().map(|(key, one)| (Key::from(&**key), value(one))).collect();
        let text = executor.execute("", &data).map_err(|error| match self.budget.exceeded() {
            Some(limit) => GeneratorError::Limit(limit.to_string()),
            None => GeneratorError::Template(error.to_string()),
        })?;
        Ok(String::from_utf8_lossy(text.as_bytes()).into_owned())
    }
}

/// The template of an Application with a placeholder for each parameter that nobody knows in its Helm values: `$_.zone__` for
/// `{{ .zone }}`, which YAML takes as a text wherever a chart prints it.
pub(super) fn with_unknown_values(template: &Node) -> Node {
    below(template, &["spec"], &|spec| {
        let source = |source: &Node| below(source, &["helm"], &unknown);
        let spec = below(spec, &["source"], &source);
        below(&spec, &["sources"], &|sources| sources.with_children(source))
    })
}

/// The tree with what is at a path replaced.
fn below(node: &Node, path: &[&str], replaced: &dyn Fn(&Node) -> Node) -> Node {
    let Some((key, rest)) = path.split_first() else { return replaced(node) };
    let yaml::Value::Map(map) = &node.value else { return node.clone() };
    let entry = |entry: &Entry| match &*entry.key == *key {
        true => Entry { value: below(&entry.value, rest, replaced), ..entry.clone() },
        false => entry.clone(),
    };
    let mut changed = Map::default();
    changed.entries = map.entries.iter().map(entry).collect();
    Node { value: yaml::Value::Map(Arc::new(changed)), ..node.clone() }
}

fn unknown(node: &Node) -> Node {
    match &node.value {
        yaml::Value::Str(text) if text.contains("{{") => {
            let value = yaml::Value::Str(Arc::from(placeholders(text)));
            Node { value, ..node.clone() }
        }
        _ => node.with_children(unknown),
    }
}

/// The text with placeholders of the same length for its templates.
fn placeholders(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((inner, behind)) = after.split_once("}}") else { break };
        out.push_str(before);
        out.push_str(UNKNOWN.0);
        for c in inner.chars() {
            let kept = c.is_ascii_alphanumeric() || c == '.';
            out.extend(std::iter::repeat_n(if kept { c } else { '_' }, c.len_utf8()));
        }
        out.push_str(UNKNOWN.1);
        rest = behind;
    }
    out + rest
}

fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::from(Data::Nil),
        Json::Bool(flag) => Value::from(*flag),
        // Go decodes JSON numbers as `float64`.
        Json::Number(number) => Value::from(number.as_f64().unwrap_or_default()),
        Json::String(text) => Value::from(&**text),
        Json::Array(items) => Value::from(List::new(items.iter().map(value).collect())),
        Json::Object(map) => map.iter().map(|(key, one)| (Key::from(&**key), value(one))).collect(),
    }
}
