//! The content of a unit after loading.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use job_lifecycle::{Object, ReleaseChanges, kubernetes::token_word};
use kustomize_build::IdlePatch;
use yaml_spans::{Location, Source, Span};

use super::{Deployment, OverlayView, Rendering, Unit};
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

/// How much of an input could not be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A file or document cannot be read.
    Unreadable,
    /// A chart or template fails to render.
    Unrenderable,
    /// A chart fails to render as it is, and values that its users set may change that.
    LacksValues,
    /// A chart is too large to be rendered within the limits of a run.
    TooLarge,
    /// A kustomization is checked although its deployer refuses to build it.
    Refused,
    /// A kustomization holds an object that has a `generateName` and no name.
    Unnamed,
    /// Part of a chart or kustomization was not rendered, such as a Job that no values enable.
    NotRendered,
    /// A policy of the user does not compile.
    Policy,
    /// Part of a chart or kustomization is not in the repository, and can be fetched: a dependency, a remote resource.
    Absent,
    /// A dependency is not in the repository, and nothing could fetch it as it is declared.
    Misdeclared,
}

/// An input that cannot be read or rendered.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The kind of failure.
    pub failure: Failure,
    /// The file with the problem.
    pub source: Arc<Source>,
    /// The bytes in question; empty at the start if unknown.
    pub span: Span,
    /// What is wrong, as a sentence without a full stop.
    pub reason: String,
    /// Related locations: where parsing stopped, what else is affected.
    pub labels: Vec<(Location, String)>,
    /// Whether a Job or hook may be among what was not read or rendered: the run then exits with 2.
    pub misses_work: bool,
    /// The headline, where what fails in general and the reason do not make one.
    pub headline: Option<String>,
    /// The rest of a headline that is too long for one line; may be empty.
    pub note: String,
    /// What to do about it, where the rule's remedy does not fit.
    pub help: Option<String>,
}

impl Problem {
    /// A problem at a location that hides no Job or hook.
    pub(crate) fn new(failure: Failure, at: Location, reason: String) -> Self {
        let Location { source, span } = at;
        let labels = Vec::new();
        Self {
            failure,
            source,
            span,
            reason,
            labels,
            misses_work: false,
            headline: None,
            note: String::new(),
            help: None,
        }
    }

    /// What happened, in one line.
    pub(crate) fn headline(&self) -> String {
        let reason = &self.reason;
        self.headline.clone().unwrap_or_else(|| match self.failure {
            Failure::Unreadable => format!("cannot read this file: {reason}"),
            Failure::Unrenderable | Failure::LacksValues | Failure::Refused => {
                format!("cannot render this chart: {reason}")
            }
            Failure::TooLarge => reason.clone(),
            Failure::Unnamed => "kustomize does not build this: an object has no `name`".to_owned(),
            Failure::Policy => format!("this policy is not evaluated: {reason}"),
            Failure::NotRendered | Failure::Absent | Failure::Misdeclared => {
                format!("not rendered: {reason}")
            }
        })
    }

    /// Whether a file cannot be read because of a word for another tool to replace: `IMAGE_OF_JOB`,
    /// `JOB_IMAGE|-image: app-|`, a token, or a command that a shell replaces by what it prints: `$(if [ "$KEY" ]; then`.
    pub(crate) fn is_of_form(&self) -> bool {
        let is_word = |line: &str| {
            let word = line.trim().split('|').next().unwrap_or_default();
            word.contains('_') && word.bytes().all(is_of_token)
        };
        let is_command = |line: &str| line.trim_start().starts_with("$(");
        let line = self.source.line_of(self.span.start);
        match self.failure {
            Failure::Unreadable => (line.max(2) - 1..=line)
                .map(|line| self.source.slice(self.source.line_span(line)))
                .any(|text| is_word(text) || is_command(text) || token(text).is_some()),
            Failure::Unrenderable => self.token().is_some(),
            _ => false,
        }
    }

