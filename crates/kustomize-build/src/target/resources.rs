//! `resources`, `bases` and `components`.

use std::sync::Arc;

use yaml_spans::Location;

use super::Target;
use crate::{
    accumulator::Accumulator,
    error::{Error, Reason, Result},
    go::Text,
    node::{Data, Node},
    origin::{Field, Step},
    read::Input,
    resource::{ORIGIN, Resource},
    resources::Resources,
};

impl Target<'_> {
    pub(super) fn step(&self, entry: &Text) -> Option<Arc<Step>> {
        let at = entry.at.clone()?;
        Some(Arc::new(Step { at, parent: self.chain.clone() }))
    }

    /// Adds files and folders.
    pub(super) fn add_resources(
        &self,
        built: &mut Accumulator,
        paths: &[Text],
        field: Field,
        warnings: &mut Vec<String>,
    ) -> Result<()> {
        for path in paths {
            let Err(as_file) = self.add_file(built, path, field) else { continue };
            if as_file.reason == Reason::Remote
                && crate::remote::is_http(path)
                && !crate::remote::is_repository(path)
            {
                self.loader.skip(as_file.at(path.at.clone()))?;
                continue;
            }
            let at = path.at.clone().unwrap_or_else(|| self.location());
            let wrap = |error: Error| {
                error
                    .prefixed(format!("accumulation err='{}'", as_file.message))
                    .at(path.at.clone())
            };
            let loader = match self.loader.folder(path, &at) {
                Ok(loader) => loader,
                Err(_) if as_file.message.contains("MalformedYAMLError") => return Err(as_file),
                Err(error) if error.reason == Reason::Remote => {
                    self.loader.skip(error)?;
                    continue;
                }
                // The file is there, so its problem is the one to point at.
                Err(error) => {
                    let file_at = as_file.at.clone();
                    let wrapped = wrap(error);
                    return Err(Error { at: file_at.or(wrapped.at), ..wrapped });
                }
            };
            let child = self.child(loader, path, false).map_err(wrap)?;
            let more = child.accumulate(Accumulator::default(), warnings);
            let root = child.loader.root().display();
            let more = more.map_err(|error| {
                wrap(error.prefixed(format!("recursed accumulation of path '{root}'")))
            })?;
            built.merge(more).map_err(|error| {
                wrap(error.prefixed(format!("recursed merging from path '{root}'")))
            })?;
        }
        Ok(())
    }

    fn add_file(&self, built: &mut Accumulator, path: &Text, field: Field) -> Result<()> {
        let prefix = |what: &str| format!("{what} resources from '{}'", &**path);
        let resources =
            self.read_file(path, field).map_err(|error| error.prefixed(prefix("accumulating")))?;
        let note = self.provenance.as_ref().map(|own| own.file(path).text());
        let mut own = Resources::default();
        own.append_all(resources).map_err(|error| error.prefixed(prefix("accumulating")))?;
        built.resources.work.add(own.work)?;
        for mut resource in own.list {
            if let Some(note) = &note {
                resource.set_annotation(ORIGIN, note.clone());
            }
            built.resources.append(resource).map_err(|error| error.prefixed(prefix("merging")))?;
        }
        Ok(())
    }

    /// The resources of a file.
    pub(super) fn read_file(&self, path: &Text, field: Field) -> Result<Vec<Resource>> {
        let source = self.loader.source(path)?;
        let text = source.text.clone();
        let documents = Some(self.loader.documents(&source));
        let chain = self.step(path);
        let input = Input { text: &text, source, documents, inside: None, field, chain };
        self.read_resources(&input).map_err(|mut error| {
            if error.message.contains("MalformedYAMLError") {
                error.message = format!("{} in File: {}", error.message, &**path);
            }
            error
        })
    }

    /// The resources of a text in the kustomization.
    pub(super) fn read_inline(&self, text: &Text, field: Field) -> Result<Vec<Resource>> {
        self.read_resources(&self.inline(text, field))
    }

    /// The resources of a text. Those of a kind without a namespace know it.
    pub(super) fn read_resources(&self, input: &Input<'_>) -> Result<Vec<Resource>> {
        let mut resources = read_resources(input)?;
        for resource in &mut resources {
            let is_cluster_scoped = self.loader.schemas().is_cluster_scoped(&resource.gvk())?;
            resource.history.is_declared_cluster_scoped = is_cluster_scoped;
        }
        Ok(resources)
    }

    /// Chooses the schema that `openapi` names. `is_first`: this is the kustomization that is built.
    pub(super) fn choose_schema(&self, is_first: bool) -> Result<()> {
        let fields = self.kustomization().openapi.as_ref();
        let field = |name: &str| {
            let mut fields = fields?.0.iter();
            fields.find(|(key, _)| &**key == name).map(|(_, value)| value)
        };
        let schemas = self.loader.schemas();
        let file = match field("path") {
            None => None,
            Some(path) => match self.loader.schema_file(path) {
                Ok(file) => Some((file, path.at.clone())),
                Err(error) if error.reason == Reason::Remote => {
                    return self.loader.skip(error.at(path.at.clone()));
                }
                Err(error) => return Err(error.at(path.at.clone())),
            },
        };
        if !is_first && !schemas.is_open() {
            return Ok(());
        }
        match (file, field("version")) {
            (Some(_), Some(version)) => {
                let message = "builtin version and custom schema provided, cannot use both";
                Err(Error::new(Reason::Kustomization, message).at(version.at.clone()))
            }
            (Some((file, at)), None) => {
                schemas.choose_file(file, at);
                Ok(())
            }
            (None, Some(version)) => {
                schemas.choose_version(version).map_err(|error| error.at(version.at.clone()))
            }
            (None, None) => Ok(()),
        }
    }

    pub(super) fn inline<'t>(&self, text: &'t Text, field: Field) -> Input<'t> {
        let source =
            text.at.as_ref().map_or_else(|| self.loaded.source.clone(), |at| at.source.clone());
        let (inside, chain) = (text.inside.clone(), self.chain.clone());
        Input { text, source, documents: None, inside, field, chain }
    }

    /// The kustomization in a folder that this one names.
    fn child<'c>(
        &self,
        loader: crate::loader::Loader<'c>,
        path: &Text,
        is_component: bool,
    ) -> Result<Target<'c>> {
        let root = loader.root().display().to_string();
        let mut child = Target::load(loader)
            .map_err(|error| error.prefixed(format!("couldn't make target for path '{root}'")))?;
        child.chain = self.step(path);
        let namespace = &self.kustomization().namespace;
        let inherited = if namespace.is_empty() { &self.chart_namespace } else { namespace };
        child.chart_namespace = inherited.clone();
        child.provenance = self.provenance.as_ref().map(|own| own.file(path));
        child.choose_schema(false)?;
        let kind = &child.kustomization().kind;
        let at = kind.at.clone().or_else(|| Some(child.location()));
        let fail = |message: String| Err(Error::new(Reason::Kustomization, message).at(at.clone()));
        if is_component && !child.kustomization().is_component() {
            let message =
                format!("expected kind 'Component' for path '{root}' but got '{}'", &**kind);
            return fail(message);
        }
        if !is_component && child.kustomization().is_component() {
            return fail(format!("expected kind != 'Component' for path '{root}'"));
        }
        Ok(child)
    }

    /// Lets a component change what there is so far.
    pub(super) fn add_component(
        &self,
        built: Accumulator,
        path: &Text,
        warnings: &mut Vec<String>,
    ) -> Result<Accumulator> {
        let quote = |prefix: &str, error: Error| Error {
            message: format!("{prefix} {:?}", error.message),
            ..error
        };
        let at: Location = path.at.clone().unwrap_or_else(|| self.location());
        let loader = match self.loader.folder(path, &at) {
            Err(error) if error.reason == Reason::Remote => {
                self.loader.skip(quote("loader.New", error))?;
                return Ok(built);
            }
            loader => loader.map_err(|error| quote("loader.New", error))?,
        };
        let result = self.child(loader, path, true).and_then(|child| {
            let root = child.loader.root().display().to_string();
            let more = child.accumulate(built, warnings).map_err(|error| {
                error.prefixed(format!("recursed accumulation of path '{root}'"))
            })?;
            let mut all = Accumulator::default();
            all.merge(more)
                .map_err(|error| error.prefixed(format!("recursed merging from path '{root}'")))?;
            Ok(all)
        });
        result.map_err(|error| quote("accumulateDirectory:", error))
    }
}

