//! Renders charts to find the GitOps objects (apps of apps) and admission policies in their output.

use std::path::{Path, PathBuf};

use helm_render::Pool;
use job_lifecycle::Object;

use super::{Tree, scan};
use crate::{
    chart,
    unit::{Deployment, DeploymentSource, HelmInput},
};

/// A chart that is rendered for some of its objects, and those that it rendered last.
#[derive(Debug)]
pub(crate) struct AppChart {
    root: PathBuf,
    /// The Helm inputs of the last render; `None` before the first.
    inputs: Option<Vec<HelmInput>>,
    pub objects: Vec<Object>,
    /// Why the last render failed, if it did.
    pub failure: Option<String>,
    keep: fn(&Object) -> bool,
}

impl AppChart {
    /// A chart for its GitOps objects.
    pub(crate) fn new(root: &Path) -> Self {
        let (root, objects) = (root.to_owned(), Vec::new());
        Self { root, inputs: None, objects, failure: None, keep: scan::matters }
    }

    /// A chart for everything that it renders.
    pub(super) fn whole(root: &Path) -> Self {
        Self { keep: |_| true, ..Self::new(root) }
    }

    /// Whether the deployments of the last render deploy it.
    pub(super) fn is_deployed(&self) -> bool {
        self.inputs.as_ref().is_some_and(|inputs| !inputs.is_empty())
    }

    /// Whether it renders with all values that somebody deploys it with, as far as deployments in the repository tell.
    pub(super) fn is_rendered_for(&self, deployments: &[Deployment]) -> bool {
        let own = deployments
            .iter()
            .filter(|one| one.source == DeploymentSource::Chart(self.root.clone()));
        self.failure.is_none()
            && self.is_deployed()
            && own.into_iter().all(|one| one.not_evaluated.is_empty())
    }

    /// Renders the chart for the deployments found so far. Returns `false` if its inputs have not changed.
    /// Render errors are reported when the chart itself is checked.
    pub(crate) fn update(&mut self, deployments: &[Deployment], tree: &Tree, pool: &Pool) -> bool {
        let deploys = |one: &&Deployment| one.source == DeploymentSource::Chart(self.root.clone());
        let deployed = deployments.iter().filter(deploys);
        let mut inputs: Vec<_> = deployed.filter_map(|one| one.helm.clone()).collect();
        inputs.dedup();
        if self.inputs.as_ref() == Some(&inputs) {
            return false;
        }
        let shown = tree.shown(&self.root);
        let render = |input| chart::objects_of(&self.root, &shown, input, &tree.boundary, pool);
        let renders: Vec<_> = match &inputs[..] {
            [] => vec![render(None)],
            inputs => inputs.iter().map(|input| render(Some(input))).collect(),
        };
        let (objects, failures): (Vec<_>, Vec<_>) = renders.into_iter().partition(Result::is_ok);
        self.failure = failures.into_iter().find_map(Result::err).map(|error| error.message);
        self.objects = objects.into_iter().flatten().flatten().filter(self.keep).collect();
        self.inputs = Some(inputs);
        true
    }
}
