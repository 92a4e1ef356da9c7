//! The inputs of a render that satisfy the conditions around Jobs.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use go_template::provenance::Step;
use helm_render::{
    Override,
    guards::{self, Condition, GuardedObject, Requirement},
    values::{Setting, Table, Tree},
};

use super::{Parsed, example_entries};
use crate::{release_changes, unit::Rendering};

/// The built-in value that distinguishes an upgrade from an install.
const UPGRADE: &str = "Release.IsUpgrade";

/// The inputs that satisfy the conditions around a group of Jobs.
#[derive(Default)]
pub(super) struct RequiredInputs {
    /// Values by their path.
    pub(super) values: BTreeMap<Vec<String>, Override>,
    /// Those without which a template calls `fail`, as [`RequiredInputs::name`] counts them, with its path.
    demanded: BTreeSet<(String, String)>,
    /// The release is rendered as an upgrade.
    pub(super) is_upgrade: bool,
    /// An empty list or map has an entry without fields.
    pub(super) is_of_entries: bool,
}

impl RequiredInputs {
    pub(super) fn from_values(values: BTreeMap<Vec<String>, Override>) -> Self {
        Self { values, ..Self::default() }
    }

    /// Collects the inputs that the conditions around some Jobs require.
    pub(super) fn of<'a>(
        base: &Rendering,
        jobs: impl IntoIterator<Item = &'a GuardedObject>,
    ) -> Self {
        let mut all = Self::default();
        for job in jobs {
            let conditions = job.conditions.iter();
            let requirements =
                conditions.flat_map(|one| one.requirements.iter().map(move |own| (one, own)));
            for (condition, requirement) in requirements {
                all.is_upgrade |= guards::wants_upgrade(requirement);
                let Some((names, value)) = unmet(base, job, requirement) else { continue };
                let Some(path) = job.steps(&requirement.path) else { continue };
                if condition.is_demand {
                    all.demanded.insert((template_path(base, job), input(&names)));
                }
                all.values.entry(names).or_insert(Override { path, value });
            }
        }
        // A value for a whole table is useless when a key inside that table is required too.
        let paths: Vec<_> = all.values.keys().cloned().collect();
        all.values.retain(|path: &Vec<String>, _| {
            !paths.iter().any(|other| other.len() > path.len() && other.starts_with(path))
        });
        all
    }

    /// The same with entries that have fields in place of the texts that stand for those of empty lists and maps: the entries
    /// that a comment shows, or one without any field.
    pub(super) fn with_fields(mut self, base: &Rendering) -> Self {
        let fields = || Setting::new(Tree::Table(Table::new()), None);
        for (names, one) in &mut self.values {
            let is_of_entries = match &one.value {
                Tree::List(items) => items.iter().any(is_text),
                Tree::Table(table) => table.values().any(is_text),
                // Nothing says that it is a switch.
                Tree::Bool(true) => base.setting(names).is_none(),
                _ => false,
            };
            if !is_of_entries {
                continue;
            }
            self.is_of_entries = true;
            let shown = base.setting(names).and_then(example_entries::of);
            one.value = shown.unwrap_or_else(|| match &one.value {
                Tree::List(_) => Tree::List(vec![fields()]),
                _ => {
                    Tree::Table([(Arc::from(guards::PLACEHOLDER), fields())].into_iter().collect())
                }
            });
        }
        self
    }

    pub(super) fn is_nothing(&self) -> bool {
        self.values.is_empty() && !self.is_upgrade
    }

    /// The inputs that `counts` accepts, in `--set` notation.
    pub(super) fn name(&self, counts: impl Fn(&str) -> bool) -> String {
        let values = self.values.iter().map(|(path, one)| {
            let value = match &one.value {
                // The value is made up, or long.
                tree if is_placeholder(tree) || self.is_of_entries && is_collection(tree) => {
                    "…".to_owned()
                }
                Tree::Str(text) => text.to_string(),
                tree => Setting::new(tree.clone(), None).to_json().to_string(),
            };
            (input(path), format!("{}={value}", path.join(".")))
        });
        let upgrade = (UPGRADE.to_owned(), format!("{UPGRADE}=true"));
        let all = self.is_upgrade.then_some(upgrade).into_iter().chain(values);
        let counted: Vec<_> =
            all.filter(|(input, _)| counts(input)).map(|(_, text)| text).collect();
        counted.join(", ")
    }

    /// The inputs that enabled one object of the view, and those that its template demands; all inputs if provenance
    /// does not know.
    pub(super) fn name_for(&self, parsed: &Parsed, index: usize) -> Arc<str> {
        let object = &parsed.loaded.objects[index];
        let decided = object.decided();
        let is_release = |input: &str| input == UPGRADE;
        let is_demanded = |input: &str| {
            let mut demanded = self.demanded.iter();
            demanded.any(|(path, own)| *path == object.source.path && own == input)
        };
        let counts = |input: &str| {
            is_demanded(input)
                || decided.iter().any(|own| {
                    release_changes::is_part(input, own)
                        || is_release(input) && own.starts_with("Release.")
                })
        };
        match self.name(counts) {
            name if name.is_empty() => self.name(|_| true).into(),
            name => name.into(),
        }
    }
}

