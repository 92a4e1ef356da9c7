//! The content of a unit after loading.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use job_lifecycle::{Object, ReleaseChanges};
use kustomize_build::IdlePatch;
use yaml_spans::{Location, Source};

use super::{Deployment, OverlayView, Problem, Rendering, Unit};
use crate::redact::SecretValues;

/// The objects and problems of a unit, or of one view of a chart.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The objects, in the order of files and documents; items of lists are expanded.
    pub objects: Vec<Object>,
    /// The objects before Flux substitutes variables in them; empty if it does not.
    pub before: Vec<Object>,
    /// What the next releases change in the workloads of a chart.
    pub changes: PredictedChanges,
    /// The texts to search for ignore comments.
    pub sources: Vec<Arc<Source>>,
    /// What could not be read or rendered.
    pub problems: Vec<Problem>,
    /// Notes for standard error.
    pub notes: Vec<String>,
    /// The values of Secrets, of secret-looking keys in values, and of other secrets that were read.
    pub secrets: SecretValues,
    /// How much was read.
    pub counts: Counts,
    /// The rendering of a chart; `None` for manifests.
    pub rendering: Option<Arc<Rendering>>,
    /// The kustomization that was built; `None` for charts and plain manifests.
    pub overlay: Option<Arc<OverlayView>>,
    /// The patches of the kustomization whose target selects nothing.
    pub idle: Vec<IdlePatch>,
    /// The objects of kustomizations whose names end in a hash: those of this view first, then those of others.
    pub generated: Vec<Generated>,
    /// The names of the CustomResourceDefinitions in `crds/`, if the chart also has such for Helm 2 among its templates.
    pub crds: HashSet<String>,
    /// The objects to report findings for, as (index, the values that enable it); `None` means all objects.
    pub only: Option<Vec<(usize, Arc<str>)>>,
    /// The same with an entry in the maps and lists that its values leave empty.
    pub filled: Vec<Loaded>,
    /// The repository was searched for values of the chart, so files anywhere in it count.
    pub is_searched: bool,
}

/// An object that a kustomization generates, with the hash of its content in its name.
#[derive(Clone, Debug)]
pub struct Generated {
    /// Its kind.
    pub kind: String,
    /// Its name with the hash.
    pub name: String,
    /// The names that it has before the hash is added.
    pub plain_names: Vec<String>,
    /// Its namespace.
    pub namespace: Option<String>,
    /// The name in the generator.
    pub at: Location,
    /// Whether another view generates it.
    pub is_elsewhere: bool,
}

impl Loaded {
    /// Returns whether findings about this object are reported.
    pub fn counts(&self, object: &Object) -> bool {
        self.only.is_none() || self.own_values(object).is_some()
    }

    /// The name of the values that an object is rendered with, or of the kustomization that it is built with.
    pub fn values(&self, object: &Object) -> Option<Arc<str>> {
        self.own_values(object).or_else(|| self.view())
    }

    /// The name of this view: of its values, or of its kustomization.
    pub(crate) fn view(&self) -> Option<Arc<str>> {
        let overlay = || Some(self.overlay.as_ref()?.name.clone());
        self.rendering.as_ref().map(|rendering| rendering.values.clone()).or_else(overlay)
    }

    /// Returns whether this is an explored view that renders an upgrade.
    pub fn is_upgrade(&self) -> bool {
        let explored = self.rendering.as_ref().filter(|rendering| rendering.is_explored);
        explored.is_some_and(|rendering| rendering.options.release.is_upgrade)
    }

    fn own_values(&self, object: &Object) -> Option<Arc<str>> {
        let is_own = |index: usize| std::ptr::eq(&self.objects[index], object);
        let own = self.only.iter().flatten().find(|(index, _)| is_own(*index));
        own.map(|(_, values)| values.clone())
    }
}

impl Loaded {
    /// The GitOps objects that deploy this view, or the whole unit if it has no views.
    pub fn deployments<'a>(&'a self, unit: &'a Unit) -> &'a [Arc<Deployment>] {
        let rendered = self.rendering.as_ref().map(|rendering| &rendering.deployments[..]);
        let built = || self.overlay.as_ref().map(|overlay| &overlay.deployments[..]);
        rendered.or_else(built).unwrap_or(&unit.deployments)
    }

    /// A result that holds only a problem.
    pub(crate) fn of_problem(problem: Problem) -> Self {
        Loaded { problems: vec![problem], ..Loaded::default() }
    }

