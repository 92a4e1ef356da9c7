//! A chart rendered under one value set.

use std::sync::Arc;

use helm_render::{Chart, RenderOptions, Rendered, values::Tree};

use super::Deployment;

/// A chart rendered under one value set.
#[derive(Clone, Debug)]
pub struct Rendering {
    /// The chart.
    pub chart: Arc<Chart>,
    /// The options it was rendered with, values included.
    pub options: RenderOptions,
    /// The output with its provenance.
    pub rendered: Arc<Rendered>,
    /// The origin of the values as shown to the user: `values.yaml`, `ci/ha-values.yaml`.
    pub values: Arc<str>,
    /// The values were explored by joblint to enable Jobs, not written by a person.
    pub is_explored: bool,
    /// An empty list or map has an entry without fields, so that only what the templates themselves say counts.
    pub is_of_entries: bool,
    /// Tests compare what the values render; nobody deploys it.
    pub is_compared: bool,
    /// The GitOps objects that deploy the chart with these values, or with values that do not render.
    pub deployments: Vec<Arc<Deployment>>,
}

impl Rendering {
    /// The same rendering, deployed by these GitOps objects.
    pub fn of(self, deployments: &[Arc<Deployment>]) -> Self {
        Self { deployments: deployments.to_vec(), ..self }
    }

    /// Whether a dependency that the values enable, or one of a dependency, is not in the tree: what it prints is unknown.
    pub(crate) fn is_incomplete(&self) -> bool {
        let below = &self.chart.dependencies;
        !self.rendered.missing.is_empty() || below.iter().any(|one| one.lacks_dependencies())
    }

    /// Whether joblint turned a switch on, such as `restore.enabled`, that no values of the tree turn on.
    pub(crate) fn is_enabled(&self) -> bool {
        let mut chosen = self.options.overrides.iter();
        self.is_explored && chosen.any(|one| matches!(one.value, Tree::Bool(true)))
    }

    /// Whether joblint rendered an upgrade, for objects that installations do not render.
    pub(crate) fn is_of_upgrades(&self) -> bool {
        self.is_explored && self.options.release.is_upgrade
    }
}
