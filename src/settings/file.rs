//! The settings file: its form, and the errors of one that is not in form.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use job_lifecycle::{kubernetes::Version, suggest::nearest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shell_effects as script;
use yaml_spans::{self as yaml, Location, Node, Source, Span};

use super::{Problem, require};
use crate::{discover::shown, finding::Severity, rules};

/// The name of the settings file.
pub const NAME: &str = ".joblint.yaml";

/// Settings of joblint. The file nearest to what is checked counts, up to the repository root.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct File {
    /// Another settings file to build on, relative to this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extends: Option<PathBuf>,
    /// What deploys the objects; found out when absent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deployer: Vec<DeployerEntry>,
    /// The Kubernetes version of the cluster, such as "1.34".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kube_version: Option<Version>,
    /// Values that charts are checked with beside their defaults and `ci/*-values.yaml`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<ValuesEntry>,
    /// Only these rules run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub select: Option<Vec<String>>,
    /// Findings to ignore.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ignore: Vec<IgnoreEntry>,
    /// Severity and options of rules, by rule.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub rules: BTreeMap<String, RuleEntry>,
    /// What every Job must have: all of these; of an inner list any one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub require: Vec<Requirement>,
    /// Commands of your own and what they do when they run again, in the form of the built-in catalogue.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<script::Entry>,
    /// The lowest severity that makes joblint exit with 1: warning when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fail_on: Option<Severity>,
    /// Findings accepted for now, relative to this file: `.joblint-baseline.json` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<PathBuf>,
}

/// A deployer: its name, the form of the `--deployer` flag, or a map of its options.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum DeployerEntry {
    Flag(String),
    Options(BTreeMap<String, BTreeMap<String, serde_json::Value>>),
}

/// One set of values: files that a deploy gives together.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ValuesEntry {
    /// Glob over the folders of charts, relative to this file; every chart when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chart: Option<String>,
    /// Values files, relative to this file; later ones win.
    pub files: Vec<PathBuf>,
}

/// Which findings to ignore: all that match every key given.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IgnoreEntry {
    /// The rule to ignore.
    pub rule: String,
    /// Glob over paths relative to this file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Kind of the object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Glob over the object's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Why this is fine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// How to treat a rule.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct RuleEntry {
    /// Instead of the rule's own severity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<Level>,
    /// The rule's options: see `joblint explain`.
    #[serde(flatten)]
    pub options: BTreeMap<String, serde_json::Value>,
}

/// A severity, or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Off,
    Info,
    Warning,
    Error,
}

/// One thing to have, or several of which any is enough.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Requirement {
    One(String),
    Any(Vec<String>),
}

/// A settings file with the text it came from.
#[derive(Clone, Debug)]
pub struct Loaded {
    pub file: File,
    pub source: Arc<Source>,
    pub root: Option<Node>,
    /// The folder its paths are relative to.
    pub folder: PathBuf,
}

/// Reads a settings file.
///
/// # Errors
/// Every problem with its place; nothing is applied then.
pub fn load(path: &Path) -> Result<Loaded, Vec<Problem>> {
    let name = shown(path);
    let text = std::fs::read_to_string(path).map_err(|error| {
        let source = Arc::new(Source::new(&name, ""));
        vec![Problem::new(&source, Span::default(), format!("cannot be read: {error}"))]
    })?;
    let source = Arc::new(Source::new(&name, text));
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let root = match yaml::parse(&source.text).into_iter().next() {
        None => return Ok(Loaded { file: File::default(), source, root: None, folder }),
        Some(Err(problem)) => {
            return Err(vec![Problem::new(&source, problem.span, problem.reason)]);
        }
        Some(Ok(document)) => document.root,
    };
    match serde_yaml::from_str(&source.text) {
        Ok(file) => Ok(Loaded { file, source, root: Some(root), folder }),
        Err(error) => Err(vec![misfit(&source, &root, &error)]),
    }
}

/// An error of form, with the word that is wrong and the nearest right one.
fn misfit(source: &Arc<Source>, root: &Node, error: &serde_yaml::Error) -> Problem {
    let text = error.to_string();
    let reason = text.split(" at line ").next().unwrap_or(&text).to_owned();
    let at = error.location().map_or(0, |location| location.index());
    let mut problem = Problem::new(source, Span::new(at, at + 1), reason);
    let mut quoted = text.split('`').skip(1).step_by(2);
    if let Some(wrong) = quoted.next()
        && text.contains("unknown ")
        && let Some(span) = word(root, wrong, at)
    {
        let expected: Vec<_> = quoted.collect();
        problem.location.span = span;
        problem.reason = format!("unknown key or value `{wrong}`");
        problem.help = Some(match nearest(wrong, expected.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("expected one of {}", expected.join(", ")),
        });
    }
    problem
}

/// The key or scalar of this text that is nearest to an offset.
fn word(node: &Node, text: &str, at: usize) -> Option<Span> {
    let mut found = Vec::new();
    words(node, text, &mut found);
    found.into_iter().min_by_key(|span| (span.start as usize).abs_diff(at))
}

fn words(node: &Node, text: &str, found: &mut Vec<Span>) {
    if node.as_str() == Some(text) {
        found.push(node.span);
    }
    for entry in node.entries() {
        if &*entry.key == text {
            found.push(entry.key_span);
        }
        words(&entry.value, text, found);
    }
    node.items().iter().for_each(|item| words(item, text, found));
}

