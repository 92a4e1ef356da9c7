//! Which lists a strategic merge merges, and by which keys: from kustomize's own schema, or from that of `openapi`.

mod built_in;
mod openapi;

use std::{
    cell::RefCell,
    rc::Rc,
    sync::{Arc, OnceLock},
};

use serde_json::Value;
use yaml_spans::{Location, Source};

use self::{built_in::BuiltIn, openapi::Definitions};
use crate::{
    error::{Error, Reason, Result},
    id::Gvk,
};

/// The version of Kubernetes whose schema kustomize contains.
const BUILT_IN_VERSION: &str = "v1.21.2";

/// The most references that lead from one definition to the next. kustomize does not stop at a circle.
const MOST_REFERENCES: usize = 64;

/// A file that `openapi.path` names; it is parsed when it is needed.
#[derive(Debug)]
pub(crate) struct SchemaFile {
    source: Arc<Source>,
    definitions: OnceLock<Result<Definitions>>,
}

impl SchemaFile {
    pub(crate) fn new(source: Arc<Source>) -> Self {
        Self { source, definitions: OnceLock::new() }
    }

    pub(crate) fn is_of(&self, source: &Arc<Source>) -> bool {
        Arc::ptr_eq(&self.source, source)
    }

    fn definitions(&self) -> Result<&Definitions> {
        let read = || Definitions::read(&self.source.text);
        self.definitions.get_or_init(read).as_ref().map_err(Clone::clone)
    }
}

/// The schemas of one build, in the order in which kustomize reads them: the last one that knows a kind counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layers(Vec<Layer>);

#[derive(Clone, Debug)]
enum Layer {
    BuiltIn,
    File(Arc<SchemaFile>),
}

/// What is known of the fields below a value. Lists that are not known are replaced.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Schema<'s> {
    layers: &'s Layers,
    at: At<'s>,
}

#[derive(Clone, Copy, Debug)]
enum At<'s> {
    BuiltIn(BuiltIn),
    File(&'s Value),
}

impl Layers {
    /// The schema of a kind of resource.
    pub(crate) fn of_kind(&self, api_version: &str, kind: &str) -> Option<Schema<'_>> {
        let at = self
            .last(|file| file.of_kind(api_version, kind), || BuiltIn::of_kind(api_version, kind))?;
        Some(Schema { layers: self, at })
    }

    fn definition(&self, name: &str) -> Option<At<'_>> {
        self.last(|file| file.definition(name), || BuiltIn::of_definition(name))
    }

    fn files(&self) -> impl Iterator<Item = &Definitions> {
        self.0.iter().filter_map(|layer| match layer {
            Layer::BuiltIn => None,
            Layer::File(file) => file.definitions().ok(),
        })
    }

    fn last<'s>(
        &'s self,
        in_file: impl Fn(&'s Definitions) -> Option<&'s Value>,
        built_in: impl Fn() -> Option<BuiltIn>,
    ) -> Option<At<'s>> {
        self.0.iter().rev().find_map(|layer| match layer {
            Layer::BuiltIn => built_in().map(At::BuiltIn),
            Layer::File(file) => in_file(file.definitions().ok()?).map(At::File),
        })
    }
}

impl<'s> Schema<'s> {
    pub(crate) fn field(self, name: &str) -> Option<Self> {
        self.below(match self.at {
            At::BuiltIn(schema) => At::BuiltIn(schema.field(name)?),
            At::File(schema) => At::File(openapi::field(schema, name)?),
        })
    }

    pub(crate) fn items(self) -> Option<Self> {
        self.below(match self.at {
            At::BuiltIn(schema) => At::BuiltIn(schema.items()?),
            At::File(schema) => At::File(openapi::items(schema)?),
        })
    }

