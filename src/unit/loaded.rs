//! What a unit holds once it is read.

use std::{collections::HashMap, sync::Arc};

use job_lifecycle::{Object, ReleaseChanges};
use yaml_spans::{Location, Source, Span};

use super::{Deployment, Rendering, Unit};

/// What a unit holds.
#[derive(Debug, Default)]
pub struct Loaded {
    pub objects: Vec<Object>,
    /// What the next deploys change in the workloads of a chart.
    pub changes: PredictedChanges,
    pub sources: Vec<Arc<Source>>,
    pub problems: Vec<Problem>,
    /// For standard error.
    pub notes: Vec<String>,
    pub counts: Counts,
    /// What the objects are rendered from.
    pub rendering: Option<Arc<Rendering>>,
    /// The objects that findings are about, by index, each with the values that it needs, where it is not all
    /// of them.
    pub only: Option<Vec<(usize, Arc<str>)>>,
}

impl Loaded {
    /// True when findings about this object of the unit count.
    pub fn counts(&self, object: &Object) -> bool {
        self.only.is_none() || self.own_values(object).is_some()
    }

    /// The values that an object is rendered with, in the user's words.
    pub fn values(&self, object: &Object) -> Option<Arc<str>> {
        let all = || Some(self.rendering.as_ref()?.values.clone());
        self.own_values(object).or_else(all)
    }

    /// It is rendered as an upgrade, because nothing else reaches its objects.
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

/// How much of an input is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A file or document that cannot be read.
    Unreadable,
    /// A chart or template that fails to render.
    Unrenderable,
    /// A part of a chart that was left out: a missing dependency, a Job that no values enable.
    NotRendered,
}

/// Something that cannot be read or rendered.
#[derive(Clone, Debug)]
pub struct Problem {
    pub failure: Failure,
    pub source: Arc<Source>,
    pub span: Span,
    pub reason: String,
    /// Other places: where reading stopped, what else is concerned.
    pub labels: Vec<(Location, String)>,
}

impl Problem {
    /// As a place of another problem.
    pub fn label(self) -> (Location, String) {
        (Location { source: self.source, span: self.span }, self.reason)
    }
}

impl Loaded {
    /// The GitOps objects that deploy this: a chart with these values, or the unit.
    pub fn deployments<'a>(&'a self, unit: &'a Unit) -> &'a [Arc<Deployment>] {
        let these = self.rendering.as_ref().map(|rendering| &rendering.deployments[..]);
        these.unwrap_or(&unit.deployments)
    }

    /// A template of a tool that is none of joblint's business.
    pub fn foreign() -> Self {
        let counts = Counts { files: 1, foreign_templates: 1, ..Counts::default() };
        Loaded { counts, ..Loaded::default() }
    }

    /// Adds what another part of the unit holds.
    pub fn add(&mut self, part: Loaded) {
        self.objects.extend(part.objects);
        self.changes.extend(part.changes);
        self.sources.extend(part.sources);
        self.problems.extend(part.problems);
        self.notes.extend(part.notes);
        self.counts.files += part.counts.files;
        self.counts.objects += part.counts.objects;
        self.counts.other_yaml += part.counts.other_yaml;
        self.counts.foreign_templates += part.counts.foreign_templates;
    }
}

/// What the next deploys change in each workload, by the place of the object.
#[derive(Clone, Debug, Default)]
pub struct PredictedChanges(HashMap<(usize, u32), Arc<ReleaseChanges>>);

impl PredictedChanges {
    /// What was predicted for an object; `None` where nothing renders it.
    pub fn of(&self, object: &Object) -> Option<&Arc<ReleaseChanges>> {
        self.0.get(&place(object))
    }

    /// What was predicted for an object of a chart; of a plain manifest what an edit changes.
    pub fn or_edited(&self, object: &Object) -> ReleaseChanges {
        match self.of(object) {
            Some(changes) => ReleaseChanges::clone(changes),
            None => ReleaseChanges::edited(object),
        }
    }

    /// Notes what was predicted for an object.
    pub fn insert(&mut self, object: &Object, changes: ReleaseChanges) {
        self.0.insert(place(object), Arc::new(changes));
    }

    /// Takes over what was predicted for the objects of another part of the unit.
    pub fn extend(&mut self, other: PredictedChanges) {
        self.0.extend(other.0);
    }
}

fn place(object: &Object) -> (usize, u32) {
    (Arc::as_ptr(&object.source) as usize, object.root.span.start)
}

/// What was looked at.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub files: usize,
    pub objects: usize,
    /// Jobs, CronJobs and hooks.
    pub workloads: usize,
    pub ignored: usize,
    /// YAML that is no Kubernetes object.
    pub other_yaml: usize,
    /// Templates of tools other than Helm, and Helm's outside a chart.
    pub foreign_templates: usize,
}

impl Counts {
    /// Adds another view of the same unit: what the views share counts once.
    pub fn merge(&mut self, other: Counts) {
        self.files = self.files.max(other.files);
        self.objects = self.objects.max(other.objects);
        self.workloads = self.workloads.max(other.workloads);
        self.other_yaml = self.other_yaml.max(other.other_yaml);
        self.foreign_templates = self.foreign_templates.max(other.foreign_templates);
    }
}