impl Loaded {
    /// The place of a value in the file; the whole start of the file when it is not found.
    pub fn place(&self, path: &[&str], index: Option<usize>) -> Location {
        let node = self.root.as_ref().and_then(|root| root.at(path));
        let node = match index {
            Some(index) => node.and_then(|node| node.items().get(index)),
            None => node,
        };
        let span = node.map(|node| node.span).unwrap_or_default();
        Location { source: self.source.clone(), span }
    }

    /// Unknown rules, options and requirements, and commands that contradict themselves: what no form
    /// can refuse.
    pub fn check_names(&self) -> Vec<Problem> {
        let mut problems = self.check_requirements();
        for (index, entry) in self.file.commands.iter().enumerate() {
            let problem =
                |reason: &str| self.problem(&["commands"], Some((index, "")), reason.into());
            problems.extend(entry.validate().err().map(|error| problem(&error.to_string())));
        }
        for (index, entry) in self.file.ignore.iter().enumerate() {
            self.check_rule(&entry.rule, &["ignore"], Some((index, "rule")), &mut problems);
        }
        for (index, id) in self.file.select.iter().flatten().enumerate() {
            self.check_rule(id, &["select"], Some((index, "")), &mut problems);
        }
        for (id, entry) in &self.file.rules {
            if !self.check_rule(id, &["rules", id], None, &mut problems) {
                continue;
            }
            let known = rules::find(id).map(|rule| &rule.meta().options).into_iter().flatten();
            let known: Vec<_> = known.map(|(name, _)| name.as_str()).collect();
            for option in entry.options.keys().filter(|option| !known.contains(&option.as_str())) {
                let mut problem = self.problem(
                    &["rules", id, option],
                    None,
                    format!("`{id}` has no option `{option}`"),
                );
                problem.help = match nearest(option, known.iter().copied()) {
                    Some(near) => Some(format!("did you mean `{near}`?")),
                    None if known.is_empty() => Some("it takes `severity` only".to_owned()),
                    None => Some(format!("expected one of severity, {}", known.join(", "))),
                };
                problems.push(problem);
            }
        }
        problems
    }

    fn check_requirements(&self) -> Vec<Problem> {
        let list = self.root.as_ref().and_then(|root| root.get("require"));
        let items = list.map(Node::items).unwrap_or_default().iter();
        let each = items.flat_map(|item| match item.items() {
            [] => std::slice::from_ref(item),
            any => any,
        });
        let problem = |item: &Node| {
            let (reason, help) = require::error(item.as_str()?)?;
            let problem = Problem::new(&self.source, item.span, reason);
            Some(Problem { help: Some(help), ..problem })
        };
        each.filter_map(problem).collect()
    }

    fn check_rule(
        &self,
        id: &str,
        path: &[&str],
        item: Option<(usize, &str)>,
        problems: &mut Vec<Problem>,
    ) -> bool {
        if rules::find(id).is_some() {
            return true;
        }
        let mut problem = self.problem(path, item, format!("unknown rule `{id}`"));
        problem.help = nearest(id, rules::all().iter().map(|rule| rule.id))
            .map(|near| format!("did you mean `{near}`?"))
            .or(Some("`joblint rules` lists them all".to_owned()));
        problems.push(problem);
        false
    }

    /// A problem at a key (the last of the path), or at an item of the list there.
    pub fn problem(&self, path: &[&str], item: Option<(usize, &str)>, reason: String) -> Problem {
        let root = self.root.as_ref();
        let span = match item {
            Some((index, key)) => root
                .and_then(|root| root.at(path)?.items().get(index))
                .map(|node| node.get(key).unwrap_or(node).span),
            None => path.split_last().and_then(|(last, above)| {
                root.and_then(|root| root.at(above)?.entry(last)).map(|entry| entry.key_span)
            }),
        };
        Problem::new(&self.source, span.unwrap_or_default(), reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    /// The place and the reason of what is wrong with the text of a settings file.
    fn wrong(text: &str) -> Vec<(String, String)> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(NAME);
        std::fs::write(&path, text).unwrap();
        let problems = Settings::read(&path).unwrap_err();
        let place = |problem: &Problem| {
            let Location { source, span } = &problem.location;
            (source.slice(*span).to_owned(), problem.reason.clone())
        };
        problems.iter().map(place).collect()
    }

    #[test]
    fn values_files_are_there_when_they_are_named() {
        let (place, reason) = wrong("values: [{chart: 'a*', files: [gone.yaml]}]").remove(0);
        assert_eq!(place, "[gone.yaml]");
        assert!(reason.starts_with("`gone.yaml` cannot be read: "), "{reason}");
        let (place, reason) = wrong("values: [{chart: 'a[', files: [gone.yaml]}]").remove(0);
        assert_eq!((&*place, reason.starts_with("`a[` is no glob: ")), ("'a['", true));
        let empty = wrong("values: [{files: []}]");
        assert_eq!(empty, [("[]".to_owned(), "a set of values without a file".to_owned())]);
    }

    #[test]
    fn commands_that_contradict_themselves_are_shown_where_they_stand() {
        let entry = "{run: a b, statement: INSERT, verdict: idempotent, why: asks}";
        let text =
            format!("commands:\n  - {{run: c, verdict: destroys, why: drops}}\n  - {entry}\n");
        let reason = "`run`, `statement` and `request` exclude each other";
        assert_eq!(wrong(&text), [(entry.to_owned(), reason.to_owned())]);
        let (place, reason) = wrong("commands: [{run: a, verdict: destroy, why: drops}]").remove(0);
        assert_eq!((&*place, &*reason), ("destroy", "unknown key or value `destroy`"));
    }
}
