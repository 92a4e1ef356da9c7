//! What changes in a workload from one deploy to the next: an input of the forecast.

mod plain_manifest;

use yaml_spans::Span;

use crate::{Label, deploy::Hook, deployer::Deployer};

pub use plain_manifest::{ends_in_tag, is_versioned_name};

/// What each kind of deploy changes in a workload.
#[derive(Clone, Debug, Default)]
pub struct ReleaseChanges {
    /// Changed by a new version: chart version, image tags, whatever is usually bumped for a release.
    pub upgrade: Change,
    /// Changed by rendering the same inputs again: time, random values, the revision of the release.
    pub render: Change,
    /// What single steps of a release change, each including the effects of a new render. Empty for plain manifests.
    pub steps: Vec<(Step, Change)>,
    /// Values that reach the pod template and do not usually change with a version: paths such as `Values.resources`.
    pub settled: Vec<String>,
    /// The inputs of the name other than values: `Chart.Version`, `Release.Revision`, `random`, `lookup`.
    pub name_inputs: Vec<String>,
    /// The name contains a hash that the chart computes, so it also changes with whatever is hashed.
    pub name_is_hashed: bool,
    /// The template helper that produced the name.
    pub name_helper: Option<Label>,
    /// The length in characters of the shortest valid release name with which truncation cuts off the
    /// changing part of the name; `None` when that cannot happen.
    pub cut_at: Option<usize>,
    /// The changes where the chart is rendered without a release (Argo CD, `helm template`), which has no
    /// revision and no upgrade; `None` when they are the same.
    pub stateless: Option<Box<ReleaseChanges>>,
}

/// One thing that changes for a deploy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Nothing: the same sources and values.
    Again,
    /// The chart's version.
    Chart,
    /// The chart's `version` and `appVersion`.
    App,
    /// The versions of the chart's dependencies.
    Dependencies,
    /// Values that are bumped together, such as the tag and digest of an image.
    Value(Vec<Raised>),
}

/// A value that is bumped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raised {
    /// Its path: `Values.image.tag`.
    pub input: String,
    /// The new value.
    pub to: String,
}

/// What one deploy changes in a workload, compared with the previous deploy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Change {
    /// The name changes.
    pub name: bool,
    /// The new name, if known.
    pub new_name: Option<String>,
    /// The workload is no longer part of the manifests.
    pub gone: bool,
    /// It becomes a Helm hook, or is no longer one.
    pub hook: Option<HookChange>,
    /// A mutable part changes.
    pub mutable: bool,
    /// The immutable fields of a Job that change, as the API server names them: `spec.template`.
    pub fields: Vec<&'static str>,
    /// What differs, in the order of the manifest.
    pub differences: Vec<Difference>,
    /// Where the change comes from.
    pub causes: Vec<Label>,
}

/// A conversion between an ordinary object and a Helm hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookChange {
    /// The ordinary object becomes this hook.
    Becomes(Hook),
    /// The hook becomes an ordinary object.
    Ceases,
}

/// A part of a manifest that differs in the next render.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The immutable field that contains it, as the API server names it; `None` for a mutable part.
    pub field: Option<&'static str>,
    /// The path in the manifest: `spec.template.metadata.labels["helm.sh/chart"]`.
    pub path: String,
    /// In the rendered text: the value, or for an added one the collection that contains it.
    pub span: Span,
    /// The old value as JSON on one line, shortened, with secrets masked; `None` when absent.
    pub old: Option<String>,
    /// The new value, in the same form.
    pub new: Option<String>,
    /// The inputs that cause it: `Chart.Version`, `random`.
    pub inputs: Vec<String>,
    /// The inputs appear only in conditions, not in the text itself.
    pub by_condition: bool,
    /// The template's provenance does not name the cause.
    pub approximate: bool,
    /// Where the input enters the template.
    pub at: Option<Label>,
    /// The helper that produced the text, and where its values are set.
    pub causes: Vec<Label>,
}

impl ReleaseChanges {
    /// Records what one step changes. `stands_for_upgrade`: take this step as the new version if no change is
    /// known for one yet.
    pub fn add_step(&mut self, step: Step, change: Change, stands_for_upgrade: bool) {
        if step == Step::Again {
            self.render = change.clone();
        }
        if stands_for_upgrade && self.upgrade.is_none() {
            self.upgrade = change.clone();
        }
        if !change.is_none() {
            self.steps.push((step, change));
        }
    }

    /// The changes as this deployer renders the chart: with or without a release.
    pub fn under(&self, deployer: &Deployer) -> &ReleaseChanges {
        self.stateless.as_deref().filter(|_| !deployer.has_release()).unwrap_or(self)
    }

    /// The steps that the API server rejects; see [`Change::is_rejected`].
    pub fn rejected(&self) -> impl Iterator<Item = &(Step, Change)> {
        self.steps.iter().filter(|(_, change)| change.is_rejected())
    }

    /// True when a new version or some step changes the name.
    pub fn is_renamed(&self) -> bool {
        self.upgrade.name || self.steps.iter().any(|(_, change)| change.name)
    }

    /// What one step changes; `None` when it changes nothing.
    pub fn at(&self, step: &Step) -> Option<&Change> {
        self.steps.iter().find(|(own, _)| own == step).map(|(_, change)| change)
    }
}

/// At most three inputs in backticks, as part of a sentence: `` `a`, `b` and `c` ``.
pub fn listed(inputs: &[String]) -> String {
    const MOST: usize = 3;
    let names: Vec<_> = inputs.iter().map(|name| format!("`{name}`")).collect();
    match &names[..] {
        [] => "a release".to_owned(),
        [one] => one.clone(),
        [most @ .., last] if names.len() <= MOST => format!("{} and {last}", most.join(", ")),
        _ => format!("{} and {} more", names[..MOST].join(", "), names.len() - MOST),
    }
}

impl Change {
    /// True when the API server rejects the change: an immutable field changes under the same name. Whether a
    /// conversion between hook and ordinary object fails is up to the deployer.
    pub fn is_rejected(&self) -> bool {
        !self.name && !self.gone && self.hook.is_none() && !self.fields.is_empty()
    }

    /// The differences in immutable fields.
    pub fn immutable(&self) -> impl Iterator<Item = &Difference> {
        self.differences.iter().filter(|difference| difference.field.is_some())
    }

    /// True when nothing changes.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

impl Step {
    /// True for steps that are part of every release. Many releases of a chart keep the version of its application.
    pub fn is_of_every_release(&self) -> bool {
        matches!(self, Step::Again | Step::Chart)
    }
}
