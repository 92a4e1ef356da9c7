//! The settings file: its structure, and the problems of a file that does not follow it.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use file_boundary::Boundary;
use job_lifecycle::{kubernetes::Version, suggest::nearest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shell_effects as script;
use yaml_spans::{self as yaml, Location, Node, Source, Span};

use super::{Problem, require};
use crate::{discover::shown, finding::Severity, rules};

/// The name of the settings file.
pub(crate) const NAME: &str = ".joblint.yaml";

/// Settings of joblint. The nearest file applies, searching upwards from the checked paths to the repository root.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct File {
    /// Another settings file to extend, relative to this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) extends: Option<PathBuf>,
    /// What deploys the objects; detected when absent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) deployer: Vec<DeployerEntry>,
    /// The Kubernetes version of the cluster, such as "1.34".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) kube_version: Option<Version>,
    /// Value sets to check charts with, in addition to their defaults and `ci/*-values.yaml`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) values: Vec<ValuesEntry>,
    /// Only these rules run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) select: Option<Vec<String>>,
    /// Globs for files and folders that are not checked. A glob without `/` matches names at any depth, every other
    /// one paths relative to this file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) exclude: Vec<String>,
    /// Findings to ignore.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) ignore: Vec<IgnoreEntry>,
    /// Severity and options of rules, by rule.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) rules: BTreeMap<String, RuleEntry>,
    /// What every Job and CronJob must have: all of these, and any one of each inner list.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "super::schema::requirements")]
    pub(crate) require: Vec<serde_json::Value>,
    /// Your own commands and what they do when they run again, in the format of the built-in catalogue.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) commands: Vec<script::Entry>,
    /// Files and folders with ValidatingAdmissionPolicies and rules of your own, relative to this file. Those in the
    /// repository are found without it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) policies: Vec<PathBuf>,
    /// The lowest severity that makes joblint exit with 1: warning when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fail_on: Option<Severity>,
    /// The file with accepted findings, relative to this file: `.joblint-baseline.json` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) baseline: Option<PathBuf>,
}

/// A deployer: its name, the value of a `--deployer` flag, or a map with its options.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum DeployerEntry {
    Flag(String),
    Options(BTreeMap<String, BTreeMap<String, serde_json::Value>>),
}

/// One value set: the files that one deploy passes together.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ValuesEntry {
    /// Glob for chart folders, relative to this file; every chart when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) chart: Option<String>,
    /// Values files, relative to this file; later ones override earlier ones.
    pub(crate) files: Vec<PathBuf>,
}

/// Findings to ignore: those that match every given key.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct IgnoreEntry {
    /// The rule to ignore.
    pub(crate) rule: String,
    /// Glob for paths, relative to this file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<String>,
    /// The kind of the object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<String>,
    /// Glob for the object's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    /// Why the findings are acceptable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
}

/// How to treat a rule.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(crate) struct RuleEntry {
    /// Overrides the rule's own severity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) severity: Option<Level>,
    /// The rule's options: see `joblint explain`.
    #[serde(flatten)]
    pub(crate) options: BTreeMap<String, serde_json::Value>,
}

/// A severity, or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Level {
    Off,
    Info,
    Warning,
    Error,
}

/// A parsed settings file with its text.
#[derive(Clone, Debug)]
pub(crate) struct Loaded {
    pub(crate) file: File,
    pub(crate) source: Arc<Source>,
    pub(crate) root: Option<Node>,
    /// The folder of the file, which its paths are relative to.
    pub(crate) folder: PathBuf,
    /// The files that it may name.
    pub(crate) boundary: Boundary,
}

