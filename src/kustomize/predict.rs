//! Predicts what the next releases change in the workloads of a kustomization.
//!
//! The inputs that a release usually raises are raised in memory: `newTag` and digests, the content of generators,
//! version-like labels and affixes, and the tags of images. The kustomization is built again and the workloads are
//! compared; the origin of each difference tells which inputs cause it.

mod inputs;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use job_lifecycle::{
    Label, Object, ReleaseChanges,
    release_changes::{Change, Difference, Step, listed},
    workload::kind_of,
};
use kustomize_build::{Need, Options, Workspace};
use yaml_spans::{self as yaml, Edit, Node, Value};

use self::inputs::{Input, inputs};
use super::{Repository, origin::Document};
use crate::{
    redact::Secrets,
    release_changes::{TreeDifference, differences, shown, summary},
    unit::{KustomizeRoot, Loaded},
};

/// Where and how a kustomization is built.
pub(super) type Place<'a> = (&'a Repository, &'a Workspace<'a>, &'a KustomizeRoot, &'a Options);

/// Records what the next releases change. `owners` are the documents of the objects.
pub(super) fn predict(loaded: &mut Loaded, owners: &[Arc<Document>], place: Place<'_>) {
    let is_work = |object: &Object| kind_of(object).is_some();
    let works: Vec<_> = loaded.objects.iter().zip(owners).filter(|(one, _)| is_work(one)).collect();
    let inputs = inputs(works.iter().map(|(_, document)| &***document));
    if inputs.is_empty() {
        return;
    }
    let Some(later) = rebuilt(&inputs, place) else { return };
    let mut taken = BTreeSet::new();
    let mut predicted = Vec::new();
    for (object, document) in works {
        let Some(new) = counterpart(object, &later, &mut taken) else { continue };
        let name = object.name().unwrap_or_default();
        let own = inputs.iter().filter(|input| !input.is_in_name(name));
        let own: Vec<_> = own.cloned().collect();
        let changes = Comparison { object, document, new }.changes(&own);
        if !changes.upgrade.is_none() {
            predicted.push((object.clone(), changes));
        }
    }
    for (object, changes) in predicted {
        loaded.changes.insert(&object, changes);
    }
}

/// The objects of a build with raised inputs. `None` if it fails.
fn rebuilt(
    inputs: &[Input],
    (repository, workspace, root, options): Place<'_>,
) -> Option<Vec<Node>> {
    let mut edits: BTreeMap<PathBuf, (&str, Vec<Edit>)> = BTreeMap::new();
    for input in inputs {
        let source = &input.at.source;
        let path = repository.path(&source.path, root);
        let (_, edits) = edits.entry(path).or_insert((&source.text, Vec::new()));
        edits.push(input.edit.clone());
    }
    let texts = edits
        .into_iter()
        .filter_map(|(path, (text, edits))| Some((path, Edit::apply(text, &edits)?.into_bytes())));
    let later = repository.with(texts.collect());
    let mut options = options.clone();
    options.charts = options.charts.map(|_| later.charts());
    if let Some(overrides) = &mut options.overrides {
        let own = inputs.iter().filter(|input| Arc::ptr_eq(&input.at.source, &overrides.source));
        let own: Vec<_> = own.collect();
        overrides.fields = raised(&overrides.fields, &own);
        overrides.metadata = overrides.metadata.as_ref().map(|node| raised(node, &own));
    }
    let known = options.variables.iter_mut().flat_map(|variables| variables.known.values_mut());
    for variable in known {
        if let Some(input) = inputs.iter().find(|input| input.is(&variable.at)) {
            variable.value = Some(input.edit.text.as_str().into());
        }
    }
    options.needs = Some(need);
    let workspace = workspace.edited(&later, |path| later.replaces(path));
    let built = workspace.build(&root.folder, Path::new(&root.shown), &options).ok()?;
    let parsed = yaml::parse(built.print()).into_iter();
    Some(parsed.filter_map(Result::ok).map(|document| document.root).collect())
}

/// Only workloads are compared.
fn need(text: &str) -> Need {
    if text.ends_with("Job") { Need::Resource } else { Need::Nothing }
}

/// The fields of a deployer with raised inputs.
fn raised(node: &Node, inputs: &[&Input]) -> Node {
    let is_scalar = !matches!(node.value, Value::Map(_) | Value::Seq(_));
    match inputs.iter().find(|input| is_scalar && input.at.span == node.span) {
        Some(input) => Node { value: Value::Str(input.edit.text.as_str().into()), ..node.clone() },
        None => node.with_children(|child| raised(child, inputs)),
    }
}