/// The resources of a text, those of lists included.
fn read_resources(input: &Input<'_>) -> Result<Vec<Resource>> {
    let documents = input.documents()?;
    let is_list = |node: &Node| {
        let kind = node.get("kind").map_or("", Node::text);
        matches!(kind, "List" | "ResourceList") && node.get("items").is_some()
    };
    let nodes = match documents.as_slice() {
        [list] if is_list(list) => {
            list.get("items").map_or(Vec::new(), |items| items.items().to_vec())
        }
        _ => documents,
    };
    let mut waiting: std::collections::VecDeque<_> = checked(nodes)?.into();
    let mut resources = Vec::new();
    while let Some(resource) = waiting.pop_front() {
        let items = resource.node.get("items").filter(|_| resource.kind().ends_with("List"));
        match items {
            None => resources.push(resource),
            Some(items) if items.is_null() => {}
            Some(Node { data: Data::Seq(items), .. }) => {
                waiting.extend(checked(items.clone())?);
            }
            Some(items) => {
                let kind = resource.kind();
                let shown = if matches!(items.data, Data::Map(_)) {
                    "map[string]interface {}"
                } else {
                    "string"
                };
                let message = format!("expected array in {kind}/items, but found {shown}");
                let at = items.origin.parts().first().map(|part| part.at.clone());
                return Err(Error::resource(message).at(at));
            }
        }
    }
    Ok(resources)
}

fn checked(nodes: Vec<Node>) -> Result<Vec<Resource>> {
    let nodes = nodes.into_iter().filter(|node| !node.is_empty());
    nodes
        .map(|node| {
            let resource = Resource::new(node);
            resource.validate()?;
            Ok(resource)
        })
        .collect()
}
