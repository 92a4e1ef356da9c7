//! The data of a unit: its files, who deploys it, and the objects it holds.

mod deployment;
mod kustomize;
mod loaded;
mod problem;
mod rendering;

use std::{path::PathBuf, sync::Arc};

pub use file_boundary::Boundary;
use job_lifecycle::kubernetes::{is_placeholder, token_word};

pub(crate) use deployment::deployers;
pub use deployment::{Build, Deployment, DeploymentSource, HelmInput, Named, ValuesLayer};
pub use kustomize::{KustomizeRoot, OverlayView};
pub use loaded::{Counts, Generated, Loaded, PredictedChanges};
pub(crate) use problem::NO_FILE;
pub use problem::{Failure, Problem};
pub use rendering::Rendering;

/// How the files of a unit become objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UnitKind {
    /// Manifests applied as they are.
    Plain,
    /// A Helm chart.
    Chart,
    /// Kustomizations that share files.
    Overlay,
}

/// Files that are applied together.
#[derive(Clone, Debug)]
pub struct Unit {
    /// How the files become objects.
    pub kind: UnitKind,
    /// The folder of the files, the chart (or its archive), or the overlay.
    pub root: PathBuf,
    /// The files to read. For a chart: the contents that replace files on disk.
    pub files: Vec<File>,
    /// Whether something in the tree states that all files are deployed together.
    pub together: bool,
    /// Whether a kustomization above lists other files of the folder and not these: nothing applies them, unless a GitOps
    /// object names the folder.
    pub unlisted: bool,
    /// The GitOps objects that deploy this unit.
    pub deployments: Vec<Arc<Deployment>>,
    /// The kustomizations to build, if that is what it is. Each is one view of the unit.
    pub roots: Vec<KustomizeRoot>,
    /// The charts elsewhere in the tree that take this one in by `file://`.
    pub umbrellas: Vec<PathBuf>,
    /// Where the files may lead.
    pub boundary: Boundary,
    /// Whether a bot of the repository raises the versions of images.
    pub bumped: bool,
    /// The addresses of the repository of a chart, without a scheme: `github.com/shop/apps`.
    pub remotes: Vec<String>,
    /// Whether the files are plain manifests in folders that are deployed as kustomizations, which do not list them.
    pub switched_off: bool,
    /// The folders, as printed, that nothing in the repository deploys although their likes are deployed from it: that of
    /// the unit, or those of some of its kustomizations.
    pub undeployed: Vec<String>,
    /// Whether it is a chart in a folder called after its version, beside a newer version.
    pub superseded: bool,
}

impl Unit {
    /// The number of charts among some units.
    pub(crate) fn charts(units: &[Self]) -> usize {
        units.iter().filter(|unit| unit.kind == UnitKind::Chart).count()
    }

    /// Files that are deployed together, without a folder of their own.
    pub fn new(kind: UnitKind, files: Vec<File>, boundary: Boundary) -> Self {
        let deployments = Vec::new();
        let (root, roots) = (PathBuf::new(), Vec::new());
        Self {
            kind,
            root,
            files,
            together: true,
            unlisted: false,
            deployments,
            roots,
            umbrellas: Vec::new(),
            boundary,
            bumped: false,
            remotes: Vec::new(),
            switched_off: false,
            undeployed: Vec::new(),
            superseded: false,
        }
    }
}

/// A file to read.
#[derive(Clone, Debug)]
pub struct File {
    /// The path to read, relative to the working directory or absolute.
    pub path: PathBuf,
    /// The path as printed: relative to the working directory, with `/`.
    pub shown: String,
    /// Named on the command line: always parsed, and its problems are reported.
    pub named: bool,
    /// Content that replaces the file on disk: standard input, a Git revision.
    pub text: Option<Vec<u8>>,
}

/// What `helm create --starter` replaces by the name of the chart that it makes, which leaves the templates what they are
/// (`transform` in helm.sh/helm/v3/pkg/chartutil/create.go).
const STARTER: &str = "<CHARTNAME>";

/// Whether the name of a chart is that of one which another tool makes of it: `__name__`, `<name>`, `CHART_NAME`.
pub(crate) fn is_filled_in(name: &str) -> bool {
    name != STARTER && (token_word(name).is_some() || is_placeholder(name))
}