    /// The result for a template of a tool that joblint does not render.
    pub(crate) fn foreign() -> Self {
        let counts = Counts { files: 1, foreign_templates: 1, ..Counts::default() };
        Loaded { counts, ..Loaded::default() }
    }

    /// Takes over what is predicted for the same objects of another version.
    pub(crate) fn take_changes_of(&mut self, other: &Loaded) {
        let predicted = other.objects.iter();
        let known = predicted.filter_map(|one| Some((written(one), other.changes.of(one)?)));
        let known: HashMap<_, _> = known.collect();
        for object in &self.objects {
            let changes = known.get(&written(object)).map(|found| Arc::clone(found));
            self.changes.0.extend(changes.map(|changes| (place(object), changes)));
        }
    }

    /// Takes over what is predicted for all objects of another version, in their order.
    pub(crate) fn take_all_changes_of(&mut self, other: &Loaded) {
        for (object, before) in self.objects.iter().zip(&other.objects) {
            let changes = other.changes.of(before).cloned();
            self.changes.0.extend(changes.map(|changes| (place(object), changes)));
        }
    }

    /// Adds the content of another part of the unit.
    pub fn add(&mut self, part: Loaded) {
        self.objects.extend(part.objects);
        self.changes.extend(part.changes);
        self.sources.extend(part.sources);
        self.problems.extend(part.problems);
        self.notes.extend(part.notes);
        self.secrets.extend(&part.secrets);
        self.counts.files += part.counts.files;
        self.counts.objects += part.counts.objects;
        self.counts.other_yaml += part.counts.other_yaml;
        self.counts.foreign_templates += part.counts.foreign_templates;
    }
}

/// What the next releases change in each workload, by the position of the object.
#[derive(Clone, Debug, Default)]
pub struct PredictedChanges(HashMap<(usize, u32), Arc<ReleaseChanges>>);

impl PredictedChanges {
    /// The prediction for an object; `None` if no template renders it.
    pub fn of(&self, object: &Object) -> Option<&Arc<ReleaseChanges>> {
        self.0.get(&place(object))
    }

    /// The prediction for an object of a chart; for a plain manifest, the changes of an edit.
    pub fn or_edited(&self, object: &Object) -> ReleaseChanges {
        match self.of(object) {
            Some(changes) => ReleaseChanges::clone(changes),
            None => ReleaseChanges::edited(object),
        }
    }

    /// Records the prediction for an object.
    pub fn insert(&mut self, object: &Object, changes: ReleaseChanges) {
        self.0.insert(place(object), Arc::new(changes));
    }

    /// Adds the predictions of another part of the unit.
    pub fn extend(&mut self, other: PredictedChanges) {
        self.0.extend(other.0);
    }
}

fn place(object: &Object) -> (usize, u32) {
    (Arc::as_ptr(&object.source) as usize, object.root.span.start)
}

/// What two versions of an object share if they are the same: the file, the text, and the position in it.
fn written(object: &Object) -> (&str, &str, u32) {
    (&object.source.path, &object.source.text, object.root.span.start)
}

/// How much was checked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Files read.
    pub files: usize,
    /// Kubernetes objects of any kind.
    pub objects: usize,
    /// Jobs, CronJobs and hooks.
    pub workloads: usize,
    /// Findings that are ignored.
    pub ignored: usize,
    /// YAML documents that are not Kubernetes objects, and objects as a cluster prints them.
    pub other_yaml: usize,
    /// Templates of tools other than Helm, and Helm templates outside a chart.
    pub foreign_templates: usize,
}

impl Counts {
    /// Adds the counts of another unit, or of another kustomization.
    pub fn add(&mut self, other: Counts) {
        self.files += other.files;
        self.objects += other.objects;
        self.workloads += other.workloads;
        self.ignored += other.ignored;
        self.other_yaml += other.other_yaml;
        self.foreign_templates += other.foreign_templates;
    }

    /// Merges the counts of another view of the same unit; what both views contain counts once.
    pub fn merge(&mut self, other: Counts) {
        self.files = self.files.max(other.files);
        self.objects = self.objects.max(other.objects);
        self.workloads = self.workloads.max(other.workloads);
        self.other_yaml = self.other_yaml.max(other.other_yaml);
        self.foreign_templates = self.foreign_templates.max(other.foreign_templates);
    }
}
