//! What changes in a workload from one deploy to the next: the input of a forecast.

mod edited;

use yaml_spans::Span;

use crate::{Label, deployer::Deployer};

pub use edited::varies;
/// What the kinds of deploys change in a workload.
#[derive(Clone, Debug, Default)]
pub struct ReleaseChanges {
    /// A new version: what people raise with one.
    pub upgrade: Change,
    /// A new render of the same inputs: time, random, the revision of the release.
    pub render: Change,
    /// What single steps change, each with the new render that every deploy is; only of a chart.
    pub steps: Vec<(Step, Change)>,
    /// Values that reach the pod template and that nobody changes with a version.
    pub settled: Vec<String>,
    /// The inputs of the name that are no values: `Chart.Version`, `Release.Revision`, `random`, `lookup`.
    pub name_inputs: Vec<String>,
    /// The helper that printed the name.
    pub name_helper: Option<Label>,
    /// The shortest legal release name, in characters, with which the part of the name that changes is cut
    /// off.
    pub cut_at: Option<usize>,
    /// Who renders without a release (Argo CD, `helm template`) sees no revision and no upgrade: what
    /// changes there, where that is something else.
    pub stateless: Option<Box<ReleaseChanges>>,
}

/// One thing that somebody changes for a deploy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Nothing: the same sources and values.
    Again,
    /// The chart's version.
    Chart,
    /// The chart's version and that of the application.
    App,
    /// The versions of the charts that this one depends on.
    Dependencies,
    /// What is raised with a version; tag and digest of an image together.
    Value(Vec<Raised>),
}

/// A value that is raised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raised {
    /// Its path: `Values.image.tag`.
    pub input: String,
    /// Its next value.
    pub to: String,
}

/// What one deploy changes in a workload, compared with the deploy before.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Change {
    /// The name becomes another one.
    pub name: bool,
    /// The other name, where it is known.
    pub new_name: Option<String>,
    /// The workload is no longer there.
    pub gone: bool,
    /// Something that the API server lets change.
    pub mutable: bool,
    /// Fields of a Job that it does not, as the API server names them.
    pub fields: Vec<&'static str>,
    /// What differs, in the order of the manifest.
    pub differences: Vec<Difference>,
    /// Where it comes from.
    pub causes: Vec<Label>,
}

/// A part of a manifest that is another in the next render.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The immutable field it is in, as the API server names it; `None` where the API server lets it change.
    pub field: Option<&'static str>,
    /// Where in the manifest: `spec.template.metadata.labels["helm.sh/chart"]`.
    pub path: String,
    /// In the rendered text: the value, or the collection that gets it.
    pub span: Span,
    /// Before and after, as JSON on one line, shortened and without secrets; `None` where there is nothing.
    pub old: Option<String>,
    pub new: Option<String>,
    /// The inputs that did it: `Chart.Version`, `random`.
    pub inputs: Vec<String>,
    /// The inputs only decided about it: they are not part of the text.
    pub by_condition: bool,
    /// Provenance did not name what did it.
    pub approximate: bool,
    /// Where it enters the template.
    pub at: Option<Label>,
    /// The helper that printed it, and where its values are set.
    pub causes: Vec<Label>,
}

impl ReleaseChanges {
    /// Adds what one step changes. Without a render of all steps together the first of them stands for a new
    /// version.
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

    /// What changes where this deployer renders.
    pub fn under(&self, deployer: &Deployer) -> &ReleaseChanges {
        self.stateless.as_deref().filter(|_| !deployer.has_release()).unwrap_or(self)
    }

    /// The steps after which the API server refuses the Job: its name stays and what is immutable differs.
    pub fn refused(&self) -> impl Iterator<Item = &(Step, Change)> {
        self.steps.iter().filter(|(_, change)| change.is_refused())
    }

    /// Some step gives it another name.
    pub fn is_renamed(&self) -> bool {
        self.upgrade.name || self.steps.iter().any(|(_, change)| change.name)
    }

    /// What one step changes; `None` where that is nothing.
    pub fn at(&self, step: &Step) -> Option<&Change> {
        self.steps.iter().find(|(own, _)| own == step).map(|(_, change)| change)
    }
}

/// Inputs as a part of a sentence, not too many.
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
    /// The API server refuses it.
    pub fn is_refused(&self) -> bool {
        !self.name && !self.gone && !self.fields.is_empty()
    }

    /// The differences in immutable fields.
    pub fn immutable(&self) -> impl Iterator<Item = &Difference> {
        self.differences.iter().filter(|difference| difference.field.is_some())
    }

    /// Nothing differs.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

impl Step {
    /// It comes with every release, whatever else does.
    pub fn is_of_every_release(&self) -> bool {
        !matches!(self, Step::Dependencies | Step::Value(_))
    }
}