/// The later object of the same name, else the first one of its kind that is left.
fn counterpart<'n>(
    object: &Object,
    later: &'n [Node],
    taken: &mut BTreeSet<usize>,
) -> Option<&'n Node> {
    let text = |node: &'n Node, path: &[&str]| node.at(path).and_then(Node::as_str);
    let is_kind = |node: &Node| node.get("kind").and_then(Node::as_str) == Some(object.kind());
    let is_same = |node: &'n Node| {
        text(node, &["metadata", "name"]) == object.name()
            && text(node, &["metadata", "namespace"]) == object.namespace()
    };
    let free = || {
        let all = later.iter().enumerate();
        all.filter(|(index, node)| is_kind(node) && !taken.contains(index))
    };
    let found = free().find(|(_, node)| is_same(node)).or_else(|| free().next());
    let (index, node) = found?;
    taken.insert(index);
    Some(node)
}

/// A workload now and after the next release.
struct Comparison<'a> {
    object: &'a Object,
    document: &'a Document,
    new: &'a Node,
}

impl Comparison<'_> {
    fn changes(&self, inputs: &[Input]) -> ReleaseChanges {
        let all: Vec<&Input> = inputs.iter().collect();
        let mut changes =
            ReleaseChanges { upgrade: self.change(&all), ..ReleaseChanges::default() };
        let mut seen = BTreeSet::new();
        for input in inputs {
            let is_same =
                |other: &&Input| input.version.is_some() && other.version == input.version;
            let group: Vec<_> = match inputs.iter().filter(is_same).collect::<Vec<_>>() {
                alone if alone.is_empty() => vec![input],
                group => group,
            };
            if input.version.as_ref().is_none_or(|version| seen.insert(version)) {
                let step = Step::Value(group.iter().map(|input| input.raised()).collect());
                changes.add_step(step, self.change(&group), false);
            }
        }
        changes
    }

    /// What some of the inputs change.
    fn change(&self, inputs: &[&Input]) -> Change {
        let reaches = |input: &Input, raw: &TreeDifference<'_>| {
            self.document.parts(raw.traced).any(|part| input.is(&part.at))
        };
        let mut raw = differences(&self.object.root, self.new);
        raw.retain(|raw| inputs.iter().any(|input| reaches(input, raw)));
        let name = self.object.root.at(&["metadata", "name"]);
        let renames = |input: &&Input| {
            name.is_some_and(|name| self.document.parts(name.span).any(|part| input.is(&part.at)))
        };
        let mut change = summary(&self.object.root, self.new, &raw);
        change.name &= inputs.iter().any(renames);
        change.new_name = change.new_name.filter(|_| change.name);
        let secrets = (!raw.is_empty()).then(|| Secrets::find(&self.object.source.text));
        change.differences = raw
            .iter()
            .map(|raw| {
                let own = inputs.iter().filter(|input| reaches(input, raw)).copied();
                let is_secret = secrets.as_ref().is_some_and(|secrets| {
                    let mut spans = secrets.spans.iter();
                    spans.any(|span| span.start < raw.span.end && raw.span.start < span.end)
                });
                self.difference(raw, &own.collect::<Vec<_>>(), is_secret)
            })
            .collect();
        let is_shown = |one: &&Difference| one.field.is_some() || change.fields.is_empty();
        let shown = change.differences.iter().filter(is_shown);
        change.causes = shown.filter_map(|one| one.at.clone()).collect();
        change
    }

    fn difference(
        &self,
        raw: &TreeDifference<'_>,
        inputs: &[&Input],
        is_secret: bool,
    ) -> Difference {
        let (old, new) = shown(raw, is_secret);
        let mut names: Vec<String> = inputs.iter().map(|input| input.name.clone()).collect();
        names.dedup();
        let text = format!("`{}` follows {}", raw.path, listed(&names));
        let mut labels = inputs.iter().map(|input| input.label.clone());
        let at = labels.next().map(|at| Label { text, source: at.source, span: at.span });
        let more = |at: yaml::Location| Label {
            text: "changes it too".to_owned(),
            source: at.source,
            span: at.span,
        };
        Difference {
            field: raw.field,
            path: raw.path.clone(),
            span: raw.span,
            old,
            new,
            inputs: names,
            by_condition: false,
            approximate: false,
            at,
            causes: labels.map(more).take(2).collect(),
        }
    }
}
