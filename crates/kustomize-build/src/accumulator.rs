//! What a kustomization hands to the one above it.

use std::sync::Arc;

use crate::{config::Config, error::Result, resources::Resources, vars::Vars};

/// Resources, the fields that transformers change, and vars.
#[derive(Clone, Debug, Default)]
pub(crate) struct Accumulator {
    pub(crate) resources: Resources,
    pub(crate) config: Arc<Config>,
    pub(crate) vars: Vars,
}

impl Accumulator {
    pub(crate) fn merge(&mut self, other: Accumulator) -> Result<()> {
        self.resources.work.add(other.resources.work)?;
        self.resources.append_all(other.resources.list)?;
        self.config.join(&other.config)?;
        self.vars.merge(other.vars.iter())
    }
}