    /// The token for another tool to replace at the place of the problem.
    pub(crate) fn token(&self) -> Option<&str> {
        let line = self.source.line_of(self.span.start);
        token(self.source.slice(self.source.line_span(line)))
    }

    /// Whether the check is incomplete because of the problem: it hides a Job or hook, or `strict` counts every gap.
    pub fn is_failure(&self, strict: bool) -> bool {
        self.misses_work || strict
    }

    /// Whether the problem is no more than a remark: a broken input without Jobs and hooks.
    pub fn is_remark(&self, strict: bool) -> bool {
        let is_broken = !self.is_gap() || self.failure == Failure::LacksValues;
        is_broken
            && self.failure != Failure::Refused
            && !self.lacks_dependency()
            && !self.is_failure(strict)
    }

    /// Whether a part was left out although nothing is known to be wrong with it.
    pub(crate) fn is_gap(&self) -> bool {
        use Failure::{Absent, LacksValues, Misdeclared, NotRendered, TooLarge};
        matches!(self.failure, NotRendered | Absent | LacksValues | Misdeclared | TooLarge)
    }

    /// Whether a chart or kustomization failed to render or build as a whole.
    pub(crate) fn is_of_whole(&self) -> bool {
        matches!(self.failure, Failure::Unrenderable | Failure::LacksValues)
    }

    /// Whether nothing is known to be wrong with what was not checked: it only lacks its dependencies, is too large, or lacks
    /// a part that a parent chart or a build may bring.
    pub(crate) fn is_blameless(&self) -> bool {
        self.lacks_dependency()
            || self.failure == Failure::TooLarge
            || self.failure == Failure::Unrenderable
                && (self.reason.contains(NO_TEMPLATE) || self.reason.ends_with(NO_FILE))
    }

    /// Whether something is not in the repository.
    pub(crate) fn lacks_dependency(&self) -> bool {
        matches!(self.failure, Failure::Absent | Failure::Misdeclared)
    }

    /// The remark about a broken input without Jobs and hooks, with its location.
    pub fn remark(&self) -> String {
        let done = match self.failure {
            Failure::Unreadable => "not read",
            _ => "not rendered",
        };
        let line = self.source.position(self.span.start).line;
        let reason: Vec<_> = self.reason.split_whitespace().collect();
        let path = &self.source.path;
        format!("{path}:{line}: {done}, but holds no Job or hook: {}", reason.join(" "))
    }

    /// The problem as a label of another one.
    pub fn label(self) -> (Location, String) {
        (Location { source: self.source, span: self.span }, self.reason)
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

/// What Helm says of a template that is not in the chart, and how an error about a file ends that is not there.
const NO_TEMPLATE: &str = "no template \"";
pub(crate) const NO_FILE: &str = ": no such file or directory";

/// What a line has for another tool to replace: `<JOB_IMAGE>` in the place of lines, which YAML takes for a string, or a value
/// that is no YAML, as `%TAG%`, `{{< .tag >}}` of gomplate, and `****-prod`, of which the first part is not published. `<html>` is
/// markup.
fn token(line: &str) -> Option<&str> {
    let line = line.trim();
    let value = line.rsplit(": ").next().unwrap_or(line);
    let is_left_out = || {
        let rest = value.trim_start_matches('*');
        value.len() - rest.len() > 2 && rest.starts_with('-')
    };
    let is_of_gomplate = || line.contains("{{<") && line.contains(">}}");
    if is_of_gomplate() || is_left_out() {
        return Some(value);
    }
    [(line, '<'), (value, '%')].into_iter().find_map(|(text, open)| {
        let word = token_word(text).filter(|_| text.starts_with(open))?;
        word.bytes().all(is_of_token).then_some(text)
    })
}

/// Whether a byte may be part of a word that stands for another.
fn is_of_token(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit() || b"-_".contains(&byte)
}
