//! Labels, annotations and replicas.

use super::{Place, Transform};
use crate::{
    config::FieldSpec,
    error::{Error, Result},
    field_spec::{Create, visit},
    go::Strings,
    node::{Kind, Node},
    resources::Resources,
    scalar::Tag,
    types::Replica,
};

/// An entry of `labels`, or `commonLabels`.
pub(crate) struct Labels {
    pub(crate) labels: Strings,
    pub(crate) specs: Vec<FieldSpec>,
    pub(crate) place: Place,
}

/// `commonAnnotations`.
pub(crate) struct Annotations {
    pub(crate) annotations: Strings,
    pub(crate) specs: Vec<FieldSpec>,
    pub(crate) place: Place,
}

/// An entry of `replicas`.
pub(crate) struct Replicas {
    pub(crate) replica: Replica,
    pub(crate) specs: Vec<FieldSpec>,
    pub(crate) place: Place,
}

impl Transform for Labels {
    fn apply(&self, resources: &mut Resources) -> Result<()> {
        set_strings(resources, &self.labels, &self.specs, &self.place)
    }
}

impl Transform for Annotations {
    fn apply(&self, resources: &mut Resources) -> Result<()> {
        set_strings(resources, &self.annotations, &self.specs, &self.place)
    }
}

fn set_strings(
    resources: &mut Resources,
    strings: &Strings,
    specs: &[FieldSpec],
    place: &Place,
) -> Result<()> {
    for resource in &mut resources.list {
        let gvk = resource.gvk();
        for (key, value) in &strings.0 {
            let key_origin = place.origin(key);
            let value = Node::string(value.text.clone(), place.origin(value));
            for spec in specs {
                visit(&mut resource.node, &gvk, spec, Create::As(Kind::Map), &mut |node| {
                    check(node, Kind::Map)?;
                    if !node.is_null() {
                        node.set(key, value.clone(), &key_origin);
                    }
                    Ok(())
                })?;
            }
        }
    }
    Ok(())
}

/// Checks that a node is of a kind, or null.
pub(crate) fn check(node: &Node, kind: Kind) -> Result<()> {
    if node.is_null() || node.kind() == kind {
        return Ok(());
    }
    let message =
        format!("wrong node kind: expected {} but got {}", kind.name(), node.kind().name());
    let at = node.origin.parts().first().map(|part| part.at.clone());
    Err(Error::transformer(message).at(at))
}

impl Transform for Replicas {
    fn apply(&self, resources: &mut Resources) -> Result<()> {
        let name = &*self.replica.name;
        let origin = self.place.at(self.replica.count.at.as_ref());
        let mut is_found = false;
        for spec in &self.specs {
            let found =
                resources.that_have_been(|id| id.name == name && id.gvk.is_selected(&spec.gvk));
            is_found |= !found.is_empty();
            for index in found {
                let resource = &mut resources.list[index];
                let gvk = resource.gvk();
                visit(&mut resource.node, &gvk, spec, Create::As(Kind::Scalar), &mut |node| {
                    check(node, Kind::Scalar)?;
                    let count = self.replica.count.number.to_string();
                    node.replace_scalar(Node::scalar(count, Tag::Int, origin.clone()));
                    Ok(())
                })?;
            }
        }
        if is_found {
            return Ok(());
        }
        let kinds: Vec<_> = self.specs.iter().map(|spec| spec.gvk.to_string()).collect();
        let message = format!(
            "resource with name {name} does not match a config with the following GVK [{}]",
            kinds.join(" ")
        );
        Err(Error::transformer(message).at(self.replica.name.at.clone()))
    }
}