/// Returns whether a condition does not hold under the values of `base`, or its requirements are unknown.
pub(super) fn is_unmet(base: &Rendering, job: &GuardedObject, condition: &Condition) -> bool {
    let is_unmet = |requirement| {
        unmet(base, job, requirement).is_some() || job.steps(&requirement.path).is_none()
    };
    condition.requirements.is_empty() || condition.requirements.iter().any(is_unmet)
}

/// The path and value of a requirement, if the current values do not satisfy it.
fn unmet(
    base: &Rendering,
    job: &GuardedObject,
    requirement: &Requirement,
) -> Option<(Vec<String>, Tree)> {
    let path = job.steps(&requirement.path)?;
    let names = path.iter().filter_map(|step| match step {
        Step::Key(key) => Some(key.to_string()),
        Step::Index(_) | Step::Keys => None,
    });
    let names: Vec<_> = names.collect();
    let now = base.value(&names);
    let wanted = guards::satisfying_value(&requirement.value, now.as_ref());
    let now = now.unwrap_or_default();
    let is_met = now == wanted || holds(&requirement.value, &now);
    (!is_met).then(|| (names, tree(&wanted)))
}

fn holds(wanted: &guards::RequiredValue, now: &serde_json::Value) -> bool {
    use serde_json::Value;
    let truth = match now {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(map) => !map.is_empty(),
    };
    match wanted {
        guards::RequiredValue::Truth => truth,
        guards::RequiredValue::Falsehood => !truth,
        guards::RequiredValue::Text(_) | guards::RequiredValue::Number(_) => false,
    }
}

/// Whether a value is the text that stands for any.
fn is_text(value: &Setting) -> bool {
    matches!(&value.value, Tree::Str(text) if **text == *guards::PLACEHOLDER)
}

fn is_collection(value: &Tree) -> bool {
    matches!(value, Tree::List(_) | Tree::Table(_))
}

/// Whether a value holds a placeholder.
fn is_placeholder(value: &Tree) -> bool {
    match value {
        Tree::Str(text) => text.contains(guards::PLACEHOLDER),
        Tree::List(items) => items.iter().any(|item| is_placeholder(&item.value)),
        Tree::Table(table) => table.iter().any(|(_, item)| is_placeholder(&item.value)),
        _ => false,
    }
}

fn tree(value: &serde_json::Value) -> Tree {
    use serde_json::Value;
    match value {
        Value::Null => Tree::Null,
        Value::Bool(flag) => Tree::Bool(*flag),
        Value::Number(number) => Tree::Int(number.as_i64().unwrap_or_default()),
        Value::String(text) => Tree::Str(text.as_str().into()),
        Value::Array(items) => {
            Tree::List(items.iter().map(|item| Setting::new(tree(item), None)).collect())
        }
        Value::Object(map) => {
            let entry = |(key, value): (&String, &Value)| {
                (Arc::from(key.as_str()), Setting::new(tree(value), None))
            };
            Tree::Table(map.iter().map(entry).collect())
        }
    }
}

/// A value as an input of a render: `Values.job.enabled`.
fn input(path: &[String]) -> String {
    format!("Values.{}", path.join("."))
}

/// The path of the template that prints a Job.
pub(super) fn template_path(base: &Rendering, job: &GuardedObject) -> String {
    let mut templates = base.rendered.templates.iter();
    let template = templates.find(|template| template.name == job.template);
    template.map(|template| template.source().path.clone()).unwrap_or_default()
}
