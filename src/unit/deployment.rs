//! Who deploys a unit: what one GitOps object has one deployer apply.

use std::{path::PathBuf, sync::Arc};

use helm_render::values::Flag;
use job_lifecycle::{Deployer, Object};
use yaml_spans::{Location, Node, Source};

/// What one GitOps object has one deployer apply. A multi-source Application, a generator or a
/// `targetCustomizations` of Fleet makes several of them.
#[derive(Clone, Debug)]
pub struct Deployment {
    /// The Application, HelmRelease or Kustomization; of a `fleet.yaml` the whole file.
    pub object: Object,
    /// As messages name it: ``Application `shop` ``, `deploy/fleet.yaml`.
    pub title: String,
    /// With those options that the object states, each with its place.
    pub deployer: Deployer,
    pub what: What,
    /// How a chart is rendered; `None` for what is no chart.
    pub helm: Option<HelmInput>,
    /// The namespace of what does not name its own.
    pub namespace: Option<String>,
    /// What of the object was not evaluated, and why.
    pub not_evaluated: Vec<String>,
}

/// What is applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// These files as they are: absolute paths.
    Manifests(Vec<PathBuf>),
    /// A kustomization, and the files that it and what it lists apply as they are.
    Overlay { folder: PathBuf, files: Vec<PathBuf> },
    /// The folder of a chart.
    Chart(PathBuf),
    /// It lies elsewhere; where, as the end of a sentence.
    External(String),
    /// It should be here and cannot be found or read; why.
    Unresolved(String),
}

impl Deployment {
    /// The place of the object: the value of its `kind`, or the start of the file.
    pub fn place(&self) -> Location {
        let root = &self.object.root;
        let span = root.get("kind").map_or(root.span, |kind| kind.span);
        Location { source: self.object.source.clone(), span }.written()
    }

    /// The files that it applies as they are.
    pub fn files(&self) -> &[PathBuf] {
        match &self.what {
            What::Manifests(files) | What::Overlay { files, .. } => files,
            What::Chart(_) | What::External(_) | What::Unresolved(_) => &[],
        }
    }
}

/// The deployers of some deployments, each once.
pub fn deployers(deployments: &[Arc<Deployment>]) -> Vec<Deployer> {
    let mut all: Vec<Deployer> = Vec::new();
    for deployment in deployments {
        if !all.contains(&deployment.deployer) {
            all.push(deployment.deployer.clone());
        }
    }
    all
}

/// How a chart is rendered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HelmInput {
    /// `None`: the tool makes one up that is not in the tree.
    pub release: Option<String>,
    pub namespace: Option<String>,
    /// The lowest precedence first; above the chart's own `values.yaml`.
    pub values: Vec<ValuesLayer>,
    pub skip_tests: bool,
    pub skip_crds: bool,
    pub skip_schema: bool,
    /// For `.Capabilities`, where the object states them.
    pub kube_version: Option<String>,
    pub api_versions: Vec<String>,
}

/// One layer of values.
#[derive(Clone, Debug)]
pub enum ValuesLayer {
    /// A values file: an absolute path, and how it is shown.
    File(PathBuf, String),
    /// A mapping of the object, or of another one.
    Node(Arc<Source>, Node),
    /// A text that is YAML itself, standing in a file: its places are those of the file.
    Text(Arc<Source>),
    /// As `--set` and its kin: `name=value`.
    Flag(Flag),
}

/// Equal values, wherever they are written.
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
