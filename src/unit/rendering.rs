//! A chart rendered under one set of values.

use std::sync::Arc;

use helm_render::{Chart, RenderOptions, Rendered};

use super::Deployment;

/// A chart rendered under one value set.
#[derive(Debug)]
pub struct Rendering {
    pub chart: Arc<Chart>,
    pub options: RenderOptions,
    pub rendered: Arc<Rendered>,
    /// What the values come from, in the user's words: `values.yaml`, `ci/ha-values.yaml`.
    pub values: Arc<str>,
    /// No set of values that somebody wrote: made up to reach Jobs that none of those renders.
    pub is_explored: bool,
    /// The GitOps objects that deploy this: with exactly these values, or with values that do not render.
    pub deployments: Vec<Arc<Deployment>>,
}

impl Rendering {
    /// The same, deployed by these.
    pub fn of(self, deployments: &[Arc<Deployment>]) -> Self {
        Self { deployments: deployments.to_vec(), ..self }
    }
}
