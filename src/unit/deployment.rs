//! A deployment: what one GitOps object tells one deployer to apply.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use helm_render::values::Flag;
use job_lifecycle::{Deployer, Object};
use kustomize_build::{Overrides, Variables};
use yaml_spans::{Location, Node, Source};

/// What one GitOps object tells one deployer to apply. A multi-source Application, a generator or Fleet's
/// `targetCustomizations` yields several deployments.
#[derive(Clone, Debug)]
pub struct Deployment {
    /// The Application, HelmRelease or Kustomization; for Fleet the whole `fleet.yaml`.
    pub object: Object,
    /// The name in messages: ``Application `shop` ``, `deploy/fleet.yaml`.
    pub title: String,
    /// The deployer with the options that the object states, each with its location.
    pub deployer: Deployer,
    /// What is applied.
    pub source: DeploymentSource,
    /// What it names, as it is written, if that may be in this repository.
    pub named: Option<Named>,
    /// How the chart is rendered; `None` unless the source is a chart.
    pub helm: Option<HelmInput>,
    /// The fields that it adds to the kustomization.
    pub kustomize: Option<Overrides>,
    /// How its deployer calls `kustomize build`.
    pub build: Build,
    /// The variables that it substitutes in what is built.
    pub variables: Option<Variables>,
    /// The namespace of objects that do not state one.
    pub namespace: Option<String>,
    /// The parts of the object that were not evaluated, with reasons.
    pub not_evaluated: Vec<String>,
    /// The files that it names and that are not opened, each with where it is named and why.
    pub refused: Vec<(Location, String)>,
    /// The limits that the object exceeds, as the end of a sentence; what they concern was not evaluated.
    pub exceeded: Vec<String>,
}

/// How Argo CD calls `kustomize build`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Build {
    /// The version of kustomize that the Application asks for.
    pub version: Option<String>,
    /// `--load-restrictor LoadRestrictionsNone`.
    pub loads_anywhere: bool,
    /// Options are stated, and `--enable-helm` is not among them.
    pub refuses_charts: bool,
    /// No options are stated.
    pub is_unstated: bool,
}

/// The source of a deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeploymentSource {
    /// Plain manifests, as absolute paths.
    Manifests(Arc<[PathBuf]>),
    /// A kustomization and the files that it applies, directly or through other kustomizations.
    Overlay {
        /// The folder of the kustomization, absolute.
        folder: PathBuf,
        /// The manifests, as absolute paths.
        files: Arc<[PathBuf]>,
    },
    /// The folder of a chart in the repository.
    Chart(PathBuf),
    /// A source outside the repository, described as the end of a sentence.
    External(String),
    /// A source that should be in the repository but cannot be found or read, with the reason.
    Unresolved(String),
}

/// What a GitOps object names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// A path in this repository. Parts that something else fills in are as written: `clusters/${CLUSTER}/apps`.
    Path(String),
    /// A path in a copy of some folder, whichever that is.
    PathBelow(String),
    /// A chart that is published somewhere, perhaps from this repository.
    Chart(String),
}

impl Deployment {
    /// Whether another one adds the same to a kustomization.
    pub(crate) fn builds_alike(&self, other: &Self) -> bool {
        self.kustomize == other.kustomize
            && self.build.loads_anywhere == other.build.loads_anywhere
            && self.build.refuses_charts == other.build.refuses_charts
            && self.build.is_unstated == other.build.is_unstated
            && self.variables == other.variables
    }

    /// The location of the object: the value of its `kind`, or the start of the file.
    pub fn place(&self) -> Location {
        let root = &self.object.root;
        let span = root.get("kind").map_or(root.span, |kind| kind.span);
        Location { source: self.object.source.clone(), span }.written()
    }

    /// The folder that it builds as a kustomization, absolute.
    pub(crate) fn overlay(&self) -> Option<&Path> {
        match &self.source {
            DeploymentSource::Overlay { folder, .. } => Some(folder),
            _ => None,
        }
    }

    /// The plain manifests that it applies.
    pub fn files(&self) -> &[PathBuf] {
        match &self.source {
            DeploymentSource::Manifests(files) | DeploymentSource::Overlay { files, .. } => files,
            DeploymentSource::Chart(_)
            | DeploymentSource::External(_)
            | DeploymentSource::Unresolved(_) => &[],
        }
    }
}

/// The distinct deployers of some deployments.
pub(crate) fn deployers(deployments: &[Arc<Deployment>]) -> Vec<Deployer> {
    let mut all: Vec<Deployer> = Vec::new();
    for deployment in deployments {
        if !all.contains(&deployment.deployer) {
            all.push(deployment.deployer.clone());
        }
    }
    all
}

/// The Helm settings of a deployment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HelmInput {
    /// The release name; `None` if the deployer chooses one that the repository does not state.
    pub release: Option<String>,
    /// The namespace of the release.
    pub namespace: Option<String>,
    /// Values over the chart's `values.yaml`, lowest precedence first.
    pub values: Vec<ValuesLayer>,
    /// Whether test hooks are left out.
    pub skip_tests: bool,
    /// Whether CRDs of the chart are left out.
    pub skip_crds: bool,
    /// Whether the values are not validated against the schema of the chart.
    pub skip_schema: bool,
    /// The Kubernetes version for `.Capabilities`, if the object states one.
    pub kube_version: Option<String>,
    /// Additional API versions for `.Capabilities`.
    pub api_versions: Vec<String>,
}

/// One layer of values.
#[derive(Clone, Debug)]
pub enum ValuesLayer {
    /// A values file: its absolute path and its printed path.
    File(PathBuf, String),
    /// A mapping in the GitOps object or in another object.
    Node(Arc<Source>, Node),
    /// YAML text embedded in another file, with the positions of that file.
    Text(Arc<Source>),
    /// A `--set`-style flag: `name=value`.
    Flag(Flag),
}

/// Compares the values, not where they are written.
impl PartialEq for ValuesLayer {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (ValuesLayer::File(own, _), ValuesLayer::File(other, _)) => own == other,
            (ValuesLayer::Node(_, own), ValuesLayer::Node(_, other)) => own == other,
            (ValuesLayer::Text(own), ValuesLayer::Text(other)) => {
                own.text.trim() == other.text.trim()
            }
            (ValuesLayer::Flag(own), ValuesLayer::Flag(other)) => {
                own.text == other.text && own.kind == other.kind
            }
            _ => false,
        }
    }
}
