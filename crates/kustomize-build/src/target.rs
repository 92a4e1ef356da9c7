//! Builds one kustomization and those that it refers to, in kustomize's order.

mod charts;
mod generators;
mod plugins;
mod resources;
mod transformers;

use std::sync::Arc;

use yaml_spans::Location;

use crate::{
    accumulator::Accumulator,
    config::Config,
    crds,
    error::Result,
    go::Text,
    kustomization::{self, Loaded},
    loader::Loader,
    name_reference,
    origin::{Field, Step},
    overrides::Overrides,
    provenance::{Provenance, plugin},
    resources::Resources,
    transform::{Hashes, Place, Transform},
    types::Kustomization,
};

/// One kustomization, and how the build got there.
pub(crate) struct Target<'f> {
    loader: Loader<'f>,
    loaded: Loaded,
    chain: Option<Arc<Step>>,
    /// The namespace of the kustomizations above, for charts.
    chart_namespace: Text,
    /// What `buildMetadata` of the kustomization that is built asks to note.
    provenance: Option<Provenance>,
}

/// The transformers of a kustomization, each with its note.
type Steps = Vec<(Box<dyn Transform>, Option<Provenance>)>;

impl<'f> Target<'f> {
    pub(crate) fn load(loader: Loader<'f>) -> Result<Self> {
        let loaded = kustomization::load(&loader)?;
        let notes = loaded.kustomization.build_metadata.as_ref();
        let provenance = notes.filter(|notes| !notes.is_empty()).map(|_| Provenance::default());
        let chart_namespace = Text::default();
        Ok(Self { loader, loaded, chain: None, chart_namespace, provenance })
    }

    pub(crate) fn kustomization(&self) -> &Kustomization {
        &self.loaded.kustomization
    }

    /// Adds the fields of a deployer.
    pub(crate) fn add(&mut self, overrides: &Overrides) -> Result<()> {
        overrides.apply(&mut self.loaded.kustomization)
    }

    pub(crate) fn location(&self) -> Location {
        self.loaded.location()
    }

    fn place(&self, field: Field) -> Place {
        Place { field, chain: self.chain.clone() }
    }

    /// Builds the kustomization as the one that is printed. `warnings` collects those of all kustomizations.
    pub(crate) fn build(&self, warnings: &mut Vec<String>) -> Result<Resources> {
        self.choose_schema(true)?;
        let mut built = self.accumulate(Accumulator::default(), warnings)?;
        Hashes.apply(&mut built.resources)?;
        name_reference::fix(&mut built.resources, &built.config)?;
        built.vars.resolve(&mut built.resources, &built.config)?;
        built.resources.list.retain(|resource| {
            let local = resource.annotation("config.kubernetes.io/local-config");
            !resource.is_deleted() && local.is_none_or(|value| value == "false")
        });
        Ok(built.resources)
    }

    /// Adds the kustomization to what a component's parent has, or to nothing.
    fn accumulate(
        &self,
        mut built: Accumulator,
        warnings: &mut Vec<String>,
    ) -> Result<Accumulator> {
        warnings.extend(self.loaded.warnings.iter().cloned());
        let k = self.kustomization();
        self.add_resources(
            &mut built,
            k.resources.as_deref().unwrap_or_default(),
            Field::Resources,
            warnings,
        )
        .map_err(|error| error.prefixed("accumulating resources"))?;
        let paths = k.configurations.as_deref().unwrap_or_default();
        built.config.join(&Config::load(&self.loader, paths)?)?;
        let paths = k.crds.as_deref().unwrap_or_default();
        if !paths.is_empty() {
            built.config.join(&crds::load(&self.loader, paths)?.into())?;
        }
        self.run_generators(&mut built, warnings)?;
        for component in k.components.as_deref().unwrap_or_default() {
            built = self
                .add_component(built, component, warnings)
                .map_err(|error| error.prefixed("accumulating components"))?;
        }
        let mut steps = self.built_in_steps(&built.config)?;
        steps.extend(self.plugin_steps(k.transformers.as_deref().unwrap_or_default(), warnings)?);
        for (transformer, note) in steps {
            let at = || Some(self.location());
            let idle = transformer.idle(&built.resources).filter(|_| self.loader.is_complete());
            self.loader.progress().idle_patches.borrow_mut().extend(idle);
            let before = (!self.loader.is_complete()).then(|| built.resources.clone());
            if let Err(error) = transformer.apply(&mut built.resources) {
                self.loader.skip_dependent(error.at(at()))?;
                built.resources = before.unwrap_or_default();
                continue;
            }
            if let Some(note) = note {
                built
                    .resources
                    .list
                    .iter_mut()
                    .for_each(|resource| note.add_transformation(resource));
            }
            built.resources.drop_deleted();
        }
        for (validator, _) in
            self.plugin_steps(k.validators.as_deref().unwrap_or_default(), warnings)?
        {
            let result = validator.apply(&mut built.resources.clone());
            result.or_else(|error| self.loader.skip_dependent(error))?;
        }
        let Accumulator { vars, resources, .. } = &mut built;
        vars.add(k.vars.as_deref().unwrap_or_default(), resources)
            .map_err(|error| error.prefixed("merging vars"))
            .or_else(|error| self.loader.skip_dependent(error))?;
        Ok(built)
    }

    /// What a built-in plugin notes at the resources that it makes or changes.
    fn note(&self, kind: &str) -> Option<Provenance> {
        let own = self.provenance.as_ref()?;
        Some(plugin(&own.file(self.loaded.file_name), kind))
    }
}
