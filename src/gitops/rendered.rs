//! GitOps objects that charts render: apps of apps.

use std::path::{Path, PathBuf};

use job_lifecycle::Object;

use super::{Tree, scan};
use crate::{
    chart,
    unit::{Deployment, HelmInput, What},
};

/// A chart that may render GitOps objects, and what it renders as it is deployed, else by default.
#[derive(Debug)]
pub struct AppChart {
    root: PathBuf,
    /// `None` before the first render.
    inputs: Option<Vec<HelmInput>>,
    pub objects: Vec<Object>,
}

impl AppChart {
    pub fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), inputs: None, objects: Vec::new() }
    }

    /// Renders it for the deployments found so far; false when it is deployed as before. What does not render
    /// says so where the chart is checked.
    pub fn update(&mut self, deployments: &[Deployment], tree: &Tree) -> bool {
        let deploys = |one: &&Deployment| one.what == What::Chart(self.root.clone());
        let deployed = deployments.iter().filter(deploys);
        let mut inputs: Vec<_> = deployed.filter_map(|one| one.helm.clone()).collect();
        inputs.dedup();
        if self.inputs.as_ref() == Some(&inputs) {
            return false;
        }
        let shown = tree.shown(&self.root);
        let render = |input| chart::objects_of(&self.root, &shown, input).unwrap_or_default();
        let objects: Vec<_> = match &inputs[..] {
            [] => render(None),
            inputs => inputs.iter().flat_map(|input| render(Some(input))).collect(),
        };
        self.objects = objects.into_iter().filter(scan::matters).collect();
        self.inputs = Some(inputs);
        true
    }
}
