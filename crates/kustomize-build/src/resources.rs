//! The resources of a kustomization, in order.

use crate::{
    error::{Error, Result},
    id::Id,
    node::{Data, Node},
    resource::{Behavior, Resource},
    work::Work,
};

/// Resources in the order in which they were read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Resources {
    pub(crate) list: Vec<Resource>,
    /// What making them has cost.
    pub(crate) work: Work,
}

impl Resources {
    /// Adds a resource whose id is new.
    pub(crate) fn append(&mut self, resource: Resource) -> Result<()> {
        self.work.spend(1 + self.list.len() as u64 / 16)?;
        let id = resource.id();
        if self.list.iter().any(|other| other.name() == id.name && other.id().is(&id)) {
            let at = resource.name_node().origin.parts().first().map(|part| part.at.clone());
            let message = format!("may not add resource with an already registered id: {id}");
            return Err(Error::resource(message).at(at));
        }
        self.list.push(resource);
        Ok(())
    }

    pub(crate) fn append_all(&mut self, resources: Vec<Resource>) -> Result<()> {
        resources.into_iter().try_for_each(|resource| self.append(resource))
    }

    pub(crate) fn drop_deleted(&mut self) {
        self.list.retain(|resource| !resource.is_deleted());
    }

    /// The indices of the resources that are or were of a matching id.
    pub(crate) fn that_have_been(&self, matches: impl Fn(&Id) -> bool) -> Vec<usize> {
        let fits = |resource: &Resource| !resource.is_deleted() && resource.has_been(&matches);
        (0..self.list.len()).filter(|&index| fits(&self.list[index])).collect()
    }

    /// The only resource that is or was of an id.
    pub(crate) fn by_id(&self, id: &Id) -> Result<usize> {
        let problem = match self.that_have_been(|other| other.is(id)).as_slice() {
            [index] => return Ok(*index),
            [] => "no matches for",
            _ => "multiple matches for",
        };
        let message = format!("{problem} Id {id}; failed to find unique target for patch {id}");
        Err(Error::transformer(message))
    }

    /// Adds a generated resource as its behavior says.
    pub(crate) fn absorb(&mut self, mut resource: Resource) -> Result<()> {
        self.work.look(self.list.len())?;
        self.work.copy(&resource.node)?;
        let id = resource.id();
        let behavior = resource.history.behavior;
        let at = resource.name_node().origin.parts().first().map(|part| part.at.clone());
        let fail = |message: String| Err(Error::generator(message).at(at));
        let shown = go_syntax(&id);
        match (self.that_have_been(|other| other.is(&id)).as_slice(), behavior) {
            ([], Behavior::Merge | Behavior::Replace) => {
                fail(format!("id {shown} does not exist; cannot merge or replace"))
            }
            ([], _) => self.append(resource),
            ([index], Behavior::Replace | Behavior::Merge) => {
                let old = &self.list[*index];
                resource.take_metadata(old);
                if behavior == Behavior::Merge {
                    for field in ["data", "binaryData"] {
                        resource.merge_strings(old, field);
                    }
                    if let Some(origin) = old.annotation(crate::resource::ORIGIN) {
                        resource.set_annotation(crate::resource::ORIGIN, origin.to_owned());
                    }
                }
                self.list[*index] = resource;
                Ok(())
            }
            ([_], _) => fail(format!(
                "id {shown} exists; can not use behavior: '{}', behavior must be merge or replace",
                behavior.name()
            )),
            _ => fail(format!("found multiple objects that could accept merge of {id}")),
        }
    }
}

/// An id as Go's `%#v` prints it.
fn go_syntax(id: &Id) -> String {
    format!(
        "resid.ResId{{Gvk:resid.Gvk{{Group:{:?}, Version:{:?}, Kind:{:?}, isClusterScoped:{}}}, Name:{:?}, Namespace:{:?}}}",
        id.gvk.group,
        id.gvk.version,
        id.gvk.kind,
        id.is_cluster_scoped(),
        id.name,
        id.namespace
    )
}

impl Resource {
    /// Takes over the labels, annotations, name and namespace of the resource that it replaces.
    fn take_metadata(&mut self, old: &Resource) {
        for field in ["labels", "annotations"] {
            self.merge_metadata(old, field);
        }
        self.set_name(old.name_node());
        self.set_namespace(old.node.at(&["metadata", "namespace"]).cloned());
        self.add_previous(old);
        let history = &old.history;
        self.history.prefixes = history.prefixes.clone();
        self.history.suffixes = history.suffixes.clone();
        self.history.behavior = history.behavior;
        self.history.needs_hash &= history.needs_hash;
        self.history.vars = history.vars.clone();
    }

    fn merge_metadata(&mut self, old: &Resource, field: &str) {
        let Some(from) = old.node.at(&["metadata", field]) else { return };
        let metadata = self.node.get_or_create("metadata", crate::node::Kind::Map);
        let map = metadata.get_or_create(field, crate::node::Kind::Map);
        add_missing(map, from);
        self.stringify(field);
    }

    fn merge_strings(&mut self, old: &Resource, field: &str) {
        if let Some(from) = old.node.get(field) {
            add_missing(self.node.get_or_create(field, crate::node::Kind::Map), from);
        }
        let Some(map) = self.node.get_mut(field) else { return };
        if map.entries().is_empty() {
            self.node.remove(field);
            return;
        }
        let Data::Map(entries) = &mut map.data else { return };
        for entry in entries {
            entry.value = Node::string(entry.value.text(), entry.value.origin.clone());
        }
    }
}

fn add_missing(map: &mut Node, from: &Node) {
    let Data::Map(own) = &mut map.data else { return };
    for entry in from.entries() {
        if !own.iter().any(|other| other.key == entry.key) {
            own.push(entry.clone());
        }
    }
}
