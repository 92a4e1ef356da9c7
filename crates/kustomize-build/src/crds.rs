//! `crds`: OpenAPI definitions that say which fields of custom resources are names, labels and references.

use std::sync::Arc;

use yaml_spans::{Location, Node, Source};

use crate::{
    config::{Config, FieldSpec, NameReference},
    error::{Error, Reason, Result},
    go::Text,
    id::Gvk,
    loader::Loader,
};

/// The most definitions on one path; kustomize does not stop at definitions that contain themselves.
const MAX_DEPTH: usize = 50;

/// The fields that the files of `crds` add.
pub(crate) fn load(loader: &Loader<'_>, paths: &[Text]) -> Result<Config> {
    let mut config = Config::default();
    for path in paths {
        let source = loader.source(path).map_err(|error| error.at(path.at.clone()))?;
        let Some(document) = yaml_spans::parse(&source.text).into_iter().next() else { continue };
        let root = document.map_err(|error| {
            let message =
                format!("unable to parse open API definition from '{}': {}", &**path, error.reason);
            let at = Location { source: source.clone(), span: error.span };
            Error::new(Reason::Kustomization, message).at(Some(at))
        })?;
        config.merge(&of_definitions(&root.root, &source)?)?;
    }
    Ok(config)
}

fn of_definitions(root: &Node, source: &Arc<Source>) -> Result<Config> {
    let mut config = Config::default();
    for entry in root.entries() {
        let is_kind = properties(&entry.value).is_some_and(|properties| {
            ["kind", "apiVersion", "metadata"].iter().all(|key| properties.get(key).is_some())
        });
        if is_kind {
            let kind = entry.key.rsplit('.').next().unwrap_or_default();
            let gvk = Gvk::of("", "", kind);
            let mut definition =
                Definition { root, gvk, path: Vec::new(), config: Config::default() };
            definition.add(&entry.key).map_err(|error| {
                let at = Location { source: source.clone(), span: entry.key_span };
                error.at(Some(at))
            })?;
            config.merge(&definition.config)?;
        }
    }
    Ok(config)
}

fn properties(definition: &Node) -> Option<&Node> {
    let schema = |entry: &&yaml_spans::Entry| entry.key.eq_ignore_ascii_case("schema");
    definition.entries().iter().find(schema)?.value.get("properties")
}

struct Definition<'n> {
    root: &'n Node,
    gvk: Gvk,
    path: Vec<&'n str>,
    config: Config,
}

impl<'n> Definition<'n> {
    fn add(&mut self, name: &str) -> Result<()> {
        if self.path.len() > MAX_DEPTH {
            let message = format!("the definition {name} contains itself");
            return Err(Error::new(Reason::Kustomization, message));
        }
        let Some(properties) = self.root.get(name).and_then(properties) else { return Ok(()) };
        for entry in properties.entries() {
            let text = |key: &str| entry.value.get(key).and_then(Node::as_str);
            self.path.push(&entry.key);
            let spec = self.spec(None);
            let mut own = Config::default();
            if text("x-kubernetes-annotation").is_some() {
                own.common_annotations.push(spec.clone());
            }
            if text("x-kubernetes-label-selector").is_some() {
                own.common_labels.push(spec.clone());
            }
            if text("x-kubernetes-identity").is_some() {
                own.name_prefix.push(spec);
            }
            if let (Some(version), Some(kind)) =
                (text("x-kubernetes-object-ref-api-version"), text("x-kubernetes-object-ref-kind"))
            {
                let key = text("x-kubernetes-object-ref-name-key").unwrap_or("name");
                let gvk = Gvk::of("", version, kind);
                own.name_reference
                    .push(NameReference { gvk, referrers: vec![self.spec(Some(key))] });
            }
            self.config.merge(&own)?;
            if let Some(reference) = text("$ref") {
                self.add(reference)?;
            }
            self.path.pop();
        }
        Ok(())
    }

    fn spec(&self, key: Option<&str>) -> FieldSpec {
        let parts: Vec<&str> = self.path.iter().copied().chain(key).collect();
        FieldSpec { gvk: self.gvk.clone(), path: parts.join("/").into(), create: false }
    }
}
