//! `configMapGenerator`, `secretGenerator` and `generators`.

use super::{
    Target,
    plugins::{PluginConfig, decode},
};
use crate::{
    accumulator::Accumulator,
    error::{Error, Reason, Result},
    generate::Generator,
    origin::Field,
    provenance::{self, Provenance},
    resource::{ORIGIN, Resource},
    types::GeneratorArgs,
};

impl Target<'_> {
    pub(super) fn run_generators(
        &self,
        built: &mut Accumulator,
        warnings: &mut Vec<String>,
    ) -> Result<()> {
        let k = self.kustomization();
        let configs = k.config_map_generator.iter().flatten();
        let configs = configs.map(|args| (args, "ConfigMap", Field::ConfigMapGenerator));
        let secrets = k.secret_generator.iter().flatten();
        let secrets = secrets.map(|args| (args, "Secret", Field::SecretGenerator));
        for (args, kind, field) in configs.chain(secrets) {
            let generator = Generator {
                kind,
                args: args.clone(),
                global: k.generator_options.clone(),
                place: self.place(field),
            };
            let note = self.note(&format!("{kind}Generator"));
            self.generate(built, &generator, note)?;
        }
        self.inflate_charts(built)?;
        for (resource, note) in
            self.plugins(k.generators.as_deref().unwrap_or_default(), warnings)?
        {
            let loading = |error: Error| {
                error.prefixed("loading generator plugins: failed to load generator")
            };
            match PluginConfig::of(&resource).map_err(loading) {
                Err(error) if error.reason == Reason::Unsupported => {
                    self.loader.skip(error)?;
                    continue;
                }
                config => drop(config?),
            }
            if resource.kind() == "HelmChartInflationGenerator" {
                if self.loader.charts().is_none() {
                    let id = resource.original_id();
                    let message =
                        format!("plugin {id} fails configuration: must specify --enable-helm");
                    let at = resource.node.origin.parts().first().map(|part| part.at.clone());
                    self.loader.skip(loading(Error::new(Reason::Unsupported, message).at(at)))?;
                    continue;
                }
                let (chart, globals) = (decode(&resource)?, decode(&resource)?);
                self.inflate(built, &chart, &globals, note)?;
                continue;
            }
            let kind = match resource.kind() {
                "ConfigMapGenerator" => "ConfigMap",
                "SecretGenerator" => "Secret",
                _ => {
                    let message = format!("unable to load builtin {}", resource.gvk());
                    return Err(loading(Error::generator(message)));
                }
            };
            let args: GeneratorArgs = decode(&resource)?;
            let generator =
                Generator { kind, args, global: None, place: self.place(Field::Plugins) };
            self.generate(built, &generator, note)?;
        }
        Ok(())
    }

    fn generate(
        &self,
        built: &mut Accumulator,
        generator: &Generator,
        note: Option<Provenance>,
    ) -> Result<()> {
        let name = &generator.args.name;
        let made = generator
            .generate(&self.loader)
            .map_err(|error| error.at(name.at.clone()).at(Some(self.location())));
        let mut resource = match made {
            Err(error) if error.reason == Reason::Remote => return self.loader.skip(error),
            made => made?,
        };
        if let Some(note) = note {
            resource.set_annotation(ORIGIN, note.text());
        }
        built
            .resources
            .absorb(resource)
            .map_err(|error| error.prefixed("merging from generator &{...}").at(name.at.clone()))
            .or_else(|error| self.loader.skip_dependent(error))
    }

    /// The configuration of plugins: files, folders or texts.
    pub(super) fn plugins(
        &self,
        entries: &[crate::go::Text],
        warnings: &mut Vec<String>,
    ) -> Result<Vec<(Resource, Option<Provenance>)>> {
        let mut built = Accumulator::default();
        let mut paths = Vec::new();
        for entry in entries {
            match self.read_inline(entry, Field::Plugins) {
                Ok(resources) if entry.contains('\n') || !resources.is_empty() => {
                    built.resources.append_all(resources)?;
                }
                _ => paths.push(entry.clone()),
            }
        }
        self.add_resources(&mut built, &paths, Field::Plugins, warnings)?;
        let note = |resource: &Resource| {
            let own = self.provenance.as_ref()?;
            let path = resource.annotation(ORIGIN).and_then(|text| text.strip_prefix("path: "));
            let file = match path {
                Some(path) => Provenance::default().file(path.trim_end()),
                None => own.file(self.loaded.file_name),
            };
            Some(provenance::of_resource(&file, resource))
        };
        Ok(built
            .resources
            .list
            .into_iter()
            .map(|resource| {
                let note = note(&resource);
                (resource, note)
            })
            .collect())
    }
}