    /// The merge keys of a list that is merged. No key: a list of scalars.
    pub(crate) fn merge_keys(self) -> Option<Vec<&'s str>> {
        match self.at {
            At::BuiltIn(schema) => schema.merge_keys().map(<[_]>::to_vec),
            At::File(schema) => openapi::merge_keys(schema),
        }
    }

    /// A schema below this one, in place of a reference to it.
    fn below(self, mut at: At<'s>) -> Option<Self> {
        for _ in 0..MOST_REFERENCES {
            at = match at {
                At::BuiltIn(BuiltIn::Definition(name)) => match self.layers.definition(name) {
                    Some(other @ At::File(_)) => other,
                    _ => return Some(Self { at, ..self }),
                },
                At::BuiltIn(_) => return Some(Self { at, ..self }),
                At::File(schema) => match openapi::reference(schema) {
                    Some(name) => self.layers.definition(&name)?,
                    None => return Some(Self { at, ..self }),
                },
            };
        }
        None
    }
}

/// Which schemas a build uses. The kustomization that is built chooses, or else the first that does below it.
#[derive(Debug, Default)]
pub(crate) struct Schemas(RefCell<State>);

#[derive(Debug, Default)]
struct State {
    chosen: Choice,
    layers: Rc<Layers>,
    /// Whether the chosen schema is among the layers.
    is_read: bool,
    /// kustomize met a kind that it did not know before it needed a schema: it then reads its own one too.
    needs_built_in: bool,
}

#[derive(Clone, Debug, Default)]
enum Choice {
    #[default]
    None,
    BuiltIn,
    File(Arc<SchemaFile>, Option<Location>),
}

impl Schemas {
    /// Whether a kustomization below may still choose.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self.0.borrow().chosen, Choice::None)
    }

    /// Chooses a schema of kustomize by the version of Kubernetes.
    pub(crate) fn choose_version(&self, version: &str) -> Result<()> {
        if version.is_empty() {
            return Ok(());
        }
        if version != BUILT_IN_VERSION {
            let message = "the specified OpenAPI version is not built in";
            return Err(Error::new(Reason::Kustomization, message));
        }
        self.choose(Choice::BuiltIn);
        Ok(())
    }

    /// Chooses the schema of a file.
    pub(crate) fn choose_file(&self, file: Arc<SchemaFile>, at: Option<Location>) {
        self.choose(Choice::File(file, at));
    }

    fn choose(&self, choice: Choice) {
        let mut state = self.0.borrow_mut();
        state.chosen = choice;
        state.is_read = false;
    }

    /// What a merge uses.
    pub(crate) fn layers(&self) -> Result<Rc<Layers>> {
        let mut state = self.0.borrow_mut();
        state.read()?;
        Ok(state.layers.clone())
    }

    /// Whether the file says that a kind has no namespace.
    pub(crate) fn is_cluster_scoped(&self, gvk: &Gvk) -> Result<bool> {
        if gvk.is_built_in() {
            return Ok(false);
        }
        let mut state = self.0.borrow_mut();
        match state.chosen {
            Choice::File(..) => state.read()?,
            _ if state.is_read => {}
            _ => state.needs_built_in = true,
        }
        let api_version = gvk.api_version();
        let scopes =
            state.layers.files().filter_map(|file| file.is_namespaced(&api_version, &gvk.kind));
        Ok(scopes.reduce(|a, b| a || b) == Some(false))
    }
}

impl State {
    fn read(&mut self) -> Result<()> {
        if self.is_read {
            return Ok(());
        }
        self.is_read = true;
        let layers = &mut Rc::make_mut(&mut self.layers).0;
        match &self.chosen {
            Choice::None | Choice::BuiltIn => layers.push(Layer::BuiltIn),
            Choice::File(file, at) => {
                file.definitions().map_err(|error| error.at(at.clone()))?;
                layers.push(Layer::File(file.clone()));
                layers.extend(self.needs_built_in.then_some(Layer::BuiltIn));
            }
        }
        self.needs_built_in = false;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containers_of_a_cron_job_merge_by_name() {
        let schemas = Schemas::default();
        let layers = schemas.layers().unwrap();
        let path = ["spec", "jobTemplate", "spec", "template", "spec", "containers"];
        let schema = layers.of_kind("batch/v1", "CronJob").unwrap();
        let list = path.into_iter().try_fold(schema, Schema::field).unwrap();
        assert_eq!(list.merge_keys(), Some(vec!["name"]));
        let ports = list.items().and_then(|item| item.field("ports")).unwrap();
        assert_eq!(ports.merge_keys(), Some(vec!["containerPort", "protocol"]));
        assert!(list.items().and_then(|item| item.field("args")).is_none());
    }
}
