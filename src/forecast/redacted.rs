//! Masks the secret values of a run in its forecasts.

use std::sync::Arc;

use yaml_spans::Source;

use super::{Block, Cell, Outlook};
use crate::{
    redact::Redactor,
    unit::{Deployment, DeploymentSource},
};

impl Outlook {
    /// Masks the secrets of the sources, and their values and those of the run in all texts.
    pub(super) fn redact(&mut self) {
        let mut redactor = Redactor::default();
        for source in self.blocks.iter().flat_map(sources) {
            redactor.of(source);
        }
        let redactor = &mut redactor.with_values(std::mem::take(&mut self.secrets));
        self.blocks.iter_mut().for_each(|block| redact(redactor, block));
        for deployment in &mut self.deployments {
            redact_deployment(redactor, Arc::make_mut(deployment));
        }
        for text in self.notes.iter_mut().chain(&mut self.errors) {
            redactor.hide(text);
        }
    }
}

fn sources(block: &Block) -> impl Iterator<Item = &Arc<Source>> {
    let cells = block.columns.iter().flat_map(|column| &column.events).map(|(_, cell)| cell);
    let labels = cells.flat_map(|cell| &cell.labels).map(|(at, _)| &at.source);
    std::iter::once(&block.location.source).chain(labels)
}

fn redact(redactor: &mut Redactor, block: &mut Block) {
    block.location.source = redactor.of(&block.location.source).source.clone();
    redactor.hide_name(&mut block.name);
    redactor.hide(&mut block.title);
    block.value_sets.iter_mut().for_each(|name| redactor.hide_shared(name));
    for column in &mut block.columns {
        for (_, Cell { reason, labels, .. }) in &mut column.events {
            redactor.hide(reason);
            for (at, text) in labels {
                at.source = redactor.of(&at.source).source.clone();
                redactor.hide(text);
            }
        }
    }
}

fn redact_deployment(redactor: &Redactor, deployment: &mut Deployment) {
    redactor.hide(&mut deployment.title);
    deployment.not_evaluated.iter_mut().for_each(|text| _ = redactor.hide(text));
    match &mut deployment.source {
        DeploymentSource::External(text) | DeploymentSource::Unresolved(text) => {
            redactor.hide(text);
        }
        DeploymentSource::Manifests(_)
        | DeploymentSource::Overlay { .. }
        | DeploymentSource::Chart(_) => {}
    }
}
