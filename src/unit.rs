//! What is applied together, as data: the files of a unit, who deploys it, what they hold.

mod deployment;
mod loaded;
mod rendering;

use std::{path::PathBuf, sync::Arc};

pub use deployment::{Deployment, HelmInput, ValuesLayer, What, deployers};
pub use loaded::{Counts, Failure, Loaded, PredictedChanges, Problem};
pub use rendering::Rendering;

/// How the files of a unit become objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UnitKind {
    /// Manifests applied as they are.
    Plain,
    /// A Helm chart.
    Chart,
    /// A Kustomize root.
    Overlay,
}

/// Files that are applied together.
#[derive(Clone, Debug)]
pub struct Unit {
    pub kind: UnitKind,
    /// The folder of the files, the chart (or its archive) or the overlay.
    pub root: PathBuf,
    /// The files to read; of a chart, those that stand for files on disk.
    pub files: Vec<File>,
    /// Something in the tree applies all of them together.
    pub together: bool,
    /// The GitOps objects that have it applied.
    pub deployments: Vec<Arc<Deployment>>,
}

/// A file to read.
#[derive(Clone, Debug)]
pub struct File {
    pub path: PathBuf,
    /// As shown: relative to the working directory, with `/`.
    pub shown: String,
    /// Named on the command line: read whatever it is, its trouble reported.
    pub named: bool,
    /// Text that stands for the file: standard input, a revision.
    pub text: Option<Vec<u8>>,
}