/// Reads a settings file.
///
/// # Errors
/// The file cannot be read, is not YAML, or does not have the structure of [`File`].
pub(super) fn load(path: &Path, boundary: &Boundary) -> Result<Loaded, Problem> {
    let name = shown(path);
    let text = boundary.read_to_string(path).map_err(|error| {
        let source = Arc::new(Source::new(&name, ""));
        Problem::new(&source, Span::default(), format!("cannot be read: {error}"))
    })?;
    let source = Arc::new(Source::new(&name, text));
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let boundary = boundary.clone();
    let root = match yaml::parse(&source.text).into_iter().next() {
        None => {
            return Ok(Loaded { file: File::default(), source, root: None, folder, boundary });
        }
        Some(Err(problem)) => return Err(Problem::new(&source, problem.span, problem.reason)),
        Some(Ok(document)) => document.root,
    };
    match serde_yaml::from_str(&source.text) {
        Ok(file) => Ok(Loaded { file, source, root: Some(root), folder, boundary }),
        Err(error) => Err(structure_problem(&source, &root, &error)),
    }
}

/// The problem behind a deserialisation error: the wrong word, with the most similar valid one.
fn structure_problem(source: &Arc<Source>, root: &Node, error: &serde_yaml::Error) -> Problem {
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

/// The key or scalar with this text that is nearest to an offset.
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
    /// The location of a value, or of an item of the list there; the start of the file when it is missing.
    pub(super) fn location(&self, path: &[&str], index: Option<usize>) -> Location {
        let node = self.root.as_ref().and_then(|root| root.at(path));
        let node = match index {
            Some(index) => node.and_then(|node| node.items().get(index)),
            None => node,
        };
        let span = node.map(|node| node.span).unwrap_or_default();
        Location { source: self.source.clone(), span }
    }

    /// Unknown rules, options and requirements, and contradictory commands, which deserialisation accepts.
    pub(super) fn check_names(&self) -> Vec<Problem> {
        let mut problems = require::read(self).err().unwrap_or_default();
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

    fn check_rule(
        &self,
        id: &str,
        path: &[&str],
        item: Option<(usize, &str)>,
        problems: &mut Vec<Problem>,
    ) -> bool {
        if rules::find(id).is_some() || rules::is_own_id(id) {
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
    pub(super) fn problem(
        &self,
        path: &[&str],
        item: Option<(usize, &str)>,
        reason: String,
    ) -> Problem {
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
    use crate::settings::{Error, Settings};

    /// The text and the reason of each problem of a settings file.
    fn wrong(text: &str) -> Vec<(String, String)> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(NAME);
        std::fs::write(&path, text).unwrap();
        let Error { problems } = Settings::read(&path).unwrap_err();
        let shown = |problem: &Problem| {
            let Location { source, span } = &problem.location;
            (source.slice(*span).to_owned(), problem.reason.clone())
        };
        problems.iter().map(shown).collect()
    }

    #[test]
    fn named_values_files_must_exist() {
        let (place, reason) = wrong("values: [{chart: 'a*', files: [gone.yaml]}]").remove(0);
        assert_eq!(place, "[gone.yaml]");
        assert!(reason.starts_with("`gone.yaml` cannot be read: "), "{reason}");
        let (place, reason) = wrong("values: [{chart: 'a[', files: [gone.yaml]}]").remove(0);
        assert_eq!((&*place, reason.starts_with("`a[` is not a valid glob: ")), ("'a['", true));
        let empty = wrong("values: [{files: []}]");
        assert_eq!(empty, [("[]".to_owned(), "a value set needs at least one file".to_owned())]);
    }

    #[test]
    fn contradictory_commands_are_problems_of_their_entry() {
        let entry = "{run: a b, statement: INSERT, verdict: idempotent, why: asks}";
        let text =
            format!("commands:\n  - {{run: c, verdict: destroys, why: drops}}\n  - {entry}\n");
        let reason = "`run`, `statement` and `request` exclude each other";
        assert_eq!(wrong(&text), [(entry.to_owned(), reason.to_owned())]);
        let (place, reason) = wrong("commands: [{run: a, verdict: destroy, why: drops}]").remove(0);
        assert_eq!((&*place, &*reason), ("destroy", "unknown key or value `destroy`"));
    }
}
