//! Prefixes, suffixes and hashes of names.

use super::{Place, Transform};
use crate::{
    config::FieldSpec,
    error::Result,
    field_spec::{Create, visit},
    go::Text,
    hash,
    id::Gvk,
    node::{Kind, Node},
    resource::Resource,
    resources::Resources,
    scalar::Tag,
};

/// `namePrefix`.
pub(crate) struct Prefix {
    pub(crate) prefix: Text,
    pub(crate) specs: Vec<FieldSpec>,
    pub(crate) place: Place,
}

/// `nameSuffix`.
pub(crate) struct Suffix {
    pub(crate) suffix: Text,
    pub(crate) specs: Vec<FieldSpec>,
    pub(crate) place: Place,
}

/// The hashes of generated resources.
pub(crate) struct Hashes;

/// Kinds whose names stay.
fn is_skipped(gvk: &Gvk) -> bool {
    matches!(gvk.kind.as_str(), "CustomResourceDefinition" | "Namespace")
        || gvk.kind == "APIService" && gvk.group == "apiregistration.k8s.io"
}

impl Transform for Prefix {
    fn apply(&self, resources: &mut Resources) -> Result<()> {
        resources.work.spend(resources.list.len() as u64 * self.prefix.len() as u64 / 4)?;
        let origin = self.place.origin(&self.prefix);
        each_name(
            resources,
            &self.specs,
            |resource| {
                if !self.prefix.is_empty() {
                    resource.history.prefixes.push(self.prefix.to_string());
                    resource.store_previous_id();
                }
            },
            |node| {
                let text = format!("{}{}", &*self.prefix, node.text());
                node.replace_scalar(Node::scalar(text, Tag::Empty, node.origin.and(&origin)));
            },
        )
    }
}

impl Transform for Suffix {
    fn apply(&self, resources: &mut Resources) -> Result<()> {
        resources.work.spend(resources.list.len() as u64 * self.suffix.len() as u64 / 4)?;
        let origin = self.place.origin(&self.suffix);
        each_name(
            resources,
            &self.specs,
            |resource| {
                if !self.suffix.is_empty() {
                    resource.history.suffixes.push(self.suffix.to_string());
                    resource.store_previous_id();
                }
            },
            |node| {
                let text = format!("{}{}", node.text(), &*self.suffix);
                node.replace_scalar(Node::scalar(text, Tag::Empty, node.origin.and(&origin)));
            },
        )
    }
}

fn each_name(
    resources: &mut Resources,
    specs: &[FieldSpec],
    note: impl Fn(&mut Resource),
    set: impl Fn(&mut Node),
) -> Result<()> {
    for resource in &mut resources.list {
        let original = resource.original_id().gvk;
        if is_skipped(&original) {
            continue;
        }
        for spec in specs.iter().filter(|spec| original.is_selected(&spec.gvk)) {
            if spec.path == "metadata/name" {
                note(resource);
            }
            let gvk = resource.gvk();
            visit(&mut resource.node, &gvk, spec, Create::As(Kind::Scalar), &mut |node| {
                set(node);
                Ok(())
            })?;
        }
    }
    Ok(())
}

impl Transform for Hashes {
    fn apply(&self, resources: &mut Resources) -> Result<()> {
        for resource in resources.list.iter_mut().filter(|resource| resource.history.needs_hash) {
            let (hash, covered) = hash::of(resource)?;
            resource.store_previous_id();
            let old = resource.name_node();
            let name = format!("{}-{hash}", old.text());
            resource.set_name(Node::untyped(name, old.origin.and(&covered)));
        }
        Ok(())
    }
}
